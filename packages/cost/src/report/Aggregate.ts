/**
 * Costs by group: what they may be grouped by, and how the groups are told.
 *
 * Imports nothing of Node: the contract of the service is made of these schemas.
 */
import { LabelKey } from "@quarterdeck/targeting/NamespaceFilter"
import { historyBodyFields } from "@quarterdeck/targeting/TargetRequest"
import { Schema } from "effect"
import { filterFields } from "./CostQuery.ts"
import { CostTotals, reportFields, SeenHours, Timestamp } from "./CostRow.ts"

/** How many things a report is grouped by at most. */
export const MAX_DIMENSIONS = 8

const FIELDS = ["cluster", "namespace", "kind", "workload"] as const
const LABEL = "label:"
const isLabelKey = Schema.is(LabelKey)

/** What a group is made by. **Shape** `workload` is the name alone: beside it, name what tells equal names apart. */
export type Dimension =
  | { readonly _tag: "Field"; readonly field: (typeof FIELDS)[number] }
  | { readonly _tag: "Label"; readonly key: string }

/** Reads a dimension. **Shape** `undefined` for a text that is none. */
export const dimensionOf = (text: string): Dimension | undefined => {
  const field = FIELDS.find((one) => one === text)
  if (field !== undefined) return { _tag: "Field", field }
  const key = text.startsWith(LABEL) ? text.slice(LABEL.length) : ""
  return isLabelKey(key) ? { _tag: "Label", key } : undefined
}

/** What documents of the interface say: a prefix of a label key is told more exactly by a look-ahead, which not all read. */
const DIMENSION =
  "^(?:cluster|namespace|kind|workload|label:(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$"

/** A dimension as it is asked for. **Shape** `cluster`, `namespace`, `kind`, `workload` or `label:<key>`. */
export const GroupKey = Schema.String.check(
  Schema.makeFilter(
    (text) => dimensionOf(text) !== undefined || "must be cluster, namespace, kind, workload or label:<key>",
    { toJsonSchema: () => ({ pattern: DIMENSION }) }
  )
)

/** None makes one group of everything. */
export const GroupBy = Schema.Array(GroupKey).check(
  Schema.isMaxLength(MAX_DIMENSIONS, { expected: `at most ${MAX_DIMENSIONS}` }),
  Schema.makeFilter(
    (keys) => {
      const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index)
      return repeated < 0 || { path: [repeated], issue: "is named before" }
    },
    { toJsonSchema: () => ({ uniqueItems: true }) }
  )
)

/** How a window is cut. **Shape** in UTC; weeks begin on Monday. The first and the last step may be shorter. */
export const StepSize = Schema.Literals(["hour", "day", "week"])
export type StepSize = typeof StepSize.Type

/**
 * What becomes of costs that no workload has.
 *
 * **Shape** `hide`, the default: workloads alone. `show`: rows beside them for what nodes have idle, for storage that no
 * pod mounts, for load balancers without pods and for the control plane, so that a cluster comes to its bill. `share`: what is idle is spread over the
 * cluster's workloads, each resource by its cost; the other two stay rows.
 */
export const Idle = Schema.Literals(["hide", "show", "share"])
export type Idle = typeof Idle.Type

/** The body that asks for groups. */
export const AggregateBody = Schema.Struct({
  groupBy: GroupBy.annotateKey({ description: "What groups are made by; none makes one group of everything." }),
  stepSize: Schema.optionalKey(StepSize).annotateKey({
    description: "Cuts the window into steps, in UTC, at most 744; weeks begin on Monday."
  }),
  idle: Schema.optionalKey(Idle).annotateKey({
    description: "Whether costs that no workload has are left out, told beside them, or shared among them.",
    default: "hide"
  }),
  ...filterFields,
  ...historyBodyFields
}).annotate({ identifier: "AggregatedCostsQuery" })
export type AggregateBody = typeof AggregateBody.Type

const Is = Schema.optionalKey(Schema.Literal(true))

/**
 * One group.
 *
 * **Shape** `group` has what the group was made by, under the names that were asked for; a field is absent where its
 * costs have none: a label that is not set, the namespace of idle nodes. `idle`, `unmounted` and `management` mark costs
 * that no workload has: those of nodes, those of volumes and load balancers that no pod uses, by their parts
 * (`storageCost`, `loadBalancerCost`), and the control plane's.
 */
export const AggregateRow = Schema.Struct({
  group: Schema.Record(Schema.String, Schema.String),
  idle: Is.annotateKey({ description: "What nodes have beyond what is allocated on them." }),
  unmounted: Is.annotateKey({
    description: "Volumes (`storageCost`) and load balancers (`loadBalancerCost`) that no pod uses."
  }),
  management: Is.annotateKey({ description: "The fee of the control plane." }),
  ...CostTotals.fields
}).annotate({ identifier: "AggregatedCostRow" })
export type AggregateRow = typeof AggregateRow.Type

/**
 * One step of a window.
 *
 * **Shape** `clusters` tells of each addressed cluster, in the order of the target, for how much of the step it was seen: a
 * step with a gap is cheaper by what is not known. `rows` are those of the page's groups that had anything in it.
 */
export const Bucket = Schema.Struct({
  start: Timestamp,
  end: Timestamp,
  clusters: Schema.Array(SeenHours),
  rows: Schema.Array(AggregateRow)
}).annotate({ identifier: "CostBucket" })
export type Bucket = typeof Bucket.Type

const pageFields = {
  totals: CostTotals.annotateKey({
    description:
      "Of all groups and steps. `savingsAvailable` is that of the whole window, which may be less than the steps' together: what a step lacks of the recommendation lessens the whole, and no other step. With `idle: share` beside `stepSize` it is their sum."
  }),
  ...reportFields,
  nextCursor: Schema.optionalKey(Schema.String)
}

/**
 * A page of groups, the most expensive of the whole window first: as rows, or cut into steps.
 *
 * **Shape** `totals` are those of all groups and steps.
 */
export const AggregatedCosts = Schema.Union([
  Schema.Struct({ rows: Schema.Array(AggregateRow), ...pageFields }),
  Schema.Struct({ buckets: Schema.Array(Bucket), ...pageFields })
]).annotate({ identifier: "AggregatedCosts" })
export type AggregatedCosts = typeof AggregatedCosts.Type
