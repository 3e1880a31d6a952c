import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { canonical, parse } from "../../src/core/Quantity.ts"

const Whole = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const FACTORS = new Map<string, bigint>([
  ["n", 1n],
  ["u", 1_000n],
  ["m", 1_000_000n],
  ["", 10n ** 9n],
  ["k", 10n ** 12n],
  ["M", 10n ** 15n],
  ["G", 10n ** 18n],
  ["T", 10n ** 21n],
  ["P", 10n ** 24n],
  ["Ki", 1024n * 10n ** 9n],
  ["Mi", 1024n ** 2n * 10n ** 9n],
  ["Gi", 1024n ** 3n * 10n ** 9n],
  ["Ti", 1024n ** 4n * 10n ** 9n],
  ["Pi", 1024n ** 5n * 10n ** 9n]
])
const Suffix = Schema.Literals(["n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi"])

const nanos = (text: string): bigint => {
  const [, digits = "", suffix = ""] = /^([0-9]+)([a-zA-Z]*)$/.exec(text) ?? []
  return BigInt(digits) * (FACTORS.get(suffix) ?? 0n)
}

describe("Quantity", () => {
  it.each([
    ["250m", 0.25],
    ["100m", 0.1],
    ["1", 1],
    ["-1.5", -1.5],
    ["2e3", 2_000],
    ["1Gi", 2 ** 30],
    ["1.5M", 1_500_000],
    ["250000000n", 0.25],
    ["1e-7", 1e-7]
  ])("reads %s as a number", (text, value) => {
    assert.strictEqual(parse(text), value)
  })

  it.each(["", "1 Gi", "1gi", "m", "0x10", "1e3Ki"])("reads no number from %j", (text) => {
    assert.isUndefined(parse(text))
  })

  it.prop("reads what a number prints as", [Schema.Finite], ([value]) => {
    assert.strictEqual(parse(String(value)), value)
  })

  it.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0", "0"],
    ["1e3", "1e3"],
    ["2E4", "20e3"],
    ["1E-3", "1E-3"],
    ["10E-4", "1e-3"],
    ["100Mi", "100Mi"],
    ["-2000m", "-2"]
  ])("prints %s as %s", (text, expected) => {
    assert.strictEqual(canonical(text), expected)
  })

  it.each(["", "x", "1 Gi", "1GiB", "--1"])("refuses %j", (text) => {
    assert.isUndefined(canonical(text))
  })

  it.prop("keeps the amount and is stable", [Whole, Suffix], ([digits, suffix]) => {
    const text = canonical(`${digits}${suffix}`) ?? ""
    assert.strictEqual(nanos(text), nanos(`${digits}${suffix}`))
    assert.strictEqual(canonical(text), text)
  })
})
