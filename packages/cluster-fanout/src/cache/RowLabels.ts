/**
 * The rows of one cluster by the values of labels, for the keys that were asked for: kept with each change.
 */

/** Keys that are kept at a time; the one that was not asked for longest goes first. A key costs up to 270 bytes a row. */
const MOST_KEYS = 2

/** What is looked at of a row. */
interface Labelled {
  readonly labels: Readonly<Record<string, string>>
}

type Values<Row> = Map<string, Set<Row>>

export class RowLabels<Row extends Labelled> {
  /** By key, the one that was asked for last at the end. */
  readonly #byKey = new Map<string, Values<Row>>()

  change(held: Row | undefined, next: Row | undefined): void {
    for (const [key, values] of this.#byKey) {
      if (held !== undefined) remove(values, key, held)
      if (next !== undefined) add(values, key, next)
    }
  }

  /**
   * Gives the rows whose label has one of some values, in no order.
   *
   * **Shape** `all` are all rows. **Limits** looks at all of them when a key is asked for that is not kept.
   */
  of(key: string, values: ReadonlyArray<string>, all: ReadonlyArray<Row>): ReadonlyArray<Row> {
    const known = this.#byKey.get(key) ?? collected(key, all)
    this.#byKey.delete(key)
    this.#byKey.set(key, known)
    if (this.#byKey.size > MOST_KEYS) {
      const [oldest] = this.#byKey.keys()
      if (oldest !== undefined) this.#byKey.delete(oldest)
    }
    return [...new Set(values)].flatMap((value) => [...(known.get(value) ?? [])])
  }
}

const collected = <Row extends Labelled>(key: string, rows: ReadonlyArray<Row>): Values<Row> => {
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
