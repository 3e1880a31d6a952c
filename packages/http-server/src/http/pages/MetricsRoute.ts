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

/** Who may read the metrics: an unscoped Admin, everybody, or nobody because the route does not exist. */
export const MetricsAccess = Context.Reference<"protected" | "public" | "off">(
  "@quarterdeck/http-server/MetricsAccess",
  { defaultValue: () => "protected" }
)

/** Gives the route, or none when it is off. */
export const routes = Effect.gen(function* () {
  const access = yield* MetricsAccess
  if (access === "off") return []
  const guard = yield* Guard
  const admit = Effect.gen(function* () {
    if (access === "public") return
    const { principal } = yield* guard.authenticate
    if (principal.rule.role === "Admin" && Rule.isUnscoped(principal.rule)) return
    return yield* Refusal.refuse("role_forbidden", { detail: "metrics need an Admin key without a scope" })
  })
  const reply = Effect.gen(function* () {
    yield* admit
    return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  }).pipe(Effect.catch((problem) => Effect.succeed(Refusal.respond(problem))))
  return [HttpRouter.route("GET", METRICS_PATH, reply)]
})
