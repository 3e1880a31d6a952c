/**
 * Whether the process lives and whether it is ready, for probes.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"

/**
 * What readiness is made of.
 *
 * **Shape** no cluster is named. `audit` `full`: changes are refused, but keys can be revoked, so the service stays ready.
 */
const ReadinessChecks = Schema.Struct({
  keyStore: Schema.Literals(["ok", "unavailable"]),
  costStore: Schema.Literals(["ok", "unavailable"]),
  audit: Schema.Literals(["ok", "full", "unavailable"]),
  configuredKeys: Schema.Literals(["ok", "stale"]),
  clusters: Schema.Struct({ registered: Schema.Natural, synced: Schema.Natural, waiting: Schema.Natural })
})

/**
 * What an operator may have to mend; nothing of it makes the service unready.
 *
 * **Shape** `sources` are entries of kubeconfig files that were refused, or taken with a warning; `identityProvider` is there
 * where people sign in at one, with the problem of one that does not answer; `costs` tells of each
 * cluster where its usage comes from and what fails now; `backfill` of each whose source remembers a past, how much of it is
 * open. `unchargedDevices` is there where nodes have accelerators, or pods have ResourceClaims, that no cost counts. `audit` has the bytes that denials and other events take, and how many each may take.
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

/** Whether the service is ready; the route is public, `checks` and `details` are for an Admin without scope alone. */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "starting", "unavailable"]),
  checks: Schema.optionalKey(ReadinessChecks),
  details: Schema.optionalKey(ReadinessDetails)
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

export const NotReady = Readiness.annotate({ httpApiStatus: 503, identifier: "NotReady" })

export class HealthGroup extends HttpApiGroup.make("health")
  .annotate(OpenApi.Description, "Whether the process lives and whether it is ready, for probes.")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", {
      success: Schema.String.pipe(HttpApiSchema.asText())
    })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({ summary: "Liveness", description: "Answers `ok` while the process lives." })
      ),
    HttpApiEndpoint.get("readyz", "/readyz", { success: Readiness, error: NotReady })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Readiness",
          description:
            "Ready once the stores answer and every cluster has synced, has refused the service or does not answer; after ten minutes, whatever clusters are missing. Everybody is told the verdict, an Admin key without scope the `checks` and the `details` too; a key that is refused counts as none."
        })
      )
  ) {}
