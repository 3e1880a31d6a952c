/** Compares resource versions where that is allowed. **Source** KEP-5504, "Comparable Resource Version". */

/** Decimal numbers without leading zeros, as every API server writes them. */
const NUMBER = /^[1-9][0-9]*$/

/** Compares two resource versions: below 0 when the first is the earlier; `undefined` when one of them is no number and nothing can be said. */
export const compare = (one: string, other: string): number | undefined => {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return undefined
  if (one.length !== other.length) return one.length - other.length
  return one === other ? 0 : one < other ? -1 : 1
}
