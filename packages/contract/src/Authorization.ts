/**
 * Middleware that requires a key whose rule allows the endpoint's policy.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Declares the refusals of a protected endpoint. The server implements the middleware. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "@quarterdeck/contract/Authorization",
  { error: Problem.ofEveryRoute }
) {}
