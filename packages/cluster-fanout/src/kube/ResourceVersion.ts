/** Compares resource versions. **Source** KEP-5504, "Comparable Resource Version". */

/** Decimal numbers without leading zeros, as every API server writes them. */
const NUMBER = /^[1-9][0-9]*$/

/** Compares two resource versions. **Shape** negative if the first is older; `undefined` if one is not a number. */
export const compare = (left: string, right: string): number | undefined => {
  if (!NUMBER.test(left) || !NUMBER.test(right)) return undefined
  if (left.length !== right.length) return left.length - right.length
  return left === right ? 0 : left < right ? -1 : 1
}
