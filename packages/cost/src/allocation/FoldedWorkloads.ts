/**
 * Charges bare pods and Jobs without an owner together, by the beginnings of their names.
 *
 * A scheduler that starts thousands of them a day would make a workload of each.
 */
import type { HourFacts } from "./HourFacts.ts"
import type { Series } from "../hour/Series.ts"

/** Kinds that are workloads only where nothing owns them. */
const FOLDED: ReadonlySet<string> = new Set(["Pod", "Job"])

/**
 * Gives the facts with one workload for all that begin alike in a namespace.
 *
 * **Shape** its name is the prefix and an asterisk, which no object of Kubernetes has in its name; it has no uid and no labels.
 * Of several prefixes the longest counts. The same facts where nothing begins with any.
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
    const prefix = FOLDED.has(kind) ? longestFirst.find((one) => name.startsWith(one)) : undefined
    if (prefix === undefined) return pod
    isChanged = true
    const key = `${namespace}/${kind}/${prefix}`
    const workload = folded.get(key) ?? { namespace, kind, name: `${prefix}*`, uid: "", labels: {} }
    folded.set(key, workload)
    return { ...pod, workload }
  })
  return isChanged ? { ...facts, pods } : facts
}
