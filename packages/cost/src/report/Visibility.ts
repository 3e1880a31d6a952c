/**
 * Decides which series of an allocation set a report shows: those within the key's scope that match the filter.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { CostFilter } from "./CostQuery.ts"
import type * as LabelFilter from "./LabelFilter.ts"
import { isWorkload, type Series, UNMOUNTED } from "../hour/Series.ts"

/**
 * The key's scope. **Shape** `labels` returns a namespace's labels, or undefined if the cluster does not show that they
 * are current. Without them no label matches.
 */
export interface Reach {
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly labels: (cluster: HistoryName, namespace: string) => NamespaceFilter.ProvenLabels
}

/** Returns a test for namespaces within the scope. **Limits** caches the result per namespace. */
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
 * Returns a test for visible series.
 *
 * Costs that belong to no workload are visible only if the key has no namespace scope and the query does not filter by kind or
 * label. If the query filters by namespace, only unmounted storage and unused load balancers of those namespaces are visible.
 */
export const deciding = (
  reach: Reach,
  { namespaces, workloadTypes }: Pick<CostFilter, "namespaces" | "workloadTypes">,
  hasLabels?: LabelFilter.Matches
): ((cluster: HistoryName, series: Series) => boolean) => {
  const isReached = reaching(reach)
  const isUnscoped = reach.namespaces._tag === "All"
  const requested = namespaces === undefined ? undefined : new Set(namespaces)
  const kinds = workloadTypes === undefined ? undefined : new Set(workloadTypes)
  return (cluster, series) => {
    const { kind, namespace } = series
    if (!isWorkload(series)) {
      if (!isUnscoped || kinds !== undefined || hasLabels !== undefined) return false
      return requested === undefined || (kind === UNMOUNTED && requested.has(namespace))
    }
    return (
      (kinds === undefined || kinds.has(kind))
      && (requested === undefined || requested.has(namespace))
      && (hasLabels === undefined || hasLabels(series))
      && isReached(cluster, namespace)
    )
  }
}
