/**
 * Routes for browsers, which are no part of the contract.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

/** A route and the path that it stands at. */
export interface PageRoute {
  readonly path: `/${string}`
  /** What log and metrics call it. */
  readonly pattern: string
  readonly route: HttpRouter.Route<never, HttpServerRequest.HttpServerRequest>
}

type Reply = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** Makes a route of GET. */
export const make = (path: `/${string}`, reply: Reply, pattern: string = path): PageRoute => ({
  path,
  pattern,
  route: HttpRouter.route("GET", path, Effect.flatMap(HttpServerRequest.HttpServerRequest, reply))
})
