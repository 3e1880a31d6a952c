/**
 * Rows, totals and coverage of cost reports.
 *
 * Imports nothing of Node, because the service's contract uses these schemas.
 */
import { Coverage, Status } from "@quarterdeck/cluster-fanout/Coverage"
import { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Schema } from "effect"
import { Recommendation } from "../savings/Recommendation.ts"

const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const NonNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Known = NonNegative.annotate({ description: "Counts only the time in which usage was known." })
const Efficiency = Schema.NullOr(NonNegative).annotate({
  description: "Usage divided by request, over the time in which usage was known. Null if usage was never known."
})

/** The cost by resource. **Units** the price book's currency. The six parts sum to `totalCost`. */
export const costFields = {
  totalCost: Schema.Finite,
  cpuCost: Schema.Finite,
  memoryCost: Schema.Finite,
  gpuCost: Schema.Finite,
  storageCost: Schema.Finite,
  networkCost: Schema.Finite,
  loadBalancerCost: Schema.Finite
}

/**
 * Sums over rows, and figures derived from the sums.
 *
 * **Units** `cpuCoreHours` and `memoryByteHours` are allocated quantities. `replicaHours`, `spotHours` and `onDemandHours`
 * count replicas.
 *
 * Requested and used quantities cover only the time in which a container's usage was known, so that they are comparable. An
 * efficiency above 1 means that more was used than requested.
 */
const sumFields = {
  replicaHours: NonNegative,
  spotHours: NonNegative,
  onDemandHours: NonNegative,
  spotPercent: Percent,
  onDemandPercent: Percent,
  cpuCoreHours: Schema.Finite,
  memoryByteHours: Schema.Finite,
  cpuRequestedCoreHours: Known,
  cpuUsedCoreHours: Known,
  memoryRequestedByteHours: Known,
  memoryUsedByteHours: Known,
  cpuEfficiency: Efficiency,
  memoryEfficiency: Efficiency,
  efficiency: Schema.NullOr(NonNegative).annotate({
    description: "Mean of both efficiencies, weighted by CPU and memory cost. Null if usage was never known."
  }),
  savingsAvailable: NonNegative.annotate({
    description:
      "What the window would have cost less if each replica had requested the recommended amount. For CPU and memory: max(0, requested hours - recommended x replica hours) x the resource's mean price in the window. Usage above the request saves nothing. The savings of a window may be less than the sum over its parts."
  }),
  costIncrease: NonNegative.annotate({
    description:
      "Upper bound of what the window would have cost more with the recommended requests. For CPU and memory: max(0, recommended x replica hours - requested hours) x the resource's mean price in the window. Usage above the request is already paid, so the bill rises by less."
  })
}
const hourFields = { hoursExisted: NonNegative, hoursCovered: NonNegative }

/** Sums over rows. **Shape** only idle costs can be negative, which means that more was allocated than the nodes had. */
export const CostTotals = Schema.Struct({ ...costFields, ...sumFields, ...hourFields }).annotate({
  identifier: "CostTotals"
})
export type CostTotals = typeof CostTotals.Type

/** The figures of the previous window, in reports with `compare`. */
export const previousFields = {
  previous: Schema.optionalKey(Schema.NullOr(CostTotals)).annotateKey({
    description:
      "Only with `compare`: the row's figures in the previous window. All 0 if the row had no costs then. Null if a cluster of the row was observed for a time that differs by more than 5 %."
  })
}

/** Sums over all workloads, computed with one price book. */
export const PricedTotals = Schema.Struct({
  ...CostTotals.fields,
  idleCost: Schema.Finite.annotate({
    description:
      "Costs that belong to no workload, and so are not in `totalCost`: idle nodes, control planes, unmounted volumes, unused load balancers."
  })
}).annotate({ identifier: "PricedTotals" })
export type PricedTotals = typeof PricedTotals.Type

/**
 * The effect of a price book that is not saved yet.
 *
 * **Shape** totals of the last seven days over all clusters, computed with the present book (`before`) and the new one
 * (`after`). Each book applies to the whole time, each override from its `validFrom` on.
 */
export const PriceEffect = Schema.Struct({ before: PricedTotals, after: PricedTotals }).annotate({
  identifier: "PriceEffect"
})
export type PriceEffect = typeof PriceEffect.Type

/**
 * The cost of one workload in a window.
 *
 * **Shape** one row per cluster, namespace, kind and name, even if the object was deleted and created again. `id` is those four
 * joined by `/`. `hourlyCost` is the mean over the hours the workload existed. `recommendationDays` is 0 if nothing is
 * recommended. With `compare`, a workload that only the previous window has is a row too, with figures of 0.
 */
