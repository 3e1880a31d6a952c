/**
 * The middleware that keeps the calls of sessions to the server's own pages.
 */
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Declares what a call of sessions may refuse; the server implements it. */
export class SameOrigin extends HttpApiMiddleware.Service<SameOrigin>()("@quarterdeck/contract/SameOrigin", {
  error: Problem.ofEveryRoute
}) {}
