/**
 * What a workload cost, as a report tells it.
 *
 * Imports nothing of Node: the contract of the service is made of these schemas.
 */
import { Coverage, Status } from "@quarterdeck/cluster-fanout/Coverage"
import { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Schema } from "effect"
import { Recommendation } from "../savings/Recommendation.ts"

const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const NonNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Known = NonNegative.annotate({ description: "Of the time alone in which usage was known." })
const Efficiency = Schema.NullOr(NonNegative).annotate({
  description: "Used over requested, of the time in which usage was known; null where nothing is known."
})

/** The parts of a cost. **Units** the book's currency; the six sum to `totalCost`. */
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
 * What adds up over rows, and what follows from those sums.
 *
 * **Units** `cpuCoreHours` and `memoryByteHours` are what was allocated; hours count replicas where the name says so, and
 * otherwise workloads.
 *
 * What was requested and used is of the time alone in which the usage of the container was known, so that the two
 * can be compared. Efficiencies are the used part of one, and above it where more was used than requested; `efficiency` is
 * the mean of both, weighted by what CPU and memory cost. Null where nothing is known, never 0.
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
    description: "The mean of both efficiencies, weighted by what CPU and memory cost; null where nothing is known."
  }),
  savingsAvailable: NonNegative.annotate({
    description:
      "What the window would have cost less if each replica had requested what it is recommended: for CPU and memory max(0, requested hours - recommended x replica hours) x the window's mean price of that resource. Usage above the request saves nothing. The savings of a longer window may be less than those of its parts together."
  }),
  costIncrease: NonNegative.annotate({
    description:
      "What the window would have cost more at most, where the recommendation is above the request: for CPU and memory max(0, recommended x replica hours - requested hours) x the window's mean price of that resource. Usage above the request was paid for already, so the bill rises by less."
  })
}
const hourFields = { hoursExisted: NonNegative, hoursCovered: NonNegative }

/** The sums over some rows. **Shape** negative only with idle that is: more was allocated than there was. */
export const CostTotals = Schema.Struct({ ...costFields, ...sumFields, ...hourFields }).annotate({
  identifier: "CostTotals"
})
export type CostTotals = typeof CostTotals.Type

/** The sums over all workloads at the prices of one book. */
export const PricedTotals = Schema.Struct({
  ...CostTotals.fields,
  idleCost: Schema.Finite.annotate({
    description:
      "What belongs to no workload, and so is not in `totalCost`: idle machines, control planes, volumes that no pod mounts."
  })
}).annotate({ identifier: "PricedTotals" })
export type PricedTotals = typeof PricedTotals.Type

/**
 * What a price book would change, told before it is put.
 *
 * **Shape** the totals of the last seven days in all clusters, as if the present book (`before`) and the new one (`after`)
 * had counted all the time: each override from its `validFrom` on.
 */
export const PriceEffect = Schema.Struct({ before: PricedTotals, after: PricedTotals }).annotate({
  identifier: "PriceEffect"
})
export type PriceEffect = typeof PriceEffect.Type

/**
 * What one workload cost in a window.
 *
 * **Shape** one row for each cluster, namespace, kind and name, whatever was recreated under that name; `id` is those four
 * joined by `/`. `hourlyCost` is the mean over the hours it existed; `recommendationDays` of 0 tells that nothing is
 * recommended.
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
  ...hourFields
}).annotate({ identifier: "CostRow" })
export type CostRow = typeof CostRow.Type

/**
 * A row with the quantities of all parts of its cost, from which bills are written.
 *
 * **Units** hours and bytes; `egressBytes` is what left the zone, the region or the cloud.
 */
export interface BilledRow extends CostRow {
  readonly gpuHours: number
  readonly storageByteHours: number
  readonly egressBytes: number
  readonly loadBalancerHours: number
}

const seenFields = { hoursCovered: NonNegative, hoursInWindow: NonNegative }

/**
 * For how much of a time a cluster was seen.
 *
 * **Units** `hoursInWindow` is how long that time is, up to now, and `hoursCovered` for how much of it the cluster was
 * seen: what ran in the rest is in no figure.
 */
export const SeenHours = Schema.Struct({ name: HistoryName, ...seenFields }).annotate({ identifier: "SeenHours" })
export type SeenHours = typeof SeenHours.Type

/** How a cluster answered, or `retired` for one that left and whose costs are kept. */
export const CostStatus = Schema.Literals([...Status.literals, "retired"])
export type CostStatus = typeof CostStatus.Type

/**
 * How one cluster's part of a report was obtained.
 *
 * **Shape** `status` tells how the cluster is now; what is kept of it is reported whatever that is. `retired`: no
 * registered cluster has the name any more; its figures end `ageMs` ago, and count as an answer. **Units** hours as
 * {@link SeenHours} has them, of the whole window.
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

/** An instant of a report. **Shape** RFC 3339 in UTC. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

/** The window that a report covers. **Shape** RFC 3339 in UTC, half-open; it ends now where its last hour is open. */
export const ReportWindow = Schema.Struct({ start: Timestamp, end: Timestamp }).annotate({
  identifier: "ReportWindow"
})
export type ReportWindow = typeof ReportWindow.Type

/**
 * What every report carries beside its rows.
 *
 * Coverage keeps the order of the target. `partial`: a cluster does not answer, `stale` included, and some of the
 * window is not known of it, or its namespaces cannot be told apart, which a key's scope would need. What the service did
 * not see of a cluster that answers is told by `hoursCovered` alone.
 */
export const reportFields = {
  window: ReportWindow,
  currency: Schema.String,
  clusters: Schema.Array(CostCoverage),
  partial: Schema.Boolean
}

/**
 * A page of workloads, the most expensive first.
 *
 * **Shape** `totals` are those of all pages; `nextCursor` is absent on the last.
 */
export const WorkloadCosts = Schema.Struct({
  aggregatedWorkloads: Schema.Array(CostRow),
  totals: CostTotals,
  ...reportFields,
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WorkloadCosts" })
export type WorkloadCosts = typeof WorkloadCosts.Type
