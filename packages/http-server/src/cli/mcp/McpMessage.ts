/**
 * JSON-RPC messages, one per line.
 */
import { Predicate, Result } from "effect"

/** The error code of a line that is not a JSON-RPC message. **Source** JSON-RPC 2.0 §5.1. */
export const PARSE_ERROR = -32_700
/** The first error code that implementations may define. **Source** JSON-RPC 2.0 §5.1. */
export const SERVER_ERROR = -32_000

/** A JSON-RPC message. **Shape** `id` is undefined for a notification. `text` is the JSON that is sent. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string | undefined
  readonly params: unknown
  readonly text: string
}

/** Parses a line. **Errors** `undefined` if the line is not a JSON object. */
export const parse = (line: string): Result.Result<Message, undefined> => {
  const value = json(line)
  return Predicate.isReadonlyObject(value) ? Result.succeed(of(value)) : Result.fail(undefined)
}

/** Makes a message from a decoded object. */
export const of = (value: object): Message => ({
  id: Predicate.hasProperty(value, "id") && isId(value.id) ? value.id : undefined,
  method: Predicate.hasProperty(value, "method") && typeof value.method === "string" ? value.method : undefined,
  params: Predicate.hasProperty(value, "params") ? value.params : undefined,
  text: JSON.stringify(value)
})

const isId = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** Parses JSON. **Shape** `undefined` for invalid JSON. */
export const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => undefined
  )

/** Renders an error reply. **Shape** `id` is null if the request's id could not be read. */
export const error = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

/**
 * Returns the HTTP headers that repeat fields of a message. Protocol revisions before 2026-07-28 have no such headers.
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

/** Encodes a text for a header, in base64 if a header cannot carry it unchanged. */
const encode = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) && !text.startsWith("=?") && text === text.trim()
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
