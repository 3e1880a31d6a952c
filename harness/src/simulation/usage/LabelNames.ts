/**
 * Converts Kubernetes names to Prometheus names by the rules of kube-state-metrics.
 *
 * **Source** kubernetes/kube-state-metrics, `internal/store/utils.go`.
 */
import type { Labels } from "./Family.ts"

const INVALID = /[^a-zA-Z0-9_]/g
const INNER_CAPITAL = /([a-z0-9])([A-Z])/g

/** Converts `app.kubernetes.io/partOf` to `label_app_kubernetes_io_part_of`. */
const labelName = (key: string): string =>
  `label_${key.replace(INVALID, "_").replace(INNER_CAPITAL, "$1_$2").toLowerCase()}`

/**
 * Converts an object's labels, sorted by key.
 *
 * **Shape** keys that convert to the same name get the suffixes `_conflict1`, `_conflict2` and so on.
 */
export const fromLabels = (labels: Readonly<Record<string, string>>): Labels => {
  const sorted = Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1))
  const counts = new Map<string, number>()
  for (const [key] of sorted) counts.set(labelName(key), (counts.get(labelName(key)) ?? 0) + 1)
  const taken = new Map<string, number>()
  return sorted.map(([key, value]) => {
    const name = labelName(key)
    if (counts.get(name) === 1) return [name, value]
    const number = (taken.get(name) ?? 0) + 1
    taken.set(name, number)
    return [`${name}_conflict${number}`, value]
  })
}

/** Converts `nvidia.com/gpu` to `nvidia_com_gpu`. */
export const resource = (name: string): string => name.replace(INVALID, "_")

export const unitOf = (name: string): string => {
  if (name === "cpu") return "core"
  if (name === "memory" || name === "storage" || name === "ephemeral-storage" || name.startsWith("hugepages-"))
    return "byte"
  return "integer"
}
