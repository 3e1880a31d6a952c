/**
 * Middleware of the guard: a key whose rule allows the endpoint's policy, and the server's own pages as origin of session
 * requests.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Declares the refusals of a protected endpoint. The server implements the middleware. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "@quarterdeck/contract/Authorization",
  { error: Problem.ofEveryRoute }
) {}

/**
 * Declares the refusals of session endpoints, which accept requests only from the server's own pages. The server implements
 * the middleware.
 */
export class SameOrigin extends HttpApiMiddleware.Service<SameOrigin>()("@quarterdeck/contract/SameOrigin", {
  error: Problem.ofEveryRoute
}) {}
