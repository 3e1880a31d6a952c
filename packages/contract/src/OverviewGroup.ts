/**
 * One reply that shows the problems of one, several or all clusters.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { StatusCounts, WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { pageParameters } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

/** Rows of `attention`, reasons of `podReasons`, and days of `cost.perDay`. */
export const MAX_ATTENTION = 20
export const MAX_POD_REASONS = 20
export const COST_DAYS = 14

/** Number of addressed clusters by their coverage. **Shape** `failed`: did not answer. A stale cluster has answered. */
export const ClusterCounts = Schema.Struct({
  ok: Schema.Natural,
  stale: Schema.Natural,
  failed: Schema.Natural
}).annotate({ identifier: "ClusterCounts" })

/** Number of pods that need intervention for one reason. */
export const PodReason = Schema.Struct({ reason: Schema.String, count: Schema.Natural }).annotate({
  identifier: "PodReason"
})
export type PodReason = typeof PodReason.Type

/**
 * Costs of the last days.
 *
 * **Shape** days in UTC, oldest first; `perDay` ends with today. `last7d` are the seven days that end now, and
 * `previous7d` the seven before; null if none of these was observed, or if a cluster's observed hours of the two weeks
 * differ by more than 5 % of the larger number. `hoursCovered` is the number of observed hours of the day, on average over the
 * clusters. Costs that belong to no workload, such as idle nodes, are not included, as in the cost reports.
 */
export const OverviewCost = Schema.Struct({
  asOf: Schema.String.annotate({ format: "date-time" }),
  currency: Schema.String,
  today: Schema.Finite,
  last7d: Schema.Finite,
  previous7d: Schema.NullOr(Schema.Finite),
  perDay: Schema.Array(
    Schema.Struct({
      day: Schema.String.annotate({ format: "date" }),
      cost: Schema.Finite,
      hoursCovered: Schema.Finite
    })
  )
}).annotate({ identifier: "OverviewCost" })
export type OverviewCost = typeof OverviewCost.Type

/**
 * Keys that an Admin may see and that expire within 7 days, and denied requests of the last 24 hours.
 *
 * **Shape** only an Admin without a scope has `denials24h`. **Limits** counts the denials among the newest 200,000 events
 * of the audit.
 */
export const OverviewAccess = Schema.Struct({
  expiringKeys: Schema.Natural,
  denials24h: Schema.optionalKey(Schema.Natural)
}).annotate({ identifier: "OverviewAccess" })
export type OverviewAccess = typeof OverviewAccess.Type

/**
 * The state of the addressed clusters.
 *
 * **Shape** `attention` lists failed workloads, then degraded ones. A part that the key may not read is absent. So is a
 * part that could not be read; then the reply is partial.
 */
export const Overview = Schema.Struct({
  clusters: Schema.Array(Coverage),
  clusterCounts: ClusterCounts,
  statusCounts: StatusCounts,
  podReasons: Schema.Array(PodReason).annotateKey({
    description: `Pods that need intervention by their reason, most pods first, ${MAX_POD_REASONS} reasons at most.`
  }),
  attention: Schema.Array(WorkloadRow).annotateKey({
    description: `Failed workloads, then degraded ones: ${MAX_ATTENTION} at most, each with its reason.`
  }),
  cost: Schema.optionalKey(OverviewCost).annotateKey({ description: "At most 60 s old." }),
  access: Schema.optionalKey(OverviewAccess).annotateKey({ description: "Only for Admins. At most 60 s old." }),
  partial: Schema.Boolean
}).annotate({ identifier: "Overview" })
export type Overview = typeof Overview.Type

export class OverviewGroup extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("read", "/overview", {
      headers: targetHeader,
      query: { timeoutMs: pageParameters.timeoutMs },
      success: Overview,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "overview", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the overview",
          description:
            "Returns what needs attention in the addressed clusters: workloads by status, pods by reason, failed and degraded workloads with their reasons, costs of the last days and, for Admins, keys. Each part counts only what the key may see. The cluster header selects the clusters, as in lists."
        })
      )
  )
  .annotate(OpenApi.Description, "What needs attention in one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
