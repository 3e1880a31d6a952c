/**
 * Resource quantities in Kubernetes notation: `250m`, `1.5`, `512Mi`, `2e9`.
 *
 * **Source** apimachinery `pkg/api/resource`, "Quantity".
 */
import { Result, Schema } from "effect"

/** The text is not a quantity. The message omits the text, which may be hostile. */
export class InvalidQuantity extends Schema.TaggedError<InvalidQuantity>()("InvalidQuantity", {}) {
  override get message(): string {
    return "not a resource quantity"
  }
}

const GRAMMAR = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?[0-9]+)?$/
/** The most frequent suffixes, apart from `m`, and their factors. */
const COMMON_FACTORS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["Ki", 1024],
  ["Mi", 1024 ** 2],
  ["Gi", 1024 ** 3]
])
const COMMON_DIGITS = 9
const ZERO = 48

const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n
}
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

/**
 * Upper bounds, longer than any value that a server writes. A hostile exponent or fraction would otherwise cost
 * unbounded work.
 */
const MAX_CHARACTERS = 64
const MAX_EXPONENT = 64
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Reads thousandths of the unit: millicores of a CPU quantity.
 *
 * **Shape** exact; a fraction of a thousandth is rounded away from zero, as in Kubernetes; at most 2^53 - 1 in either
 * direction.
 *
 * **Errors** `InvalidQuantity` for a text outside the grammar or longer than 64 characters.
 *
 * **Example**
 *
 * ```ts
 * parseMillis("1.5") // 1500
 * ```
 */
export const parseMillis = (text: string): Result.Result<number, InvalidQuantity> => parseScaled(text, 3)

/**
 * Reads whole units: bytes of a memory quantity.
 *
 * **Shape** and **Errors** as `parseMillis`.
 *
 * **Example**
 *
 * ```ts
 * parseUnits("1.5Gi") // 1610612736
 * ```
 */
export const parseUnits = (text: string): Result.Result<number, InvalidQuantity> => parseScaled(text, 0)

/** Adds two amounts. **Limits** at most 2^53 - 1, so that the result stays an exact integer. */
export const add = (left: number, right: number): number => Math.min(left + right, Number.MAX_SAFE_INTEGER)

/** Multiplies an amount by a number of replicas, with the same bound as `add`. */
export const times = (amount: number, count: number): number => Math.min(amount * count, Number.MAX_SAFE_INTEGER)

const parseScaled = (text: string, scale: 0 | 3): Result.Result<number, InvalidQuantity> => {
  const common = parseCommon(text, scale)
  return common === undefined ? parseExact(text, scale) : Result.succeed(common)
}

/**
 * Reads the common forms: few digits followed by `m`, `Ki`, `Mi`, `Gi` or nothing.
 *
 * A fast path without a regular expression: every container of every pod has up to four quantities.
 */
const parseCommon = (text: string, scale: 0 | 3): number | undefined => {
  let amount = 0
  let digits = 0
  while (digits < text.length) {
    const digit = text.charCodeAt(digits) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    amount = amount * 10 + digit
    digits++
  }
  if (digits === 0 || digits > COMMON_DIGITS) return undefined
  const suffix = digits === text.length ? "" : text.slice(digits)
  if (suffix === "m") return scale === 3 ? amount : Math.ceil(amount / 1000)
  const factor = COMMON_FACTORS.get(suffix)
  return factor === undefined ? undefined : times(amount, factor * (scale === 3 ? 1000 : 1))
}

const parseExact = (text: string, scale: 0 | 3): Result.Result<number, InvalidQuantity> => {
  const match = text.length > MAX_CHARACTERS ? null : GRAMMAR.exec(text)
  if (match === null) return Result.fail(new InvalidQuantity())
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match
  if (whole === "" && fraction === "") return Result.fail(new InvalidQuantity())

  const digits = BigInt(whole + fraction)
  const binary = BINARY[suffix]
  const exponent = (binary === undefined ? decimalExponent(suffix) : 0) + scale - fraction.length
  const amount = digits * (binary ?? 1n)
  const rounded = exponent >= 0 ? amount * 10n ** BigInt(exponent) : divideUp(amount, 10n ** BigInt(-exponent))
  const size = bounded(rounded)
  return Result.succeed(sign === "-" && size !== 0 ? -size : size)
}

const decimalExponent = (suffix: string): number => {
  const power = DECIMAL[suffix] ?? Number(suffix.slice(1))
  return Math.max(-2 * MAX_EXPONENT, Math.min(MAX_EXPONENT, power))
}

const divideUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor

/** Converts an exact sum to a number. **Shape** at most 2^53 - 1. */
export const bounded = (sum: bigint): number => Number(sum < LARGEST ? sum : LARGEST)
