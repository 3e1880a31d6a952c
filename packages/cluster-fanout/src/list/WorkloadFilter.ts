/**
 * What a list of workloads is narrowed to.
 */
import type { WorkloadRow } from "../projection/Row.ts"
import * as RowFilter from "./RowFilter.ts"
import type { Wanted } from "./RowPick.ts"

/** Selects workloads; several kinds mean any of them. */
export interface WorkloadFilter extends RowFilter.RowFilter {
  readonly kind?: ReadonlyArray<string>
}

/** Spells a filter in one way, whatever the order in which it was written. */
export const canonical = ({ kind, ...filter }: WorkloadFilter) => {
  const { labels, name, namespace } = RowFilter.canonical(filter)
  return [namespace, kind?.toSorted() ?? null, labels, name]
}

/** Joins a filter with a scope. **Shape** `isInScope` absent means every namespace. */
export const wanted = (
  { kind, ...filter }: WorkloadFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<WorkloadRow> => ({
  ...RowFilter.wanted<WorkloadRow>(filter, isInScope),
  groups: kind === undefined ? undefined : new Set(kind)
})
