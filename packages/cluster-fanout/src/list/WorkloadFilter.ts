/**
 * Filters a list of workloads.
 */
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
import * as WorkloadKeys from "../projection/WorkloadKeys.ts"
import type { Groups } from "../cache/RowCounts.ts"
import * as RowFilter from "./RowFilter.ts"
import type { Wanted } from "./PageSelection.ts"

/** Selects workloads. Several kinds, or several statuses, mean any of them. */
export interface WorkloadFilter extends RowFilter.RowFilter {
  readonly kind?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<WorkloadStatus>
}

/** Returns a canonical form of the filter, independent of the order of its values. */
export const canonical = ({ kind, status, ...filter }: WorkloadFilter) => {
  const { labels, name, namespace } = RowFilter.canonical(filter)
  return [namespace, kind?.toSorted() ?? null, labels, name, status?.toSorted() ?? null]
}

/** Returns the canonical form of the criteria other than kind and status. */
export const canonicalRest = (filter: WorkloadFilter) => {
  const { labels, name, namespace } = RowFilter.canonical(filter)
  return [namespace, labels, name]
}

/** Returns the groups of some kinds and statuses. **Shape** `undefined` if every group is selected. */
const groupsOf = ({ kind, status }: Pick<WorkloadFilter, "kind" | "status">): Groups | undefined => {
  if (kind === undefined && status === undefined) return undefined
  const kinds = kind === undefined ? undefined : new Set(kind)
  const statuses = status === undefined ? undefined : new Set<string>(status)
  return {
    has: (group) => {
      const parts = WorkloadKeys.partsOf(group)
      return (kinds === undefined || kinds.has(parts.kind)) && (statuses === undefined || statuses.has(parts.status))
    }
  }
}

/** Combines a filter with a key's scope. **Shape** without `isInScope`, every namespace matches. */
export const wanted = (
  { kind, status, ...filter }: WorkloadFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<WorkloadRow> => ({
  ...RowFilter.wanted<WorkloadRow>(filter, isInScope),
  groups: groupsOf({ ...(kind === undefined ? {} : { kind }), ...(status === undefined ? {} : { status }) })
})
