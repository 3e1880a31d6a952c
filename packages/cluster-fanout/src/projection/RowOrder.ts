/**
 * The total order of a merged list, and positions in it.
 */

export type SortValue = string | number

/** One level of an order. */
export interface SortKey<Row> {
  readonly type: "text" | "number"
  readonly read: (row: Row) => SortValue
}

/** Position of a row. **Shape** one value for each level of the order. */
export type Position = ReadonlyArray<SortValue>

export interface RowOrder<Row> {
  readonly direction: "asc" | "desc"
  readonly compare: (left: Row, right: Row) => number
  /**
   * Returns a fast test for rows that sort after the given one by the first key alone. If the test is false, `compare`
   * decides.
   *
   * **Limits** much cheaper than `compare` if many rows are compared with one.
   */
  readonly behind: (row: Row) => (right: Row) => boolean
  /** Compares by the first key alone, ascending. */
  readonly comparePrimary: (left: Row, right: Row) => number
  /** Compares by all keys but the first. */
  readonly compareTies: (left: Row, right: Row) => number
  readonly position: (row: Row) => Position
  /** Compares a row with a position, as `compare` does. */
  readonly compareTo: (row: Row, position: Position) => number
  /** Compares a row with a position, as `comparePrimary` does. */
  readonly comparePrimaryTo: (row: Row, position: Position) => number
  /** Returns whether values have the shape of this order's positions. */
  readonly isPosition: (values: ReadonlyArray<unknown>) => values is Position
}

export const text = <Row>(read: (row: Row) => string): SortKey<Row> => ({ type: "text", read })
export const number = <Row>(read: (row: Row) => number): SortKey<Row> => ({ type: "number", read })

/**
 * Makes an order.
 *
 * **Shape** `order` reverses only the first key; ties are always ascending. Text compares byte by byte in UTF-8.
 */
export const make = <Row>(
  primary: SortKey<Row>,
  order: "asc" | "desc",
  ties: ReadonlyArray<SortKey<Row>>
): RowOrder<Row> => {
  const keys = [primary, ...ties]
  const sign = order === "asc" ? 1 : -1
  const comparePrimary = (left: Row, right: Row) => compareValues(primary.read(left), primary.read(right))
  const comparePrimaryTo = (row: Row, position: Position) => compareValues(primary.read(row), position[0] ?? "")
  const compareTies = (left: Row, right: Row) => {
    for (const key of ties) {
      const compared = compareValues(key.read(left), key.read(right))
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
    compare: (left, right) => {
      const first = comparePrimary(left, right)
      return first === 0 ? compareTies(left, right) : sign * first
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

/** Code units whose JavaScript order can differ from code point order. */
const FROM_SURROGATES = /[\ud800-\uffff]/

const behind = <Row>({ read }: SortKey<Row>, order: "asc" | "desc", value: SortValue): ((row: Row) => boolean) => {
  // If at least one of two texts has no code unit from U+D800 on, JavaScript's order equals code point order.
  if (typeof value === "string" && FROM_SURROGATES.test(value)) {
    return order === "asc" ? (row) => compareValues(read(row), value) > 0 : (row) => compareValues(read(row), value) < 0
  }
  return order === "asc" ? (row) => read(row) > value : (row) => read(row) < value
}

/** Compares numbers numerically, and text as `compareText` does. */
export const compareValues = (left: SortValue, right: SortValue): number => {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right)
  return left === right ? 0 : left < right ? -1 : 1
}

/** Compares by code point, which equals byte order in UTF-8. JavaScript's own order puts surrogates before U+E000. */
export const compareText = (left: string, right: string): number => {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const leftUnit = left.charCodeAt(index)
    const rightUnit = right.charCodeAt(index)
    if (leftUnit !== rightUnit) return aboveSurrogates(leftUnit) - aboveSurrogates(rightUnit)
  }
  return left.length - right.length
}

const aboveSurrogates = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
