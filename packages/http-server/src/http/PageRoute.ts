/**
 * Routes for browsers, which are no part of the contract.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { CurrentRequest } from "./RequestRecord.ts"

/** A route and the path that it stands at. */
export interface PageRoute {
  readonly path: `/${string}`
  readonly route: HttpRouter.Route<never, HttpServerRequest.HttpServerRequest>
}

type Reply = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** Makes a route of GET; the log and the metrics call it by `pattern`. */
export const make = (path: `/${string}`, reply: Reply, pattern: string = path): PageRoute => ({
  path,
  route: HttpRouter.route(
    "GET",
    path,
    Effect.gen(function* () {
      const record = yield* CurrentRequest
      record.route = pattern
      return yield* reply(yield* HttpServerRequest.HttpServerRequest)
    })
  )
})
