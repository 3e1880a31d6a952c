/**
 * Refuses the status of a workload whose counts contradict each other.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/apps/validation/validation.go`.
 */
import { type JsonObject, numberAt } from "../core/Json.ts"
import { type FieldError, invalidValue } from "../core/Status.ts"

/** **Shape** `counts` in the order in which they may not be negative, `within` in the order in which they may not exceed all. */
interface Rule {
  readonly counts: ReadonlyArray<string>
  readonly within: ReadonlyArray<string>
  /** What the available ones may not exceed, as it is called there. */
  readonly ready: string
}

const RULES = new Map<string, Rule>([
  [
    "Deployment",
    {
      counts: ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
      within: ["updatedReplicas", "readyReplicas", "availableReplicas"],
      ready: "readyReplicas"
    }
  ],
  [
    "ReplicaSet",
    {
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      within: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      ready: "readyReplicas"
    }
  ],
  [
    "StatefulSet",
    {
      counts: ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
      within: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
      ready: "status.readyReplicas"
    }
  ]
])

/** Finds counts that are negative, or larger than what they are a part of. */
export const errors = (kind: string, object: JsonObject): ReadonlyArray<FieldError> => {
  const rule = RULES.get(kind)
  if (rule === undefined) return []
  const count = (name: string) => numberAt(object, "status", name) ?? 0
  const error = (name: string, why: string) => invalidValue(`status.${name}`, count(name), why)
  return [
    ...rule.counts.filter((name) => count(name) < 0).map((name) => error(name, "must be greater than or equal to 0")),
    ...rule.within
      .filter((name) => count(name) > count("replicas"))
      .map((name) => error(name, "cannot be greater than status.replicas")),
    ...(count("availableReplicas") > count("readyReplicas")
      ? [error("availableReplicas", `cannot be greater than ${rule.ready}`)]
      : [])
  ]
}
