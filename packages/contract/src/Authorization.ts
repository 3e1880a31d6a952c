/**
 * The middleware that lets a request through only with a key whose rule allows the endpoint's policy.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Declares what a guarded endpoint may refuse; the server implements it. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "@quarterdeck/contract/Authorization",
  { error: Problem.ofEveryRoute }
) {}
