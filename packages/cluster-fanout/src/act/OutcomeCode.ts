/**
 * Codes of changes that were refused, failed or have an unknown outcome.
 */
import { Schema } from "effect"

export const OutcomeCode = Schema.Literals([
  "action_unsupported",
  "namespace_forbidden",
  "workload_not_found",
  "workload_changed",
  "cluster_forbids",
  "cluster_unreachable",
  "cluster_throttled",
  "cluster_timeout",
  "outcome_unknown"
])
export type OutcomeCode = typeof OutcomeCode.Type
