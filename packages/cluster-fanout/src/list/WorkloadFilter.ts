/**
 * What a list of workloads is narrowed to.
 */
import * as LabelSelector from "./LabelSelector.ts"
import type { Wanted } from "./RowPick.ts"

/** **Shape** every given field must match; several values of one field mean any of them. `name` is a substring. */
export interface WorkloadFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly kind?: ReadonlyArray<string>
  readonly labelSelector?: LabelSelector.LabelSelector
  readonly name?: string
}

/** Spells a filter in one way, whatever the order in which it was written. */
export const canonical = (filter: WorkloadFilter) => [
  filter.namespace?.toSorted() ?? null,
  filter.kind?.toSorted() ?? null,
  LabelSelector.print(filter.labelSelector ?? LabelSelector.everything),
  filter.name ?? null
]

const isIn = (
  requirement: LabelSelector.Requirement
): requirement is Extract<LabelSelector.Requirement, { readonly operator: "In" | "NotIn" }> =>
  requirement.operator === "In"

/** Joins a filter with a scope. **Shape** `isInScope` absent means every namespace. */
export const wanted = (
  { kind, labelSelector, name, namespace }: WorkloadFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted => {
  const asked = namespace === undefined ? undefined : new Set(namespace)
  const selector = labelSelector === undefined || labelSelector.length === 0 ? undefined : labelSelector
  return {
    kinds: kind === undefined ? undefined : new Set(kind),
    reaches:
      asked === undefined ? isInScope : (each) => asked.has(each) && (isInScope === undefined || isInScope(each)),
    label: selector?.find(isIn),
    matches:
      name === undefined && selector === undefined
        ? undefined
        : (row) =>
            (name === undefined || row.name.includes(name))
            && (selector === undefined || LabelSelector.matches(selector, row.labels))
  }
}
