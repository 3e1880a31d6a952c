/**
 * Kubernetes quantities: `500m`, `1Gi`, `1.5`.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/api/resource`.
 */
import type { Json } from "./Json.ts"

const QUANTITY = /^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|(?:[eE][+-]?[0-9]{1,2}))?$/
/** The format in which JavaScript prints a very large or small number is a quantity too. */
const EXPONENTIAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,3}$/
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]
/** Units of a quantity that was written with an exponent. */
const EXPONENTS = ["e-9", "e-6", "e-3", "", "e3", "e6", "e9", "e12", "e15", "e18"]
const NANO = 1_000_000_000n
const MILLI = 1_000n

/** Finest part of a unit that a quantity keeps. **Shape** `milli` in resource lists. */
export type Precision = "nano" | "milli"

/** Quantities that are canonical in either precision, because no larger unit divides a value below 1000. */
const PLAIN = /^[1-9][0-9]{0,2}(?:m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/

/**
 * Prints a quantity in the canonical form that the server stores. Returns `undefined` if the text is not a quantity.
 */
export const canonical = (text: string, precision: Precision = "nano"): string | undefined => {
  if (PLAIN.test(text)) return text
  const match = QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = "", suffix = ""] = match
  const [whole = "", fraction = ""] = digits.split(".")
  const { numerator, denominator } = scale(suffix)
  const divisor = 10n ** BigInt(fraction.length) * denominator
  // A finer value rounds up, so that a small request does not become zero.
  const finest = precision === "milli" ? MILLI : NANO
  const parts = (BigInt(`${whole}${fraction}` || "0") * finest * numerator + divisor - 1n) / divisor
  const nanos = parts * (NANO / finest)
  const binary = suffix.endsWith("i")
  const [value, unit] =
    binary && nanos % NANO === 0n
      ? reduce(nanos / NANO, 1024n, BINARY)
      : reduce(nanos, 1000n, isExponent(suffix) ? EXPONENTS : DECIMAL)
  const printed = `${sign === "-" && value !== 0n ? "-" : ""}${value}${value === 0n ? "" : unit}`
  // If only the case of the exponent's letter differs, the text stays as written.
  return text.toLowerCase() === printed ? text : printed
}

/** Reads a quantity as a number: cores of `250m`, bytes of `1Gi`. Returns `undefined` if the text is not a quantity. */
export const parse = (text: string): number | undefined => {
  if (EXPONENTIAL.test(text)) return Number(text)
  const match = QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = "", suffix = ""] = match
  const { numerator, denominator } = scale(suffix)
  // Divides for small units. 0.001 has no exact binary form, so a product would be inexact: 100m must equal 0.1.
  const value = (Number(digits) * Number(numerator)) / Number(denominator)
  return sign === "-" ? 0 - value : value
}

/**
 * Reads a quantity as thousandths of its unit, rounded up, for sums and comparisons in plain numbers.
 *
 * **Shape** `undefined` if the text is not a quantity. **Limits** exact up to 9 Pi, then to 16 digits.
 */
export const amount = (text: string): number | undefined => {
  const match = QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = "", suffix = ""] = match
  const { numerator, denominator } = scale(suffix)
  const milli = Math.ceil((Number(digits) * 1_000 * Number(numerator)) / Number(denominator) - 1e-9)
  return sign === "-" ? 0 - milli : milli
}

/** Canonical form of a quantity, which may be a number. Returns other values unchanged. */
export const canonicalValue = (value: Json, precision: Precision): Json => {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" ? (canonical(text, precision) ?? value) : value
}

const scale = (suffix: string): { readonly numerator: bigint; readonly denominator: bigint } => {
  if (suffix.endsWith("i")) return ratio(1024n, BINARY.indexOf(suffix))
  if (isExponent(suffix)) return ratio(10n, Number(suffix.slice(1)))
  return ratio(1000n, DECIMAL.indexOf(suffix) - DECIMAL.indexOf(""))
}

const isExponent = (suffix: string): boolean => /^[eE]./.test(suffix) && !suffix.endsWith("i")

const ratio = (base: bigint, exponent: number) =>
  exponent < 0
    ? { numerator: 1n, denominator: base ** BigInt(-exponent) }
    : { numerator: base ** BigInt(exponent), denominator: 1n }

const reduce = (value: bigint, base: bigint, units: ReadonlyArray<string>): readonly [bigint, string] => {
  let rest = value
  let index = 0
  while (rest !== 0n && rest % base === 0n && index < units.length - 1) {
    rest /= base
    index += 1
  }
  return [rest, units[index] ?? ""]
}
