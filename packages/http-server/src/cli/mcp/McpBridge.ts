/**
 * Forwards the messages of an MCP client on standard input to a server's `/mcp`, and the replies to standard output.
 *
 * **Source** Model Context Protocol, "Transports": stdio on one side, Streamable HTTP on the other.
 */
import { Deferred, Effect, Predicate, Redacted, Result, Schema, Stdio, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { Connection } from "../request/Connection.ts"
import * as Print from "../print/Print.ts"
import { explain } from "../request/TransportProblem.ts"
import * as McpMessage from "./McpMessage.ts"

/** Timeout of a request: longer than any deadline of the server, with time for a slow connection. */
const TIMEOUT = "60 seconds"
/** Maximum number of concurrent requests. */
const CONCURRENCY = 16

const SESSION_HEADER = "mcp-session-id"
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" }

/** The client's session. **Shape** `initialize` is the message that opened it. */
interface State {
  session: string | undefined
  version: string | undefined
  initialize: McpMessage.Message | undefined
  /** Completed when the last `initialize` has its reply. Later messages wait for it. */
  begun: Deferred.Deferred<void> | undefined
}

/**
 * Forwards messages until standard input ends, then ends the session.
 *
 * **Shape** if a restarted server no longer knows the session, a new one is opened without involving the client. A request that
 * cannot be forwarded gets an error reply with the reason.
 *
 * **Limits** 16 concurrent requests of 60 s each. Redirects are not followed, so the key reaches no other address.
 */
export const run = Effect.fn("McpBridge.run")(function* (connection: Connection) {
  const stdio = yield* Stdio.Stdio
  const state: State = { session: undefined, version: undefined, initialize: undefined, begun: undefined }
  yield* stdio.stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.trim() !== ""),
    Stream.mapEffect((line) => carry(connection, state, line), { concurrency: CONCURRENCY, unordered: true }),
    Stream.runDrain,
    Effect.orDie
  )
  if (state.session !== undefined) yield* Effect.ignore(execute(connection, state, "DELETE", undefined))
})

const carry = Effect.fnUntraced(function* (connection: Connection, state: State, line: string) {
  const message = McpMessage.parse(line)
  if (Result.isFailure(message)) {
    return yield* write(McpMessage.error(null, McpMessage.PARSE_ERROR, "the line is not a JSON-RPC message"))
  }
  const { success } = message
  const begun = success.method === "initialize" ? yield* Deferred.make<void>() : undefined
  if (begun !== undefined) {
    Object.assign(state, { initialize: success, session: undefined, version: undefined, begun })
  } else if (state.begun !== undefined) yield* Deferred.await(state.begun)
  yield* ask(connection, state, success).pipe(
    Effect.catch((problem) =>
      success.id === undefined
        ? Print.note(problem)
        : write(McpMessage.error(success.id, McpMessage.SERVER_ERROR, problem))
    ),
    Effect.ensuring(begun === undefined ? Effect.void : Deferred.succeed(begun, undefined))
  )
})

/** Sends a message, and opens a new session if the server no longer knows the old one. **Errors** the reason as one line. */
const ask = Effect.fnUntraced(function* (connection: Connection, state: State, message: McpMessage.Message) {
  const had = state.session
  const response = yield* execute(connection, state, "POST", message)
  if (response.status !== 404 || had === undefined || state.initialize === undefined) {
    return yield* answer(state, message, response, write)
  }
  if (state.session === had) {
    Object.assign(state, { session: undefined, version: undefined })
    const begun = yield* execute(connection, state, "POST", state.initialize)
    yield* answer(state, state.initialize, begun, () => Effect.void)
    yield* execute(connection, state, "POST", McpMessage.of(INITIALIZED))
  }
  yield* answer(state, message, yield* execute(connection, state, "POST", message), write)
})

const execute = (
  connection: Connection,
  state: State,
  method: "POST" | "DELETE",
  message: McpMessage.Message | undefined
) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.make(method)(`${connection.base}/mcp`, {
      headers: {
        accept: "application/json, text/event-stream",
        authorization: Redacted.value(connection.authorization),
        ...(state.session === undefined ? {} : { [SESSION_HEADER]: state.session }),
        ...(state.version === undefined ? {} : { "mcp-protocol-version": state.version }),
        ...(message === undefined ? {} : McpMessage.headersOf(message))
      }
    })
    return yield* client.execute(
      message === undefined ? request : HttpClientRequest.bodyText(request, message.text, "application/json")
    )
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIMEOUT,
      orElse: () => Effect.fail(`${connection.base}: no answer within ${TIMEOUT}`)
    }),
    Effect.catchTag("HttpClientError", ({ reason }) => Effect.fail(`${connection.base}: ${explain(reason)}`))
  )

/** Writes the messages of a response. **Errors** the server's refusal as one line. */
const answer = Effect.fnUntraced(function* <E, R>(
  state: State,
  message: McpMessage.Message,
  response: HttpClientResponse.HttpClientResponse,
  out: (text: string) => Effect.Effect<void, E, R>
) {
  const mediaType = response.headers["content-type"]?.split(";")[0]?.trim()
  const text = yield* Effect.mapError(response.text, ({ reason }) => explain(reason))
  if (response.status === 202) return
  if (mediaType === "text/event-stream") {
    const events = text.split("\n").filter((line) => line.startsWith("data: "))
    return yield* Effect.forEach(events, (line) => out(line.slice("data: ".length)), { discard: true })
  }
  const value = McpMessage.json(text)
  // Any other body is a problem of the API, or the reply of another program at this address.
  if (!Predicate.hasProperty(value, "jsonrpc")) return yield* Effect.fail(refusalOf(response.status, value))
  const session = response.headers[SESSION_HEADER]
  if (message.method === "initialize" && session !== undefined) {
    Object.assign(state, { session, version: response.headers["mcp-protocol-version"] })
  }
  yield* out(JSON.stringify(value))
})

const isProblem = Schema.is(Schema.Struct({ title: Schema.String, detail: Schema.String, code: Schema.String }))

const refusalOf = (status: number, value: unknown): string =>
  isProblem(value)
    ? `${value.title}: ${value.detail} (HTTP ${status}, code ${value.code})`
    : `HTTP ${status} without a reply of Quarterdeck: is this its address?`

const write = (text: string) => Print.output(`${text}\n`)
