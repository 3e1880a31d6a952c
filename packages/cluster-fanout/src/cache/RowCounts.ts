/**
 * Number of rows in each namespace and group of a cluster, updated with each change.
 */

/** The counted field of a row. */
interface Counted {
  readonly namespace: string
}

export class RowCounts<Row extends Counted> {
  readonly #groupOf: (row: Row) => string
  readonly #byNamespace = new Map<string, Map<string, number>>()
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
  of(namespace: string, groups: ReadonlySet<string> | undefined): number {
    let sum = 0
    for (const [group, count] of this.#byNamespace.get(namespace) ?? []) {
      if (groups === undefined || groups.has(group)) sum += count
    }
    return sum
  }

  #count(row: Row, times: 1 | -1): void {
    this.#all += times
    const group = this.#groupOf(row)
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
