/**
 * A JSON-RPC message as a client writes it in a line.
 */
import { Predicate, Result } from "effect"

/** The error code for a line that is no JSON-RPC message. **Source** JSON-RPC 2.0 §5.1. */
export const PARSE_ERROR = -32_700
/** The first of those that an implementation may choose. */
export const SERVER_ERROR = -32_000

/** A message of JSON-RPC; `id` is absent from a notification, `text` is what is sent. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string | undefined
  readonly params: unknown
  readonly text: string
}

/** Reads a line. **Errors** `undefined` for what is no message: no JSON, or no object. */
export const parse = (line: string): Result.Result<Message, undefined> => {
  const value = json(line)
  return Predicate.isReadonlyObject(value) ? Result.succeed(of(value)) : Result.fail(undefined)
}

/** Makes a message of a value. */
export const of = (value: object): Message => ({
  id: Predicate.hasProperty(value, "id") && isId(value.id) ? value.id : undefined,
  method: Predicate.hasProperty(value, "method") && typeof value.method === "string" ? value.method : undefined,
  params: Predicate.hasProperty(value, "params") ? value.params : undefined,
  text: JSON.stringify(value)
})

const isId = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** Parses a text; `undefined` for what is no JSON. */
export const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => undefined
  )

/** Writes an error. **Shape** `id` is null where the request's could not be read. */
export const error = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

/**
 * Gives the headers that repeat what a message says, from the revision of 2026-07-28 on; none for one of an earlier.
 *
 * **Source** Model Context Protocol 2026-07-28, "Streamable HTTP", standard request headers.
 */
export const headersOf = ({ method, params }: Message): Readonly<Record<string, string>> => {
  const metadata = Predicate.hasProperty(params, "_meta") ? params._meta : undefined
  const version = Predicate.hasProperty(metadata, VERSION_KEY) ? metadata[VERSION_KEY] : undefined
  if (typeof version !== "string" || method === undefined) return {}
  const name = nameOf(method, params)
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": encode(name) } : {})
  }
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

const nameOf = (method: string, params: unknown): unknown => {
  if (method === "resources/read") return Predicate.hasProperty(params, "uri") ? params.uri : undefined
  const isNamed = method === "tools/call" || method === "prompts/get"
  return isNamed && Predicate.hasProperty(params, "name") ? params.name : undefined
}

/** Writes a text that no header could carry as it is. */
const encode = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) && !text.startsWith("=?") && text === text.trim()
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
