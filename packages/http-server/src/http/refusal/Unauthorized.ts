/**
 * Refuses a request whose credential counts for nobody.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "./Refusal.ts"

/** Said by a page with each request: a browser would answer the challenge of Basic with a window of its own. */
const PAGE_HEADER = "x-requested-with"

/**
 * Fails with a problem of 401 and its challenges.
 *
 * **Shape** a page that says `X-Requested-With` is not challenged to use Basic.
 *
 * **Source** RFC 6750 §3, RFC 7617 §2: a challenge for each scheme.
 */
export const unauthorized = Effect.fnUntraced(function* (code: Problem.Code, detail: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const error = code === "missing_credential" ? "" : ', error="invalid_token"'
  const basic = request.headers[PAGE_HEADER] === undefined ? ', Basic realm="quarterdeck", charset="UTF-8"' : ""
  return yield* refuse(code, { detail }, { "www-authenticate": `Bearer realm="quarterdeck"${error}${basic}` })
})
