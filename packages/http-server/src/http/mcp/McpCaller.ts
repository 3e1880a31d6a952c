/**
 * The caller of a tool. Tools use the routes of the API with the caller's own key.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import type * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse, HttpServerRequest as Requests } from "effect/http"
import type { RequestRecord } from "../request/RequestRecord.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

/** One call of the API. **Shape** `target` replaces the cluster header; `body` is sent as JSON. */
export interface RouteCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly target: TargetRequest.Body | undefined
  readonly body: unknown
}

/** The reply of a route. **Shape** `body` is the JSON, or `{ text }` for a plain text reply. */
export interface RouteReply {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly body: unknown
}

/**
 * Serves a tool's request to a route like the request of a client. **Shape** `within` is the record of the MCP request
 * that called the tool.
 */
export type Answer = (
  request: HttpServerRequest.HttpServerRequest,
  target: TargetRequest.Body | undefined,
  within: RequestRecord
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

export class McpCaller extends Context.Service<
  McpCaller,
  {
    readonly principal: Principal["Service"]
    /** Calls a route. The call counts against rate limits and is audited like a direct call. */
    readonly ask: (call: RouteCall) => Effect.Effect<RouteReply>
    /** Returns true if at least one route was called. */
    readonly hasAsked: () => boolean
  }
>()("@quarterdeck/http-server/http/mcp/McpCaller") {}

/** Makes the caller of one request. */
export const make = (
  outer: HttpServerRequest.HttpServerRequest,
  within: RequestRecord,
  principal: Principal["Service"],
  answer: Answer
): McpCaller["Service"] => {
  let asked = 0
  const ask = Effect.fn("McpCaller.ask")(function* ({ body, method, path, query, target }: RouteCall) {
    asked++
    const parameters = query.size === 0 ? "" : `?${query.toString()}`
    const inner = new Request(`http://localhost${path}${parameters}`, {
      method,
      headers: [
        ...HeaderLines.valuesOf(outer, "authorization").map((value): [string, string] => ["authorization", value]),
        ...(body === undefined ? [] : [["content-type", "application/json"] satisfies [string, string]])
      ],
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const response = yield* answer(Requests.fromWeb(inner), target, within)
    const retryAfter = Number(response.headers["retry-after"])
    const web = HttpServerResponse.toWeb(response)
    const isText = response.headers["content-type"]?.startsWith("text/plain") === true
    const reply: RouteReply = {
      status: response.status,
      retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
      body: isText ? { text: yield* Effect.promise(() => web.text()) } : yield* Effect.promise(() => web.json())
    }
    return reply
  })
  return McpCaller.of({ principal, ask, hasAsked: () => asked > 0 })
}

/** The caller of the current request. Dies without one, because every tool runs for a caller. */
export const current: Effect.Effect<McpCaller["Service"]> = Effect.flatMap(
  Effect.serviceOption(McpCaller),
  Effect.fromOption
).pipe(Effect.orDie)
