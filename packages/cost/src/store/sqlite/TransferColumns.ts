/**
 * Columns in one array, for the transfer between two threads. Zero columns are left out.
 */
import { WIDTH } from "./ColumnBasis.ts"
import type { Sparse } from "./PackedColumns.ts"

/** Non-zero columns, one after the other. **Shape** `used` is a bit mask of the columns that are present. */
export interface Laid {
  readonly used: number
  readonly values: Float64Array<ArrayBuffer>
}

/**
 * Allocates the used columns.
 *
 * **Shape** The values are zeros. If `room` is large enough to be reused, they are its old content instead.
 */
export const make = (size: number, isUsed: (column: number) => boolean, room?: Float64Array<ArrayBuffer>): Laid => {
  let used = 0
  let count = 0
  for (let column = 0; column < WIDTH; column++) {
    if (!isUsed(column)) continue
    used |= 1 << column
    count++
  }
  const length = count * size
  const isRoomy = room !== undefined && room.length >= length && room.length <= 2 * length
  return { used, values: isRoomy ? room.subarray(0, length) : new Float64Array(length) }
}

/** Returns a view of each column, `undefined` for a column that is left out. */
export const spread = ({ used, values }: Laid, size: number): Sparse => {
  let next = 0
  return Array.from({ length: WIDTH }, (_, column) => {
    if (((used >>> column) & 1) === 0) return undefined
    next += size
    return values.subarray(next - size, next)
  })
}
