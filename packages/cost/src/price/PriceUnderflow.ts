/**
 * Finds prices that would count as nothing: those below half of what prices count to.
 */
import type { PriceBook } from "./PriceBook.ts"
import * as Rates from "./Rates.ts"

/**
 * Gives the first price of a book that is not 0 and counts as 0, by the path of its field.
 *
 * **Example** `overrides[2].cpuPerCoreHour`
 */
export const firstIn = (book: PriceBook): string | undefined => {
  const vanishes = (field: string, price: unknown): boolean =>
    field !== "discountPercent" && typeof price === "number" && price > 0 && Rates.picosOf(price * book.rate) === 0
  const priced: ReadonlyArray<readonly [path: string, prices: object]> = [
    ...Object.entries(book.default).map(([provider, prices]) => [`default.${provider}`, prices] as const),
    ...book.overrides.map((override, index) => [`overrides[${index}]`, override] as const)
  ]
  for (const [path, prices] of priced) {
    const found = Object.entries(prices).find(([field, price]) => vanishes(field, price))
    if (found !== undefined) return `${path}.${found[0]}`
  }
  return undefined
}
