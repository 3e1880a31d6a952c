/**
 * Refuses contradicting counts in the status of a workload.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/apps/validation/validation.go`.
 */
import { type JsonObject, numberAt } from "../core/Json.ts"
import { type FieldError, invalidValue } from "../core/Status.ts"

/**
 * Limits of the counts in a kind's status.
 *
 * **Shape** `counts` must not be negative, `within` must not exceed `replicas`. Errors are reported in the order of
 * the two lists.
 */
interface Rule {
  readonly counts: ReadonlyArray<string>
  readonly within: ReadonlyArray<string>
}

const RULES = new Map<string, Rule>([
  [
    "Deployment",
    {
      counts: ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
      within: ["updatedReplicas", "readyReplicas", "availableReplicas"]
    }
  ],
  [
    "ReplicaSet",
    {
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      within: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]
    }
  ],
  [
    "StatefulSet",
    {
      counts: ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
      within: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"]
    }
  ]
])

/** Reports counts that are negative or larger than their total. */
export const errors = (kind: string, object: JsonObject): ReadonlyArray<FieldError> => {
  const rule = RULES.get(kind)
  if (rule === undefined) return []
  const count = (name: string) => numberAt(object, "status", name) ?? 0
  const error = (name: string, why: string) => invalidValue(`status.${name}`, count(name), why)
  return [
    ...rule.counts.filter((name) => count(name) < 0).map((name) => error(name, "must be at least 0")),
    ...rule.within
      .filter((name) => count(name) > count("replicas"))
      .map((name) => error(name, "must be at most status.replicas")),
    ...(count("availableReplicas") > count("readyReplicas")
      ? [error("availableReplicas", "must be at most status.readyReplicas")]
      : [])
  ]
}
