/**
 * Filters a list of workloads.
 */
import type { WorkloadRow } from "../projection/Row.ts"
import * as RowFilter from "./RowFilter.ts"
import type { Wanted } from "./PageSelection.ts"

/** Selects workloads. Several kinds mean any of them. */
export interface WorkloadFilter extends RowFilter.RowFilter {
  readonly kind?: ReadonlyArray<string>
}

/** Returns a canonical form of the filter, independent of the order of its values. */
export const canonical = ({ kind, ...filter }: WorkloadFilter) => {
  const { labels, name, namespace } = RowFilter.canonical(filter)
  return [namespace, kind?.toSorted() ?? null, labels, name]
}

/** Combines a filter with a key's scope. **Shape** without `isInScope`, every namespace matches. */
export const wanted = (
  { kind, ...filter }: WorkloadFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<WorkloadRow> => ({
  ...RowFilter.wanted<WorkloadRow>(filter, isInScope),
  groups: kind === undefined ? undefined : new Set(kind)
})
