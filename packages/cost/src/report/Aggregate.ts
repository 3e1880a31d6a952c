/**
 * The query and the reply of the cost report by group.
 *
 * Imports nothing of Node, because the service's contract uses these schemas.
 */
import { LabelKey } from "@quarterdeck/targeting/NamespaceFilter"
import { historyBodyFields } from "@quarterdeck/targeting/TargetRequest"
import { Schema } from "effect"
import { compareFields, filterFields } from "./CostQuery.ts"
import { comparedFields, CostTotals, previousFields, reportFields, SeenHours, Timestamp } from "./CostRow.ts"

/** Maximum number of keys in `groupBy`. */
export const MAX_DIMENSIONS = 8

const FIELDS = ["cluster", "namespace", "kind", "workload"] as const
const LABEL = "label:"
const isLabelKey = Schema.is(LabelKey)

/** One key of `groupBy`. **Shape** `workload` is the name alone, so equal names of two namespaces share a group. */
export type Dimension =
  | { readonly _tag: "Field"; readonly field: (typeof FIELDS)[number] }
  | { readonly _tag: "Label"; readonly key: string }

/** Parses a dimension. **Shape** `undefined` for invalid text. */
export const dimensionOf = (text: string): Dimension | undefined => {
  const field = FIELDS.find((name) => name === text)
  if (field !== undefined) return { _tag: "Field", field }
  const key = text.startsWith(LABEL) ? text.slice(LABEL.length) : ""
  return isLabelKey(key) ? { _tag: "Label", key } : undefined
}

/**
 * Pattern for the generated API document. It accepts some label prefixes that {@link dimensionOf} rejects, because an exact
 * pattern needs a look-ahead.
 */
const DIMENSION =
  "^(?:cluster|namespace|kind|workload|label:(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$"

/** A dimension as text. **Shape** `cluster`, `namespace`, `kind`, `workload` or `label:<key>`. */
export const GroupKey = Schema.String.check(
  Schema.makeFilter(
    (text) => dimensionOf(text) !== undefined || "must be cluster, namespace, kind, workload or label:<key>",
    { toJsonSchema: () => ({ pattern: DIMENSION }) }
  )
)

/** The keys to group by. An empty list puts all costs into one group. */
export const GroupBy = Schema.Array(GroupKey).check(
  Schema.isMaxLength(MAX_DIMENSIONS, { expected: `at most ${MAX_DIMENSIONS}` }),
  Schema.makeFilter(
    (keys) => {
      const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index)
      return repeated < 0 || { path: [repeated], issue: "is repeated" }
    },
    { toJsonSchema: () => ({ uniqueItems: true }) }
  )
)

/**
 * Length of a step.
 *
 * **Shape** hours start at full hours, days at midnight and weeks on Monday at midnight, in UTC. The first and the last step
 * may be shorter.
 */
export const StepSize = Schema.Literals(["hour", "day", "week"])
export type StepSize = typeof StepSize.Type

/**
 * Treatment of costs that belong to no workload.
 *
 * **Shape** `hide`, the default, reports workloads only. `show` adds rows for idle nodes, for volumes and load balancers
 * that no pod uses, and for the control plane. `share` spreads the idle costs of CPU, memory and GPU over the cluster's
 * workloads, in proportion to their costs of the same resource. It keeps the rows of `show` that are not idle costs.
 */
export const Idle = Schema.Literals(["hide", "show", "share"])
export type Idle = typeof Idle.Type

/** The request body of the report by group. */
export const AggregateBody = Schema.Struct({
  groupBy: GroupBy.annotateKey({ description: "Keys to group by. An empty list makes one group of everything." }),
  stepSize: Schema.optionalKey(StepSize).annotateKey({
    description: "Splits the window into steps, at most 744. Steps start on UTC boundaries, weeks on Monday."
  }),
  idle: Schema.optionalKey(Idle).annotateKey({
    description:
      "Hides costs that belong to no workload, shows them as rows of their own, or shares idle among workloads.",
    default: "hide"
  }),
  ...filterFields,
  ...compareFields,
  ...historyBodyFields
}).annotate({ identifier: "AggregatedCostsQuery" })
export type AggregateBody = typeof AggregateBody.Type

const Is = Schema.optionalKey(Schema.Literal(true))

/**
 * One group.
 *
 * **Shape** `group` holds the value of each key in `groupBy`. A key is absent where the costs have no value for it, such as a
 * label that is not set. `idle`, `unmounted` and `management` mark costs that belong to no workload. With `compare`, a group that
 * only the previous window has is a row too, with figures of 0.
 */
export const AggregateRow = Schema.Struct({
  group: Schema.Record(Schema.String, Schema.String),
  idle: Is.annotateKey({ description: "Node capacity that no pod was allocated." }),
  unmounted: Is.annotateKey({
    description: "Volumes (`storageCost`) and load balancers (`loadBalancerCost`) that no pod uses."
  }),
  management: Is.annotateKey({ description: "Fee for the control plane." }),
  ...CostTotals.fields,
  ...previousFields
}).annotate({ identifier: "AggregatedCostRow" })
export type AggregateRow = typeof AggregateRow.Type

/**
 * One step of a window.
 *
 * **Shape** `clusters` states for how much of the step each target cluster was observed. Costs of unobserved time are unknown
 * and not in `rows`. `rows` holds the groups of the page that have any cost or quantity in the step.
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
      "Totals over all groups and steps. `savingsAvailable` is computed over the whole window and can be less than the sum over its steps: requests below the recommendation in one step offset savings of another. With `idle: share` and `stepSize` it is that sum."
  }),
  ...comparedFields,
  ...reportFields,
  nextCursor: Schema.optionalKey(Schema.String)
}

/**
 * A page of groups, most expensive in the window first. `totals` cover all pages.
 *
 * **Shape** `rows` without a step size; `buckets`, one per step, with a step size.
 */
export const AggregatedCosts = Schema.Union([
  Schema.Struct({ rows: Schema.Array(AggregateRow), ...pageFields }),
  Schema.Struct({ buckets: Schema.Array(Bucket), ...pageFields })
]).annotate({ identifier: "AggregatedCosts" })
export type AggregatedCosts = typeof AggregatedCosts.Type
