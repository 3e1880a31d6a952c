/**
 * Filters common to lists of namespaced rows.
 */
import type { Placed } from "../cache/RowSet.ts"
import * as LabelSelector from "./LabelSelector.ts"
import type { Wanted } from "./PageSelection.ts"

/** Selects rows. Every given field must match; several namespaces mean any of them. `name` is a substring. */
export interface RowFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly labelSelector?: LabelSelector.LabelSelector
  readonly name?: string
}

/** Returns a canonical form of the filter, independent of the order of its values. */
export const canonical = ({ labelSelector, name, namespace }: RowFilter) => ({
  namespace: namespace?.toSorted() ?? null,
  labels: LabelSelector.print(labelSelector ?? LabelSelector.everything),
  name: name ?? null
})

const isIn = (
  requirement: LabelSelector.Requirement
): requirement is Extract<LabelSelector.Requirement, { readonly operator: "In" | "NotIn" }> =>
  requirement.operator === "In"

/** Combines a filter with a key's scope. **Shape** without `isInScope`, every namespace matches. */
export const wanted = <Row extends Placed & { readonly name: string }>(
  { labelSelector, name, namespace }: RowFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<Row> => {
  const namespaces = namespace === undefined ? undefined : new Set(namespace)
  const selector = labelSelector === undefined || labelSelector.length === 0 ? undefined : labelSelector
  return {
    reaches:
      namespaces === undefined
        ? isInScope
        : (name) => namespaces.has(name) && (isInScope === undefined || isInScope(name)),
    label: selector?.find(isIn),
    matches:
      name === undefined && selector === undefined
        ? undefined
        : (row) =>
            (name === undefined || row.name.includes(name))
            && (selector === undefined || LabelSelector.matches(selector, row.labels))
  }
}
