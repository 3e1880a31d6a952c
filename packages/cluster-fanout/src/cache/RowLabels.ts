/**
 * Index of one cluster's rows by label value, for label keys in use. Updated with each change.
 */

/** Label keys indexed at a time; the least recently used is evicted. A key costs up to 270 bytes a row. */
const MAX_KEYS = 2

/** The indexed field of a row. */
interface Labelled {
  readonly labels: Readonly<Record<string, string>>
}

type Values<Row> = Map<string, Set<Row>>

export class RowLabels<Row extends Labelled> {
  /** By key, the most recently used last. */
  readonly #byKey = new Map<string, Values<Row>>()

  change(previous: Row | undefined, next: Row | undefined): void {
    for (const [key, values] of this.#byKey) {
      if (previous !== undefined) remove(values, key, previous)
      if (next !== undefined) add(values, key, next)
    }
  }

  /**
   * Returns the rows whose label `key` has one of `values`, unordered.
   *
   * **Shape** `all` are all rows. **Limits** reads all rows if the key is not indexed yet.
   */
  of(key: string, values: ReadonlyArray<string>, all: ReadonlyArray<Row>): ReadonlyArray<Row> {
    const known = this.#byKey.get(key) ?? indexOf(key, all)
    this.#byKey.delete(key)
    this.#byKey.set(key, known)
    if (this.#byKey.size > MAX_KEYS) {
      const [oldest] = this.#byKey.keys()
      if (oldest !== undefined) this.#byKey.delete(oldest)
    }
    return [...new Set(values)].flatMap((value) => [...(known.get(value) ?? [])])
  }
}

const indexOf = <Row extends Labelled>(key: string, rows: ReadonlyArray<Row>): Values<Row> => {
  const values: Values<Row> = new Map()
  for (const row of rows) add(values, key, row)
  return values
}

const valueOf = ({ labels }: Labelled, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined

const add = <Row extends Labelled>(values: Values<Row>, key: string, row: Row): void => {
  const value = valueOf(row, key)
  if (value === undefined) return
  const rows = values.get(value)
  if (rows === undefined) values.set(value, new Set([row]))
  else rows.add(row)
}

const remove = <Row extends Labelled>(values: Values<Row>, key: string, row: Row): void => {
  const value = valueOf(row, key)
  if (value === undefined) return
  const rows = values.get(value)
  rows?.delete(row)
  if (rows?.size === 0) values.delete(value)
}
