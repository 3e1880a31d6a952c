/**
 * Whole numbers of any size in stored data.
 *
 * Sums above 2^53 may be inexact, but are written and read without further loss.
 */
import { Schema } from "effect"

/** A whole number in JSON. */
export const Whole = Schema.Finite.check(
  Schema.makeFilter((value) => Number.isInteger(value), { expected: "a whole number" })
)

/** From this value on, JavaScript prints numbers with an exponent. */
const LONG = 1e21

/** Formats a whole number in digits, without an exponent. 0 never has a minus sign. */
export const print = (value: number): string => (Math.abs(value) < LONG ? String(value + 0) : String(BigInt(value)))

const DIGITS = /^(?:0|-?[1-9][0-9]{0,308})$/

/**
 * Parses the output of {@link print}.
 *
 * **Shape** `undefined` for any other text, such as digits that lose precision as a number.
 */
export const parse = (text: string): number | undefined => {
  if (!DIGITS.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) || (Number.isFinite(value) && print(value) === text) ? value : undefined
}
