/**
 * Groups bare pods and ownerless Jobs by name prefix.
 *
 * Without this, a scheduler that starts thousands of pods a day would create a workload for each of them.
 */
import type { HourFacts } from "./HourFacts.ts"
import type { Series } from "../hour/Series.ts"

/** Kinds whose objects are workloads only if they have no owner. */
const FOLDED: ReadonlySet<string> = new Set(["Pod", "Job"])

/**
 * Replaces the workloads of a namespace that match a prefix by one workload per prefix.
 *
 * **Shape** the new workload is named by the prefix and `*`, which no Kubernetes name contains. It has no UID and no labels.
 * The longest matching prefix applies. Returns the same object if nothing matches.
 *
 * **Limits** linear in pods times prefixes.
 */
export const fold = (facts: HourFacts, prefixes: ReadonlyArray<string>): HourFacts => {
  if (prefixes.length === 0) return facts
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  const folded = new Map<string, Series>()
  let isChanged = false
  const pods = facts.pods.map((pod) => {
    const { kind, name, namespace } = pod.workload
    const prefix = FOLDED.has(kind) ? longestFirst.find((candidate) => name.startsWith(candidate)) : undefined
    if (prefix === undefined) return pod
    isChanged = true
    const key = `${namespace}/${kind}/${prefix}`
    const workload = folded.get(key) ?? { namespace, kind, name: `${prefix}*`, uid: "", labels: {} }
    folded.set(key, workload)
    return { ...pod, workload }
  })
  return isChanged ? { ...facts, pods } : facts
}
