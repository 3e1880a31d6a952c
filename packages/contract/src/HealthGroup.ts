/**
 * Endpoints for liveness and readiness probes.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"

/**
 * The checks that decide readiness.
 *
 * **Shape** contains no names of clusters. While `audit` is `full`, the server refuses changes other than revoking
 * keys, but stays ready.
 */
const ReadinessChecks = Schema.Struct({
  keyStore: Schema.Literals(["ok", "unavailable"]),
  costStore: Schema.Literals(["ok", "unavailable"]),
  audit: Schema.Literals(["ok", "full", "unavailable"]),
  configuredKeys: Schema.Literals(["ok", "stale"]),
  clusters: Schema.Struct({ registered: Schema.Natural, synced: Schema.Natural, waiting: Schema.Natural })
})

/**
 * Problems for an operator to fix. None of them makes the server unready.
 *
 * **Shape** `sources`: kubeconfig entries that were refused or accepted with a warning. `identityProvider`: present if sign-in
 * by a provider is configured; `problem` is set while the provider does not answer. `costs`: the usage source of each cluster
 * and its current failures. `backfill`: progress of reading past usage, for each cluster whose usage source has a history.
 * `unchargedDevices`: present if nodes have accelerators, or pods have ResourceClaims, that no cost includes. `audit`: bytes
 * used by denials and by other events, and the maximum of each.
 */
export const ReadinessDetails = Schema.Struct({
  sources: Schema.Array(
    Schema.Struct({
      severity: Schema.Literals(["error", "warning"]),
      code: Schema.String,
      source: Schema.String,
      message: Schema.String
    })
  ),
  configuredKeys: Schema.Struct({ refused: Schema.Natural, problem: Schema.optionalKey(Schema.String) }),
  audit: Schema.optionalKey(
    Schema.Struct({ deniedBytes: Schema.Natural, otherBytes: Schema.Natural, shareMaxBytes: Schema.Natural })
  ),
  identityProvider: Schema.optionalKey(Schema.Struct({ problem: Schema.optionalKey(Schema.String) })),
  costs: Schema.Array(
    Schema.Struct({
      cluster: ClusterName,
      usage: Schema.Literals(["sampled", "hourly", "requests"]),
      troubles: Schema.Array(Schema.Struct({ what: Schema.String, problem: Schema.String }))
    })
  ),
  unchargedDevices: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        cluster: ClusterName,
        resources: Schema.Array(Schema.String),
        nodes: Schema.Natural,
        podsWithClaims: Schema.Natural
      })
    )
  ),
  backfill: Schema.Array(
    Schema.Struct({
      cluster: ClusterName,
      status: Schema.Literals(["asking", "waiting", "done"]),
      missingHours: Schema.Natural,
      olderHours: Schema.Natural,
      problem: Schema.optionalKey(Schema.String)
    })
  )
}).annotate({ identifier: "ReadinessDetails" })
export type ReadinessDetails = typeof ReadinessDetails.Type

/** Readiness of the server. The route is public; only an Admin without a scope gets `checks` and `details`. */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "starting", "unavailable"]),
  checks: Schema.optionalKey(ReadinessChecks),
  details: Schema.optionalKey(ReadinessDetails)
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

export const NotReady = Readiness.annotate({ httpApiStatus: 503, identifier: "NotReady" })

export class HealthGroup extends HttpApiGroup.make("health")
  .annotate(OpenApi.Description, "Liveness and readiness, for probes.")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", {
      success: Schema.String.pipe(HttpApiSchema.asText())
    })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(OpenApi.annotations({ summary: "Liveness", description: "Returns `ok` while the process runs." })),
    HttpApiEndpoint.get("readyz", "/readyz", { success: Readiness, error: NotReady })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Readiness",
          description:
            "The server is ready once the stores answer and every cluster has synced, refused the server or failed to answer. After ten minutes it is ready even if clusters are still syncing. Every caller gets `status`. Only an Admin key without a scope also gets `checks` and `details`. An invalid key is treated as no key."
        })
      )
  ) {}
