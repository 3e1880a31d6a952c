import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { canonical, isTime } from "../../src/core/GoTime.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Fields = Schema.Tuple([upTo(3_000), upTo(13), upTo(32), upTo(25), upTo(61), upTo(61)])
const Fraction = Schema.Literals(["", ".0", ".5", ".123", ".123456", ".999999999"])
const Zone = Schema.Literals(["Z", "+00:00", "-07:30"])

const two = (value: number) => String(value).padStart(2, "0")
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysOf = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

describe("GoTime", () => {
  it.prop("accepts valid dates and times only", [Fields, Fraction, Zone], ([fields, fraction, zone]) => {
    const [year, month, day, hour, minute, second] = fields
    const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}`
    const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
    const isClock = hour <= 23 && minute <= 59 && second <= 59
    assert.strictEqual(isTime(text, "seconds"), isDate && isClock, text)
    if (isDate && isClock && zone === "Z") {
      assert.strictEqual(canonical(text, "seconds"), text.replace(fraction, ""))
    }
  })

  it.each([
    ["2026-02-30T00:00:00Z", false],
    ["2028-02-29T00:00:00Z", true],
    ["2026-01-01T24:00:00Z", false],
    ["2026-01-01T00:00:00.5", false],
    ["2026-01-01", false]
  ])("%s: %s", (text, expected) => {
    assert.strictEqual(isTime(text, "seconds"), expected)
  })
})