export const CostRow = Schema.Struct({
  id: Schema.String,
  cluster: HistoryName,
  namespace: Schema.String,
  workloadName: Schema.String,
  workloadType: Schema.String,
  ...costFields,
  hourlyCost: Schema.Finite,
  ...sumFields,
  ...Recommendation.fields,
  ...hourFields,
  ...previousFields
}).annotate({ identifier: "CostRow" })
export type CostRow = typeof CostRow.Type

/**
 * A row with the quantities that bills need.
 *
 * **Units** hours and bytes. `egressBytes` is the traffic that left the zone, the region or the cloud.
 */
export interface BilledRow extends CostRow {
  readonly gpuHours: number
  readonly storageByteHours: number
  readonly egressBytes: number
  readonly loadBalancerHours: number
}

const seenFields = { hoursCovered: NonNegative, hoursInWindow: NonNegative }

/**
 * Number of hours in a window, and the number of them in which a cluster was observed.
 *
 * **Units** `hoursInWindow` is the window's length up to now. Costs of unobserved hours are unknown and not in any figure.
 */
export const SeenHours = Schema.Struct({ name: HistoryName, ...seenFields }).annotate({ identifier: "SeenHours" })
export type SeenHours = typeof SeenHours.Type

/** Status of a cluster in the fan-out, or `retired` for a cluster that was removed and whose costs are stored. */
export const CostStatus = Schema.Literals([...Status.literals, "retired"])
export type CostStatus = typeof CostStatus.Type

/**
 * The coverage of one cluster in a report.
 *
 * **Shape** `status` is the cluster's present state; stored costs are reported for every status. `retired`: no registered
 * cluster has this name any more, and the stored costs end `ageMs` before now. A retired cluster counts as one that answered.
 */
export const CostCoverage = Schema.Struct({
  ...Coverage.fields,
  name: HistoryName,
  status: CostStatus,
  ...seenFields
}).annotate({
  identifier: "CostCoverage"
})
export type CostCoverage = typeof CostCoverage.Type

/** An instant in a report. **Shape** RFC 3339 in UTC. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

/** The window of a report. **Shape** RFC 3339 in UTC, half-open. It ends now if its last hour is still open. */
export const ReportWindow = Schema.Struct({ start: Timestamp, end: Timestamp }).annotate({
  identifier: "ReportWindow"
})
export type ReportWindow = typeof ReportWindow.Type

/** The observed time of a cluster in the previous window. */
export const ComparedHours = Schema.Struct({
  ...SeenHours.fields,
  comparable: Schema.Boolean.annotateKey({
    description: "True if the observed times of both windows differ by at most 5 % of the longer one."
  })
}).annotate({ identifier: "ComparedHours" })
export type ComparedHours = typeof ComparedHours.Type

/**
 * The previous window of a report with `compare`.
 *
 * **Shape** the hours right before the window, as many as the window has. `clusters` are those of the report. `totals` is null
 * if one of them is not comparable, or none of them was observed.
 */
export const PreviousCosts = Schema.Struct({
  window: ReportWindow,
  totals: Schema.NullOr(CostTotals).annotateKey({
    description:
      "Totals over all pages of the previous window. Null if a cluster is not comparable, or no cluster was observed."
  }),
  clusters: Schema.Array(ComparedHours)
}).annotate({ identifier: "PreviousCosts" })
export type PreviousCosts = typeof PreviousCosts.Type

/**
 * The fields that every report carries beside its rows.
 *
 * `clusters` is in the order of the target. `partial` is true if one of these holds for any registered cluster:
 * - its status is not `ok`, and its stored costs do not cover the whole window;
 * - its `missingKinds` are not empty;
 * - the key's scope selects namespaces by label, and the cluster does not answer.
 *
 * A gap in the history of a cluster with status `ok` shows in `hoursCovered` only.
 */
export const reportFields = {
  window: ReportWindow,
  currency: Schema.String,
  clusters: Schema.Array(CostCoverage),
  partial: Schema.Boolean
}

/** The field of a report with `compare`. */
export const comparedFields = {
  previous: Schema.optionalKey(PreviousCosts).annotateKey({
    description: "Only with `compare`: the window before, and its totals."
  })
}

/** A page of workloads, most expensive first. **Shape** `totals` cover all pages; the last page has no `nextCursor`. */
export const WorkloadCosts = Schema.Struct({
  aggregatedWorkloads: Schema.Array(CostRow),
  totals: CostTotals,
  ...comparedFields,
  ...reportFields,
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WorkloadCosts" })
export type WorkloadCosts = typeof WorkloadCosts.Type
