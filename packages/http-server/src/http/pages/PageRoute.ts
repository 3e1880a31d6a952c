/**
 * Routes for browsers, which are not part of the contract.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

export interface PageRoute {
  readonly path: `/${string}`
  /** Name of the route in log and metrics. */
  readonly pattern: string
  readonly route: HttpRouter.Route<never, HttpServerRequest.HttpServerRequest>
}

type Reply = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** Makes a GET route. */
export const make = (path: `/${string}`, reply: Reply, pattern: string = path): PageRoute => ({
  path,
  pattern,
  route: HttpRouter.route("GET", path, Effect.flatMap(HttpServerRequest.HttpServerRequest, reply))
})
