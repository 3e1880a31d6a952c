/**
 * Number of rows in each namespace and group of a cluster, updated with each change.
 */

/** The counted field of a row. */
interface Counted {
  readonly namespace: string
}

/** Number of rows by group. */
export type Tally = ReadonlyMap<string, number>

/** Selects groups. */
export interface Groups {
  readonly has: (group: string) => boolean
}

/** Sums the counts of some groups. **Shape** without `groups`, sums all. */
export const countOf = (
  tally: Iterable<readonly [group: string, count: number]>,
  groups: Groups | undefined
): number => {
  let sum = 0
  for (const [group, count] of tally) if (groups === undefined || groups.has(group)) sum += count
  return sum
}

export class RowCounts<Row extends Counted> {
  readonly #groupOf: (row: Row) => string
  readonly #byNamespace = new Map<string, Map<string, number>>()
  readonly #byGroup = new Map<string, number>()
  #all = 0

  constructor(rows: Iterable<Row>, groupOf: (row: Row) => string) {
    this.#groupOf = groupOf
    for (const row of rows) this.#count(row, 1)
  }

  change(previous: Row | undefined, next: Row | undefined): void {
    if (previous !== undefined) this.#count(previous, -1)
    if (next !== undefined) this.#count(next, 1)
  }

  /** Number of all rows. */
  get all(): number {
    return this.#all
  }

  /** The namespaces that have rows. */
  namespaces(): Iterable<string> {
    return this.#byNamespace.keys()
  }

  /** Counts the rows of a namespace. **Shape** without `groups`, counts all groups. */
  of(namespace: string, groups: Groups | undefined): number {
    return countOf(this.#byNamespace.get(namespace) ?? [], groups)
  }

  /** Counts the rows of each group in some namespaces. **Shape** without `reaches`, counts all namespaces. */
  tally(reaches: ((namespace: string) => boolean) | undefined): Tally {
    if (reaches === undefined) return new Map(this.#byGroup)
    const tally = new Map<string, number>()
    for (const [namespace, groups] of this.#byNamespace) {
      if (!reaches(namespace)) continue
      for (const [group, count] of groups) tally.set(group, (tally.get(group) ?? 0) + count)
    }
    return tally
  }

  #count(row: Row, times: 1 | -1): void {
    this.#all += times
    const group = this.#groupOf(row)
    const inGroup = (this.#byGroup.get(group) ?? 0) + times
    if (inGroup > 0) this.#byGroup.set(group, inGroup)
    else this.#byGroup.delete(group)
    const groups = this.#byNamespace.get(row.namespace)
    if (groups === undefined) {
      this.#byNamespace.set(row.namespace, new Map([[group, times]]))
      return
    }
    const count = (groups.get(group) ?? 0) + times
    if (count > 0) groups.set(group, count)
    else if (groups.size > 1) groups.delete(group)
    else this.#byNamespace.delete(row.namespace)
  }
}
