/**
 * Refuses requests that two readers could take for two different ones.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "./Refusal.ts"
import * as HeaderLines from "./HeaderLines.ts"

/**
 * Lets a request pass that names its host once at most.
 *
 * **Errors** `malformed_request`: a proxy may have judged by the one line, and the service would by the other.
 *
 * **Source** RFC 9112 §3.2.
 */
export const oneHost = Effect.gen(function* () {
  const hosts = HeaderLines.valuesOf(yield* HttpServerRequest.HttpServerRequest, "host")
  if (hosts.length < 2 && hosts[0]?.includes(",") !== true) return
  return yield* refuse("malformed_request", { detail: "Host: may be sent once", field: "Host" })
})

const isUtf8 = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Lets a request pass whose query can be decoded.
 *
 * **Errors** `malformed_request`: a decoder that forgives would put other characters in the place of those that were meant.
 */
export const utf8Query = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const start = url.indexOf("?")
  if (start === -1 || isUtf8(url.slice(start + 1))) return
  return yield* refuse("malformed_request", { detail: "query: must be percent-encoded UTF-8", field: "query" })
})
