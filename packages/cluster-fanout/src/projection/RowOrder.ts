/**
 * The total order of a merged list, and places in it.
 */

export type SortValue = string | number

/** What one level of the order compares. */
export interface SortKey<Row> {
  readonly type: "text" | "number"
  readonly read: (row: Row) => SortValue
}

/** The place of one row. **Shape** one value for each level of the order. */
export type Position = ReadonlyArray<SortValue>

export interface RowOrder<Row> {
  readonly direction: "asc" | "desc"
  readonly compare: (one: Row, other: Row) => number
  /**
   * Makes what tells rows that stand behind another by the first key alone; of those that it does not tell, `compare` decides.
   *
   * **Limits** takes a fraction of what `compare` does, for one row that very many are compared with.
   */
  readonly behind: (row: Row) => (other: Row) => boolean
  /** Compares by the first key alone, ascending. */
  readonly comparePrimary: (one: Row, other: Row) => number
  /** Compares by all keys but the first. */
  readonly compareTies: (one: Row, other: Row) => number
  readonly position: (row: Row) => Position
  /** Compares a row with a place, as `compare` does. */
  readonly compareTo: (row: Row, position: Position) => number
  /** Compares a row with a place, as `comparePrimary` does. */
  readonly comparePrimaryTo: (row: Row, position: Position) => number
  /** Tells whether a place has the shape of this order's places. */
  readonly isPosition: (values: ReadonlyArray<unknown>) => values is Position
}

export const text = <Row>(read: (row: Row) => string): SortKey<Row> => ({ type: "text", read })
export const number = <Row>(read: (row: Row) => number): SortKey<Row> => ({ type: "number", read })

/**
 * Makes an order.
 *
 * **Shape** `order` turns the first key alone; ties are always ascending. Texts compare byte by byte in UTF-8.
 */
export const make = <Row>(
  primary: SortKey<Row>,
  order: "asc" | "desc",
  ties: ReadonlyArray<SortKey<Row>>
): RowOrder<Row> => {
  const keys = [primary, ...ties]
  const sign = order === "asc" ? 1 : -1
  const comparePrimary = (one: Row, other: Row) => compareValues(primary.read(one), primary.read(other))
  const comparePrimaryTo = (row: Row, position: Position) => compareValues(primary.read(row), position[0] ?? "")
  const compareTies = (one: Row, other: Row) => {
    for (const key of ties) {
      const compared = compareValues(key.read(one), key.read(other))
      if (compared !== 0) return compared
    }
    return 0
  }
  const compareTiesTo = (row: Row, position: Position) => {
    let level = 1
    for (const key of ties) {
      const compared = compareValues(key.read(row), position[level++] ?? "")
      if (compared !== 0) return compared
    }
    return 0
  }
  return {
    direction: order,
    compare: (one, other) => {
      const first = comparePrimary(one, other)
      return first === 0 ? compareTies(one, other) : sign * first
    },
    behind: (row) => behind(primary, order, primary.read(row)),
    comparePrimary,
    compareTies,
    position: (row) => keys.map((key) => key.read(row)),
    compareTo: (row, position) => {
      const first = comparePrimaryTo(row, position)
      return first === 0 ? compareTiesTo(row, position) : sign * first
    },
    comparePrimaryTo,
    isPosition: (values): values is Position =>
      values.length === keys.length
      && keys.every((key, index) => typeof values[index] === (key.type === "text" ? "string" : "number"))
  }
}

/** Surrogates, and what JavaScript's own order puts before them. */
const FROM_SURROGATES = /[\ud800-\uffff]/

const behind = <Row>({ read }: SortKey<Row>, order: "asc" | "desc", value: SortValue): ((row: Row) => boolean) => {
  // Where one of two texts has none of these, JavaScript's own order is that of code points.
  if (typeof value === "string" && FROM_SURROGATES.test(value)) {
    return order === "asc" ? (row) => compareValues(read(row), value) > 0 : (row) => compareValues(read(row), value) < 0
  }
  return order === "asc" ? (row) => read(row) > value : (row) => read(row) < value
}

/** Compares numbers as such, and texts as `compareText` does. */
export const compareValues = (one: SortValue, other: SortValue): number => {
  if (typeof one === "string" && typeof other === "string") return compareText(one, other)
  return one === other ? 0 : one < other ? -1 : 1
}

/** Compares by code point, which is byte order in UTF-8; JavaScript's own order puts surrogates before U+E000. */
export const compareText = (one: string, other: string): number => {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const left = one.charCodeAt(index)
    const right = other.charCodeAt(index)
    if (left !== right) return aboveSurrogates(left) - aboveSurrogates(right)
  }
  return one.length - other.length
}

const aboveSurrogates = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
