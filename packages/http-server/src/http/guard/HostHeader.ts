/**
 * Refuses requests that two readers could take for two different ones.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

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
