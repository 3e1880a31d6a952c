import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as NamedRange from "../../../src/cli/cost/NamedRange.ts"

const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Date.UTC(2200, 0) }))
const DAY_MS = 86_400_000

describe("NamedRange", () => {
  it("is a span of the calendar in UTC", () => {
    const nowMs = Date.parse("2026-03-01T00:30:00Z")
    assert.deepStrictEqual(NamedRange.resolve("today", nowMs), { from: "2026-03-01T00:00:00.000Z" })
    assert.deepStrictEqual(NamedRange.resolve("month", nowMs), { from: "2026-03-01T00:00:00.000Z" })
    assert.deepStrictEqual(NamedRange.resolve("lastmonth", nowMs), {
      from: "2026-02-01T00:00:00.000Z",
      to: "2026-03-01T00:00:00.000Z"
    })
    assert.deepStrictEqual(NamedRange.resolve("lastmonth", Date.parse("2026-01-31T23:59:59Z")), {
      from: "2025-12-01T00:00:00.000Z",
      to: "2026-01-01T00:00:00.000Z"
    })
  })

  it.prop("today and month hold the instant, and last month ends where the month begins", [Instant], ([nowMs]) => {
    const today = Date.parse(NamedRange.resolve("today", nowMs).from)
    assert.strictEqual(today % DAY_MS, 0)
    assert.isTrue(today <= nowMs && nowMs < today + DAY_MS)
    const month = NamedRange.resolve("month", nowMs)
    assert.match(month.from, /^\d{4}-\d{2}-01T00:00:00\.000Z$/)
    assert.strictEqual(month.from.slice(0, 7), new Date(nowMs).toISOString().slice(0, 7))
    const last = NamedRange.resolve("lastmonth", nowMs)
    assert.strictEqual(last.to, month.from)
    const days = (Date.parse(month.from) - Date.parse(last.from)) / DAY_MS
    assert.include([28, 29, 30, 31], days)
    assert.match(last.from, /-01T00:00:00\.000Z$/)
  })
})
