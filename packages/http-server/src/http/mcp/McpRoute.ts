/**
 * `/mcp`: checks the Host header, key, rate limit and session of a request, then passes it to the MCP server.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import { Clock, Context, Effect, Predicate, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Guard from "../guard/Guard.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import { parametersOf } from "../guard/RequestInput.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as StrictJson from "../request/StrictJson.ts"
import * as McpApp from "./McpApp.ts"
import * as McpCaller from "./McpCaller.ts"
import * as McpHost from "./McpHost.ts"
import { McpSessions } from "./McpSessions.ts"

/** Headers that are passed to the MCP server. This route checks credentials and origins itself. */
const HEADERS = /^(?:accept|content-type|mcp-[a-z0-9-]+)$/

/** Methods of messages that call routes. Such a message counts as the routes that it calls. */
const ASKING: ReadonlySet<string> = new Set(["tools/call", "resources/read"])

/** Longest `initialize` message. The server keeps the message as long as the session. **Units** characters. */
const MAX_BEGINNING = 16_384

/** HTTP methods of the route. */
export const METHODS = ["POST", "DELETE"] as const

/** Returns true if the route serves a request. Other methods of the path are refused like unknown methods of any route. */
export const isOf = (method: string, url: string): boolean =>
  (method === "POST" || method === "DELETE") && url.split("?", 1)[0] === McpApp.MCP_PATH

/**
 * Makes the handler of `/mcp`.
 *
 * **Shape** checks host, credential, origin, rate limit and body, then the session, which must belong to the key. A message
 * counts as one request. A tool call counts as the routes that it calls.
 *
 * **Errors** problems of the contract. Errors of the protocol are normal responses.
 */
export const make = Effect.fnUntraced(function* (answer: McpCaller.Answer) {
  const guard = yield* Guard.Guard
  const context = yield* Effect.context<Effect.Services<typeof McpApp.make>>()
  // Made for the first message: the schemas of the tools come from the API's document, which is slow to make.
  // The tools are the same in every process, so an error of theirs is a defect.
  const made = yield* Effect.cached(
    McpApp.make.pipe(Effect.provideContext(context), Effect.orDie, Effect.uninterruptible)
  )
  const sessions = new McpSessions()

  const send = (
    headers: Iterable<[string, string]>,
    method: string,
    body: string | undefined,
    context: Context.Context<never>
  ) =>
    Effect.flatMap(made, (app) =>
      Effect.promise((signal) =>
        app(
          new Request(`http://localhost${McpApp.MCP_PATH}`, {
            method,
            headers: [...headers],
            signal,
            body: body ?? null
          }),
          context
        )
      )
    )

  /** Ends sessions in Effect's MCP server, which keeps its own table of sessions. */
  const forget = (ids: ReadonlyArray<string>, context: Context.Context<never>) =>
    Effect.forEach(ids, (id) => send([[McpApp.SESSION_HEADER, id]], "DELETE", undefined, context), { discard: true })

  const admitSession = Effect.fnUntraced(function* ({ keyId }: Principal["Service"]) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const id = headers[McpApp.SESSION_HEADER]
    if (id === undefined || sessions.use(id, keyId, yield* Clock.currentTimeMillis)) return
    return yield* refuse("not_found", {
      detail: "the key has no such session: it has ended or was idle for an hour; initialize a new session",
      field: "Mcp-Session-Id"
    })
  })

  /** Updates the session table after Effect's MCP server has started or ended a session. */
  const noteSession = Effect.fnUntraced(function* (
    method: string,
    response: Response,
    { keyId }: Principal["Service"],
    context: Context.Context<never>
  ) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const asked = headers[McpApp.SESSION_HEADER]
    if (method === "DELETE" && response.status === 204 && asked !== undefined) sessions.end(asked)
    const begun = response.headers.get(McpApp.SESSION_HEADER)
    if (asked !== undefined || begun === null) return
    yield* forget(sessions.begin(begun, keyId, yield* Clock.currentTimeMillis), context)
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { method } = request
    yield* Guard.noteMcpCall
    yield* McpHost.check
    const { principal } = yield* guard.authenticateKey
    const spend = guard.spend(principal)
    const read = Effect.gen(function* () {
      const text = yield* RequestBody.read(RequestBody.MAX_BYTES)
      return { text, mayAsk: ASKING.has(yield* methodOf(text)) }
    })
    // The rate limit applies before media type and size, so that a refused body counts too.
    const { mayAsk, text: body } =
      method === "POST" ? yield* Effect.tapError(read, () => spend) : { mayAsk: false, text: undefined }
    if (!mayAsk) yield* spend
    yield* requireNoParameter(request.url)
    yield* admitSession(principal)
    const caller = McpCaller.make(request, yield* RequestRecord.CurrentRequest, principal, answer)
    const context = yield* Effect.context<never>()
    const headers = Object.entries(request.headers).filter(([name]) => HEADERS.test(name))
    const response = yield* Effect.uninterruptibleMask((restore) => {
      const sent = send(headers, method, body, Context.add(context, McpCaller.McpCaller, caller))
      // Uninterruptible: if a client disconnects while its session starts or ends, the session must not leak.
      return Effect.tap(mayAsk ? restore(sent) : sent, (reply) => noteSession(method, reply, principal, context))
    })
    // A message that called no route counts as one request. Otherwise the called routes have counted and recorded it.
    if (mayAsk && !caller.hasAsked()) yield* spend
    if (!caller.hasAsked()) yield* Guard.noteCaller("key", principal, "use")
    return HttpServerResponse.fromWeb(response)
  })
})

const requireNoParameter = Effect.fnUntraced(function* (url: string) {
  const [parameter] = parametersOf(url).keys()
  if (parameter === undefined) return
  return yield* refuse("unknown_parameter", { detail: `${parameter}: the route takes no parameter`, field: parameter })
})

/**
 * Reads the method of a message.
 *
 * **Errors** `malformed_json`, also for a duplicate member; `body_too_large` for a long `initialize` message.
 */
const methodOf = Effect.fnUntraced(function* (text: string) {
  const message = StrictJson.parse(text)
  if (Result.isFailure(message)) {
    const { field, message: detail } = message.failure
    return yield* refuse("malformed_json", field === undefined ? { detail } : { detail, field })
  }
  const { success: value } = message
  const method = Predicate.hasProperty(value, "method") && typeof value.method === "string" ? value.method : ""
  if (method === "initialize" && text.length > MAX_BEGINNING) {
    return yield* refuse("body_too_large", {
      detail: `initialize: the message must have at most ${MAX_BEGINNING} characters`
    })
  }
  return method
})
