import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Quantity from "../../src/projection/Quantity.ts"

const millis = (text: string) => Result.getOrUndefined(Quantity.parseMillis(text))
const units = (text: string) => Result.getOrUndefined(Quantity.parseUnits(text))

const SUFFIXES = {
  n: [1n, 1_000_000_000n],
  u: [1n, 1_000_000n],
  m: [1n, 1000n],
  "": [1n, 1n],
  k: [1000n, 1n],
  M: [1000n ** 2n, 1n],
  G: [1000n ** 3n, 1n],
  T: [1000n ** 4n, 1n],
  P: [1000n ** 5n, 1n],
  E: [1000n ** 6n, 1n],
  Ki: [1024n, 1n],
  Mi: [1024n ** 2n, 1n],
  Gi: [1024n ** 3n, 1n],
  Ti: [1024n ** 4n, 1n],
  Pi: [1024n ** 5n, 1n],
  Ei: [1024n ** 6n, 1n],
  e3: [1000n, 1n],
  "E-3": [1n, 1000n],
  "e+6": [1000n ** 2n, 1n]
} as const
const Suffix = Schema.Literals([
  "n",
  "u",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-3",
  "e+6"
])
const Digits = Schema.Natural.check(Schema.isLessThan(10_000_000))

/** Kubernetes rounds what is finer than the scale away from zero, and amounts beyond a number's reach are held at it. */
const expected = (whole: number, fraction: string, suffix: typeof Suffix.Type, scale: bigint): number => {
  const [factor, divisor] = SUFFIXES[suffix]
  const numerator = BigInt(`${whole}${fraction}`) * factor * scale
  const denominator = divisor * 10n ** BigInt(fraction.length)
  const rounded = (numerator + denominator - 1n) / denominator
  const most = BigInt(Number.MAX_SAFE_INTEGER)
  return Number(rounded > most ? most : rounded)
}

describe("Quantity", () => {
  it.each([
    ["250m", 250],
    ["1", 1000],
    ["1.5", 1500],
    [".5", 500],
    ["2.", 2000],
    ["0.0001", 1],
    ["1n", 1],
    ["1u", 1],
    ["1500u", 2],
    ["1e3", 1_000_000],
    ["1E", Number.MAX_SAFE_INTEGER],
    ["-1.5", -1500],
    ["+2", 2000],
    ["0", 0],
    ["-0", 0]
  ])("reads %s as %d thousandths", (text, amount) => {
    assert.strictEqual(millis(text), amount)
  })

  it.each([
    ["512Mi", 536_870_912],
    ["1.5Gi", 1_610_612_736],
    ["1Ki", 1024],
    ["128974848", 128_974_848],
    ["129e6", 129_000_000],
    ["129M", 129_000_000],
    ["123Mi", 128_974_848],
    ["100m", 1],
    ["1e-30", 1],
    ["1e400", Number.MAX_SAFE_INTEGER],
    ["0e400", 0]
  ])("reads %s as %d units", (text, amount) => {
    assert.strictEqual(units(text), amount)
  })

  it.each([
    "",
    ".",
    "m",
    "1 Gi",
    "1gi",
    "1KI",
    "1e",
    "1e1.5",
    "0x10",
    "1,5",
    "--1",
    "Infinity",
    "NaN",
    "1Gi1",
    "1".repeat(65)
  ])("refuses %j", (text) => {
    assert.isUndefined(millis(text))
    assert.isUndefined(units(text))
  })

  it.prop("is exact for every number and suffix", [Digits, Digits, Suffix], ([whole, fraction, suffix]) => {
    const text = `${whole}.${fraction}${suffix}`
    assert.strictEqual(millis(text), expected(whole, String(fraction), suffix, 1000n))
    assert.strictEqual(units(text), expected(whole, String(fraction), suffix, 1n))
    assert.strictEqual(units(`${whole}${suffix}`), expected(whole, "", suffix, 1n))
    assert.strictEqual(millis(`${whole}${suffix}`), expected(whole, "", suffix, 1000n))
  })

  it.prop("never fails other than by refusing", [Schema.String], ([text]) => {
    for (const read of [millis(text), units(text)]) {
      assert.isTrue(read === undefined || Number.isSafeInteger(read))
    }
  })
})
