/**
 * The selected rows of a list.
 */

/**
 * Ids of the selected rows, whether shown or not.
 *
 * **Shape** `anchor` is the last row that was toggled. A range starts there.
 */
export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const NONE: Selection = { ids: new Set(), anchor: undefined }

/** Returns the ids between two rows, inclusive. **Shape** only `to` if either row is not in the list. */
const between = (order: ReadonlyArray<string>, from: string | undefined, to: string): ReadonlyArray<string> => {
  const [start, end] = [from === undefined ? -1 : order.indexOf(from), order.indexOf(to)]
  return start < 0 || end < 0 ? [to] : order.slice(Math.min(start, end), Math.max(start, end) + 1)
}

const changed = (ids: ReadonlySet<string>, some: ReadonlyArray<string>, isChosen: boolean): ReadonlySet<string> => {
  const next = new Set(ids)
  for (const id of some) {
    if (isChosen) next.add(id)
    else next.delete(id)
  }
  return next
}

interface Choice {
  readonly id: string
  /** True to toggle every row from the anchor to this one. */
  readonly isRange: boolean
}

/** Selects or deselects a row. All rows of a range get the new state of that row. */
export const toggled = (
  { anchor, ids }: Selection,
  order: ReadonlyArray<string>,
  { id, isRange }: Choice
): Selection => ({
  ids: changed(ids, isRange ? between(order, anchor, id) : [id], !ids.has(id)),
  anchor: id
})

/** Selects or deselects every shown row. */
export const allOf = ({ ids }: Selection, order: ReadonlyArray<string>, isChosen: boolean): Selection => ({
  ids: changed(ids, order, isChosen),
  anchor: undefined
})
