/**
 * Filters a list of workloads.
 */
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
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

/** Combines a filter with a key's scope. **Shape** without `isInScope`, every namespace matches. */
export const wanted = (
  { kind, status, ...filter }: WorkloadFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<WorkloadRow> => {
  const narrowed = RowFilter.wanted<WorkloadRow>(filter, isInScope)
  const { matches } = narrowed
  const statuses = status === undefined ? undefined : new Set<WorkloadStatus>(status)
  return {
    ...narrowed,
    groups: kind === undefined ? undefined : new Set(kind),
    matches:
      statuses === undefined ? matches : (row) => statuses.has(row.status) && (matches === undefined || matches(row))
  }
}
