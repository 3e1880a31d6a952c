/**
 * `/mcp`: lets a request through to the MCP server with a key, by a name of its own, within the limits of its key.
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

/** What of a request's headers is the MCP server's business: credentials and origins are judged before it. */
const HEADERS = /^(?:accept|content-type|mcp-[a-z0-9-]+)$/

/** The messages that cost what the routes cost that they ask. */
const ASKING: ReadonlySet<string> = new Set(["tools/call", "resources/read"])

/** The longest message that begins a session: the server keeps it as long as the session. **Units** characters. */
const MAX_BEGINNING = 16_384

/** The methods that the route answers to. */
export const METHODS = ["POST", "DELETE"] as const

/** Tells whether a request is this route's: other methods of the path are refused as those of any route. */
export const isOf = (method: string, url: string): boolean =>
  (method === "POST" || method === "DELETE") && url.split("?", 1)[0] === McpApp.MCP_PATH

/**
 * Makes what answers a request of `/mcp`.
 *
 * **Shape** as with every route: credential, origin, key, limit, body; then the session, which must be the key's own. A
 * message counts as one request, a call of a tool as the routes that it asks.
 *
 * **Errors** problems of the contract, beside what the protocol itself answers with.
 */
export const make = Effect.fnUntraced(function* (answer: McpCaller.Answer) {
  const guard = yield* Guard.Guard
  const app = yield* McpApp.make
  const sessions = new McpSessions()

  const send = (
    headers: Iterable<[string, string]>,
    method: string,
    body: string | undefined,
    context: Context.Context<never>
  ) =>
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

  /** Ends sessions in the protocol's own memory too. */
  const forget = (ids: ReadonlyArray<string>, context: Context.Context<never>) =>
    Effect.forEach(ids, (id) => send([[McpApp.SESSION_HEADER, id]], "DELETE", undefined, context), { discard: true })

  const admitSession = Effect.fnUntraced(function* ({ keyId }: Principal["Service"]) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const id = headers[McpApp.SESSION_HEADER]
    if (id === undefined || sessions.use(id, keyId, yield* Clock.currentTimeMillis)) return
    return yield* refuse("not_found", {
      detail: "no such session of this key: it was ended, or not used for an hour; initialize again",
      field: "Mcp-Session-Id"
    })
  })

  /** Keeps the protocol's sessions and ours the same. */
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
    // The limit of the key comes before the media type and the size: a body that is refused counts too.
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
      // A client that leaves while its session begins or ends would leave one behind that nobody knows and nothing ends.
      return Effect.tap(mayAsk ? restore(sent) : sent, (reply) => noteSession(method, reply, principal, context))
    })
    // One that asked no route after all counts as the others do; what a route is asked, the route counts and notes.
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
 * **Errors** `malformed_json`, also for a member that stands twice; `body_too_large` for a long beginning of a session.
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
    return yield* refuse("body_too_large", { detail: `initialize: at most ${MAX_BEGINNING} characters` })
  }
  return method
})
