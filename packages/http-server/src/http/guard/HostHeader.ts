/**
 * Refuses requests with an ambiguous Host header.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

/**
 * Fails if the request has more than one `Host`.
 *
 * **Errors** `malformed_request`: a proxy could have used one `Host` line, and the service the other.
 *
 * **Source** RFC 9112 §3.2.
 */
export const oneHost = Effect.gen(function* () {
  const hosts = HeaderLines.valuesOf(yield* HttpServerRequest.HttpServerRequest, "host")
  if (hosts.length < 2 && hosts[0]?.includes(",") !== true) return
  return yield* refuse("malformed_request", { detail: "Host: must be sent only once", field: "Host" })
})
