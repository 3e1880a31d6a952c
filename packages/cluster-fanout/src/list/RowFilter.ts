/**
 * What every list of namespaced rows can be narrowed by.
 */
import type { Placed } from "../cache/RowSet.ts"
import * as LabelSelector from "./LabelSelector.ts"
import type { Wanted } from "./RowPick.ts"

/** Selects rows: every given field must match, and several namespaces mean any of them. `name` is a substring. */
export interface RowFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly labelSelector?: LabelSelector.LabelSelector
  readonly name?: string
}

/** Spells a filter in one way, whatever the order in which it was written. */
export const canonical = ({ labelSelector, name, namespace }: RowFilter) => ({
  namespace: namespace?.toSorted() ?? null,
  labels: LabelSelector.print(labelSelector ?? LabelSelector.everything),
  name: name ?? null
})

const isIn = (
  requirement: LabelSelector.Requirement
): requirement is Extract<LabelSelector.Requirement, { readonly operator: "In" | "NotIn" }> =>
  requirement.operator === "In"

/** Joins a filter with a scope. **Shape** `isInScope` absent means every namespace. */
export const wanted = <Row extends Placed & { readonly name: string }>(
  { labelSelector, name, namespace }: RowFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<Row> => {
  const asked = namespace === undefined ? undefined : new Set(namespace)
  const selector = labelSelector === undefined || labelSelector.length === 0 ? undefined : labelSelector
  return {
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
