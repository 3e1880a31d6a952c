/**
 * Middleware that accepts session requests only from the server's own pages.
 */
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Declares the refusals of session endpoints. The server implements the middleware. */
export class SameOrigin extends HttpApiMiddleware.Service<SameOrigin>()("@quarterdeck/contract/SameOrigin", {
  error: Problem.ofEveryRoute
}) {}
