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
  readonly compare: (one: Row, other: Row) => number
  readonly position: (row: Row) => Position
  /** Compares a row with a place, as `compare` does. */
  readonly compareTo: (row: Row, position: Position) => number
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
  const level = (index: number, one: SortValue, other: SortValue) =>
    (index === 0 ? sign : 1) * compareValues(one, other)
  return {
    compare: (one, other) => {
      for (const [index, key] of keys.entries()) {
        const compared = level(index, key.read(one), key.read(other))
        if (compared !== 0) return compared
      }
      return 0
    },
    position: (row) => keys.map((key) => key.read(row)),
    compareTo: (row, position) => {
      for (const [index, key] of keys.entries()) {
        const compared = level(index, key.read(row), position[index] ?? "")
        if (compared !== 0) return compared
      }
      return 0
    },
    isPosition: (values): values is Position =>
      values.length === keys.length
      && keys.every((key, index) => typeof values[index] === (key.type === "text" ? "string" : "number"))
  }
}

const compareValues = (one: SortValue, other: SortValue): number => {
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
