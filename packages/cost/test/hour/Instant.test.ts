import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parseInstant } from "../../src/report/Range.ts"

const Ms = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Date.parse("9999-12-31T23:59:59.999Z") }))
const OffsetMinutes = Schema.Int.check(Schema.isBetween({ minimum: -(23 * 60 + 59), maximum: 23 * 60 + 59 }))

describe("an instant", () => {
  it.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"],
    ["2024-02-29T23:59:59.123456789Z", "2024-02-29T23:59:59.123Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
    ["2026-01-01T00:00:00-00:30", "2026-01-01T00:30:00.000Z"],
    ["1772884800000", "2026-03-07T12:00:00.000Z"],
    ["0", "1970-01-01T00:00:00.000Z"]
  ])("%s is %s", (text, expected) => {
    assert.strictEqual(new Date(parseInstant(text) ?? Number.NaN).toISOString(), expected)
  })

  it.each([
    "",
    "yesterday",
    "-1",
    "01",
    "1.5",
    "1e3",
    "9999999999999999",
    "2026-01-31",
    "2026-01-31T12:00Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-06-30T23:59:60Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+00:60",
    " 2026-01-31T12:00:00Z"
  ])("refuses %j", (text) => {
    assert.isUndefined(parseInstant(text))
  })

  it.prop("is the same one with any offset, and as milliseconds", [Ms, OffsetMinutes], ([ms, minutes]) => {
    assert.strictEqual(parseInstant(String(ms)), ms)
    const local = new Date(ms + minutes * 60_000).toISOString()
    if (local.length > 24) return
    const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    const offset = `${minutes < 0 ? "-" : "+"}${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`
    assert.strictEqual(parseInstant(local.replace("Z", offset)), ms)
  })

  it.prop("is refused or a number, whatever the text", [Schema.String], ([text]) => {
    const ms = parseInstant(text)
    assert.isTrue(ms === undefined || Number.isSafeInteger(ms))
  })
})
