/**
 * Amounts that are kept: whole numbers, of any size.
 *
 * What is beyond 2^53 is no longer exact where it was added up, but it is written and read without loss.
 */
import { Schema } from "effect"

/** An amount in JSON. */
export const Whole = Schema.Finite.check(
  Schema.makeFilter((value) => Number.isInteger(value), { expected: "a whole number" })
)

/** From here on numbers are printed with an exponent. */
const LONG = 1e21

/** Writes an amount as digits. Up to 2^53 and far beyond; no 0 has a sign. */
export const print = (value: number): string => (Math.abs(value) < LONG ? String(value + 0) : String(BigInt(value)))

const DIGITS = /^(?:0|-?[1-9][0-9]{0,308})$/

/** Reads what {@link print} gave. **Shape** `undefined` for any other text, also for digits that no number has. */
export const parse = (text: string): number | undefined => {
  if (!DIGITS.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) || (Number.isFinite(value) && print(value) === text) ? value : undefined
}
