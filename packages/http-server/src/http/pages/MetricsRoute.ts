/**
 * `/metrics` in the Prometheus text format, for an unscoped Admin unless a setting opens or removes it.
 */
import * as Rule from "@quarterdeck/keys/Rule"
import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Guard } from "../guard/Guard.ts"
import * as Refusal from "../refusal/Refusal.ts"

export const METRICS_PATH = "/metrics" as const

/** Access to the metrics. **Shape** `protected`: an unscoped Admin; `public`: every client; `off`: no such route. */
export const MetricsAccess = Context.Reference<"protected" | "public" | "off">(
  "@quarterdeck/http-server/MetricsAccess",
  { defaultValue: () => "protected" }
)

/** Makes the route; no route if the access is `off`. */
export const routes = Effect.gen(function* () {
  const access = yield* MetricsAccess
  if (access === "off") return []
  const guard = yield* Guard
  const admit = Effect.gen(function* () {
    if (access === "public") return
    const { principal } = yield* guard.authenticate
    if (principal.rule.role === "Admin" && Rule.isUnscoped(principal.rule)) return
    return yield* Refusal.refuse("role_forbidden", { detail: "metrics require an Admin key without a scope" })
  })
  const reply = Effect.gen(function* () {
    yield* admit
    return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  }).pipe(Effect.catch((problem) => Effect.succeed(Refusal.respond(problem))))
  return [HttpRouter.route("GET", METRICS_PATH, reply)]
})
