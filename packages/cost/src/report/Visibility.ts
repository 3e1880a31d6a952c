/**
 * Decides which places of an allocation set a report tells: those that the key reaches and the question asks for.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { CostFilter } from "./CostQuery.ts"
import type * as LabelFilter from "./LabelFilter.ts"
import { isWorkload, type Series, UNMOUNTED } from "../hour/Series.ts"

/** What a key reaches in a cluster. **Shape** `labels` proves a namespace's labels, as a cluster's reading does. */
export interface Reach {
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly labels: (cluster: HistoryName, namespace: string) => NamespaceFilter.ProvenLabels
}

/** Tells whether a namespace is within reach. **Limits** each is decided once. */
export const reaching = ({ labels, namespaces }: Reach): ((cluster: HistoryName, namespace: string) => boolean) => {
  if (namespaces._tag === "All") return () => true
  const decided = new Map<HistoryName, Map<string, boolean>>()
  return (cluster, namespace) => {
    const known = decided.get(cluster) ?? new Map<string, boolean>()
    decided.set(cluster, known)
    const before = known.get(namespace)
    if (before !== undefined) return before
    const isReached = NamespaceFilter.matches(namespaces, namespace, labels(cluster, namespace))
    known.set(namespace, isReached)
    return isReached
  }
}

/**
 * Makes the decision.
 *
 * Without a scope, costs that no workload has are told too, where nothing narrows the report; storage that no
 * pod mounts also where its namespace is one of those asked for.
 */
export const deciding = (
  reach: Reach,
  { namespaces, workloadTypes }: Pick<CostFilter, "namespaces" | "workloadTypes">,
  hasLabels?: LabelFilter.Matches
): ((cluster: HistoryName, series: Series) => boolean) => {
  const isReached = reaching(reach)
  const isUnscoped = reach.namespaces._tag === "All"
  const asked = namespaces === undefined ? undefined : new Set(namespaces)
  const kinds = workloadTypes === undefined ? undefined : new Set(workloadTypes)
  return (cluster, series) => {
    const { kind, namespace } = series
    if (!isWorkload(series)) {
      if (!isUnscoped || kinds !== undefined || hasLabels !== undefined) return false
      return asked === undefined || (kind === UNMOUNTED && asked.has(namespace))
    }
    return (
      (kinds === undefined || kinds.has(kind))
      && (asked === undefined || asked.has(namespace))
      && (hasLabels === undefined || hasLabels(series))
      && isReached(cluster, namespace)
    )
  }
}
