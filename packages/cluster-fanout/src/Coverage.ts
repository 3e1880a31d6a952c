/**
 * How one cluster's part of an answer was obtained.
 *
 * @since 0.1.0
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/** **Shape** `ok` and `stale` answered; every other status is a cluster whose rows are missing. */
export const Status = Schema.Literals([
  "ok",
  "stale",
  "timeout",
  "unreachable",
  "unauthorized",
  "forbidden",
  "throttled",
  "unsupported",
  "error"
])
export type Status = typeof Status.Type

export const Consistency = Schema.Literals(["cache", "live"])
export type Consistency = typeof Consistency.Type

export const Problem = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Natural)
})
export type Problem = typeof Problem.Type

/** **Units** ages and latencies in milliseconds; `count` is the rows that match in this cluster, before paging. */
export const Coverage = Schema.Struct({
  name: ClusterName,
  status: Status,
  source: Consistency,
  count: Schema.Natural,
  ageMs: Schema.Natural,
  latencyMs: Schema.Natural,
  /** Kinds that the service's credential may not read there, or that have not synced yet. */
  missingKinds: Schema.optionalKey(Schema.Array(Schema.String)),
  error: Schema.optionalKey(Problem)
}).annotate({ identifier: "Coverage" })
export type Coverage = typeof Coverage.Type

/** Tells whether a cluster's rows are in the answer. */
export const answered = (coverage: Coverage): boolean => coverage.status === "ok" || coverage.status === "stale"

/** Tells whether some addressed cluster's rows are missing from an answer, wholly or for a kind. */
export const isPartial = (coverages: ReadonlyArray<Coverage>): boolean =>
  coverages.some((coverage) => !answered(coverage) || (coverage.missingKinds?.length ?? 0) > 0)
