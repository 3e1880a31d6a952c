/**
 * Which rows of a list are selected.
 */

/**
 * The ids of the selected rows, shown or not.
 *
 * **Shape** `anchor` is the row that was last chosen by itself, where a range begins.
 */
export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const NONE: Selection = { ids: new Set(), anchor: undefined }

/** Gives the ids from one row to another, both included, in the order of the list. **Shape** of a row that is not there: the other. */
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
  /** Whether all rows from the last choice on are meant. */
  readonly isRange: boolean
}

/** Chooses a row, or takes it out; of a range each row becomes what that row becomes. */
export const toggled = (
  { anchor, ids }: Selection,
  order: ReadonlyArray<string>,
  { id, isRange }: Choice
): Selection => ({
  ids: changed(ids, isRange ? between(order, anchor, id) : [id], !ids.has(id)),
  anchor: id
})

/** Chooses each row that is shown, or takes it out. */
export const allOf = ({ ids }: Selection, order: ReadonlyArray<string>, isChosen: boolean): Selection => ({
  ids: changed(ids, order, isChosen),
  anchor: undefined
})
