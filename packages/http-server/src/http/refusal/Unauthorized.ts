/**
 * Refuses a request without a valid credential.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "./Refusal.ts"

/** Header that pages send with each request. On a Basic challenge the browser would open its own sign-in dialog. */
const PAGE_HEADER = "x-requested-with"

/**
 * Fails with a problem of 401 and its challenges.
 *
 * **Shape** a request with `X-Requested-With` gets no Basic challenge.
 *
 * **Source** RFC 6750 §3, RFC 7617 §2: a challenge for each scheme.
 */
export const unauthorized = Effect.fnUntraced(function* (code: Problem.Code, detail: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const error = code === "missing_credential" ? "" : ', error="invalid_token"'
  const basic = request.headers[PAGE_HEADER] === undefined ? ', Basic realm="quarterdeck", charset="UTF-8"' : ""
  return yield* refuse(code, { detail }, { "www-authenticate": `Bearer realm="quarterdeck"${error}${basic}` })
})
