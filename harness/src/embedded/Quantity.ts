/**
 * Kubernetes quantities: `500m`, `1Gi`, `1.5`.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/api/resource`.
 *
 * @since 0.1.0
 */
import { isObject, type Json, type JsonObject } from "./Json.ts"

const QUANTITY = /^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|(?:[eE][+-]?[0-9]{1,2}))?$/
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]
const NANO = 1_000_000_000n

/** Prints a quantity in its canonical form, as the server stores it; `undefined` for a text that is none. */
export const canonical = (text: string): string | undefined => {
  const match = QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = "", suffix = ""] = match
  const [whole = "", fraction = ""] = digits.split(".")
  const { numerator, denominator } = scale(suffix)
  const divisor = 10n ** BigInt(fraction.length) * denominator
  // What is finer than a nano rounds up, so that nothing asked for becomes nothing.
  const nanos = (BigInt(`${whole}${fraction}` || "0") * NANO * numerator + divisor - 1n) / divisor
  const binary = suffix.endsWith("i")
  const [value, unit] =
    binary && nanos % NANO === 0n ? reduce(nanos / NANO, 1024n, BINARY) : reduce(nanos, 1000n, DECIMAL)
  return `${sign === "-" && value !== 0n ? "-" : ""}${value}${value === 0n ? "" : unit}`
}

/**
 * Reads a quantity as thousandths of its unit, rounded up: what adds up and compares in plain numbers.
 *
 * **Shape** `undefined` for a text that is none. **Limits** exact up to 9 Pi; beyond that to 16 digits.
 */
export const amount = (text: string): number | undefined => {
  const match = QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = "", suffix = ""] = match
  const { numerator, denominator } = scale(suffix)
  const milli = Math.ceil((Number(digits) * 1_000 * Number(numerator)) / Number(denominator) - 1e-9)
  return sign === "-" ? 0 - milli : milli
}

/** Canonical forms of all quantities in a resource list; what is no quantity stays as it is. */
const canonicalList = (list: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(list).map(([name, value]) => [name, canonicalValue(value)]))

/** Rewrites the named resource lists inside an object. */
export const canonicalIn = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject => ({
  ...object,
  ...Object.fromEntries(
    names.flatMap((name) => {
      const list = object[name]
      return isObject(list) ? [[name, canonicalList(list)]] : []
    })
  )
})

const canonicalValue = (value: Json): Json => {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" ? (canonical(text) ?? value) : value
}

const scale = (suffix: string): { readonly numerator: bigint; readonly denominator: bigint } => {
  if (suffix.endsWith("i")) return ratio(1024n, BINARY.indexOf(suffix))
  if (/^[eE]/.test(suffix) && suffix.length > 1) return ratio(10n, Number(suffix.slice(1)))
  return ratio(1000n, DECIMAL.indexOf(suffix) - DECIMAL.indexOf(""))
}

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
