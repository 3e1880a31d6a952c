import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Range from "../../src/report/Range.ts"
import { DAY_MS, HOUR_MS, dayOf, hourOf } from "../../src/hour/Units.ts"

const at = (text: string): number => Date.parse(`${text}Z`)
const nowMs = at("2026-03-08T10:20:30.400")
const limits: Range.RangeLimits = { nowMs, retentionDays: 400 }
const hourlyDays = 100

const resolved = (asked: Range.RangeQuery, now = nowMs, hoursFromMs?: number) => {
  const range = Result.getOrThrow(Range.parse(asked, { ...limits, nowMs: now }))
  return Range.align(range, Range.hourlyFromMs(range, { hourlyDays, hoursFromMs }))
}
const printed = (asked: Range.RangeQuery, now = nowMs): ReadonlyArray<string> => {
  const { endMs, hours } = resolved(asked, now)
  return [hours.startMs, hours.endMs, endMs].map((ms) => new Date(ms).toISOString())
}
const faultOf = (asked: Range.RangeQuery) => {
  const read = Range.parse(asked, limits)
  return Result.isFailure(read) ? `${read.failure.field} ${read.failure.problem}` : undefined
}

describe("a length of time", () => {
  it.each([
    [undefined, "2026-03-01T10:00:00.000Z"],
    ["7d", "2026-03-01T10:00:00.000Z"],
    ["1w", "2026-03-01T10:00:00.000Z"],
    ["168h", "2026-03-01T10:00:00.000Z"],
    ["1h", "2026-03-08T09:00:00.000Z"],
    ["24h", "2026-03-07T10:00:00.000Z"]
  ])("%s begins with the whole hour at or before now less it, and ends now", (range, start) => {
    const asked = range === undefined ? {} : { range }
    assert.deepStrictEqual(printed(asked), [start, "2026-03-08T11:00:00.000Z", "2026-03-08T10:20:30.400Z"])
  })

  it("ends with the hour when now is a whole one", () => {
    const now = at("2026-03-08T10:00:00")
    assert.deepStrictEqual(printed({ range: "2h" }, now), [
      "2026-03-08T08:00:00.000Z",
      "2026-03-08T10:00:00.000Z",
      "2026-03-08T10:00:00.000Z"
    ])
  })

  it.each(["", "d", "7", "0d", "07d", "7D", "7 d", " 7d", "-7d", "1.5d", "7m", "7y", "10000d", "7d\n", "7d7d"])(
    "refuses %j",
    (range) => {
      assert.strictEqual(faultOf({ range }), "range syntax")
    }
  )

  it("may be as long as costs are kept, and no longer", () => {
    assert.isUndefined(faultOf({ range: "400d" }))
    assert.strictEqual(faultOf({ range: "401d" }), "range tooOld")
    assert.strictEqual(faultOf({ range: "58w" }), "range tooOld")
  })

  const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_400 }))
  const Now = Schema.Int.check(
    Schema.isBetween({ minimum: at("2020-01-01T00:00:00"), maximum: at("2040-01-01T00:00:00") })
  )
  it.prop("has as many whole hours as asked for, and the open one", [Count, Now], ([count, now]) => {
    const { endMs, hours } = resolved({ range: `${count}h` }, now)
    const isOpen = now !== hourOf(now)
    assert.strictEqual(endMs, now)
    assert.strictEqual(hours.endMs - hourOf(now), isOpen ? HOUR_MS : 0)
    const startMs = hourOf(now) - count * HOUR_MS
    const dailyBefore = dayOf(now - 100 * DAY_MS)
    assert.strictEqual(hours.startMs, startMs < dailyBefore ? dayOf(startMs) : startMs)
  })
})

describe("two instants", () => {
  it("are widened to whole hours, and a missing end is now", () => {
    assert.deepStrictEqual(printed({ from: "2026-03-02T10:20:00Z", to: "2026-03-02T12:00:01Z" }), [
      "2026-03-02T10:00:00.000Z",
      "2026-03-02T13:00:00.000Z",
      "2026-03-02T13:00:00.000Z"
    ])
    assert.deepStrictEqual(printed({ from: String(at("2026-03-08T08:00:00")) }), [
      "2026-03-08T08:00:00.000Z",
      "2026-03-08T11:00:00.000Z",
      "2026-03-08T10:20:30.400Z"
    ])
  })

  it("end now at the latest", () => {
    assert.deepStrictEqual(printed({ from: "2026-03-08T08:00:00Z", to: "2027-01-01T00:00:00Z" }), [
      "2026-03-08T08:00:00.000Z",
      "2026-03-08T11:00:00.000Z",
      "2026-03-08T10:20:30.400Z"
    ])
  })

  it("are widened to whole days where only days are kept", () => {
    const from = "2025-06-02T10:00:00Z"
    assert.deepStrictEqual(printed({ from, to: "2025-06-03T01:00:00Z" }), [
      "2025-06-02T00:00:00.000Z",
      "2025-06-04T00:00:00.000Z",
      "2025-06-04T00:00:00.000Z"
    ])
    assert.isTrue(resolved({ from, to: "2025-06-03T01:00:00Z" }).isInDays)
    assert.deepStrictEqual(printed({ from, to: "2026-03-03T01:00:00Z" }), [
      "2025-06-02T00:00:00.000Z",
      "2026-03-03T01:00:00.000Z",
      "2026-03-03T01:00:00.000Z"
    ])
    assert.isFalse(resolved({ from: "2026-03-02T10:20:00Z" }).isInDays)
  })

  it("are widened to whole days where hours were forgotten, though the setting would keep them by now", () => {
    const hoursFromMs = at("2026-03-05T00:00:00")
    const windowOf = (from: string, to: string) => {
      const { hours, isInDays } = resolved({ from, to }, nowMs, hoursFromMs)
      return [new Date(hours.startMs).toISOString(), new Date(hours.endMs).toISOString(), isInDays]
    }
    assert.deepStrictEqual(windowOf("2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z"), [
      ...["2026-03-03T00:00:00.000Z", "2026-03-04T00:00:00.000Z"],
      true
    ])
    assert.deepStrictEqual(windowOf("2026-03-04T10:00:00Z", "2026-03-05T11:00:00Z"), [
      ...["2026-03-04T00:00:00.000Z", "2026-03-05T11:00:00.000Z"],
      true
    ])
    assert.deepStrictEqual(windowOf("2026-03-05T10:00:00Z", "2026-03-05T11:00:00Z"), [
      ...["2026-03-05T10:00:00.000Z", "2026-03-05T11:00:00.000Z"],
      false
    ])
    // A setting that keeps less than there is counts all the same.
    assert.strictEqual(Range.hourlyFromMs(limits, { hourlyDays: 1, hoursFromMs }), at("2026-03-07T00:00:00"))
  })

  it.each([
    [{ range: "7d", from: "0" }, "range both"],
    [{ range: "7d", to: "2026-03-02T00:00:00Z" }, "range both"],
    [{ to: "2026-03-02T00:00:00Z" }, "to fromMissing"],
    [{ from: "yesterday" }, "from instant"],
    [{ from: "" }, "from instant"],
    [{ from: "2026-03-02T00:00:00Z", to: "today" }, "to instant"],
    [{ from: "2026-03-02T00:00:00Z", to: "2026-03-02T00:00:00Z" }, "to empty"],
    [{ from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z" }, "to empty"],
    [{ from: "2026-03-08T10:20:30.400Z" }, "from future"],
    [{ from: "2027-03-02T00:00:00Z", to: "2027-03-03T00:00:00Z" }, "from future"],
    [{ from: "2025-02-01T09:20:30Z" }, "from tooOld"],
    [{ from: "0", to: "1" }, "from tooOld"]
  ])("%j is refused: %s", (asked, fault) => {
    assert.strictEqual(faultOf(asked), fault)
  })

  it("tells what is allowed when they are too old", () => {
    const read = Range.parse({ from: "0" }, limits)
    const message = Result.isFailure(read) ? read.failure.message : ""
    assert.include(message, "from: ")
    assert.include(message, "400 days")
    assert.include(message, "2025-02-01T11:00:00.000Z")
  })

  const Later = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: HOUR_MS }))
  const Instant = Schema.Int.check(Schema.isBetween({ minimum: nowMs, maximum: nowMs + 2 * DAY_MS }))
  it.prop(
    "are accepted when the reported earliest instant is sent back within the hour",
    [Instant, Later],
    ([now, later]) => {
      const refused = Range.parse({ range: "500d" }, { ...limits, nowMs: now })
      assert(Result.isFailure(refused))
      const [, earliest] = / so (\S+) is the earliest$/.exec(refused.failure.message) ?? []
      assert.isDefined(earliest)
      const taken = Range.parse({ from: earliest }, { ...limits, nowMs: now + later })
      assert.isTrue(Result.isSuccess(taken))
      assert.isAtMost(Date.parse(earliest ?? "") - (now - 400 * DAY_MS), HOUR_MS)
    }
  )

  it("are taken from the whole hour on that a length may begin with", () => {
    const { hours } = resolved({ range: "400d" })
    assert.isUndefined(faultOf({ from: "2025-02-01T10:00:00Z" }))
    assert.strictEqual(faultOf({ from: "2025-02-01T09:59:59.999Z" }), "from tooOld")
    assert.deepStrictEqual(resolved({ from: "2025-02-01T10:00:00Z" }).hours, hours)
  })

  const HoursAgo = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_300 }))
  const DaysAgo = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 399 }))
  const meets = (a: number, b: number, c: number): void => {
    const [from, between, to] = [a, b, c].toSorted((one, other) => one - other)
    if (from === undefined || between === undefined || to === undefined || from === between || between === to) return
    const window = (start: number, end: number) => resolved({ from: String(start), to: String(end) }).hours
    assert.deepStrictEqual(
      { startMs: window(from, between).startMs, endMs: window(between, to).endMs },
      window(from, to)
    )
    assert.strictEqual(window(from, between).endMs, window(between, to).startMs)
  }

  it.prop("add up where they meet on an hour", [HoursAgo, HoursAgo, HoursAgo], (ago) => {
    const [a, b, c] = ago
    meets(hourOf(nowMs) - a * HOUR_MS, hourOf(nowMs) - b * HOUR_MS, hourOf(nowMs) - c * HOUR_MS)
  })

  it.prop("add up where they meet on a day, however old", [DaysAgo, DaysAgo, DaysAgo], (ago) => {
    const [a, b, c] = ago
    meets(dayOf(nowMs) - a * DAY_MS, dayOf(nowMs) - b * DAY_MS, dayOf(nowMs) - c * DAY_MS)
  })

  const Minutes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 399 * 24 * 60 }))
  it.prop("cover what was asked for, on hours or days", [Minutes, Minutes], ([a, b]) => {
    if (a === b) return
    const from = nowMs - Math.max(a, b) * 60_000
    const to = nowMs - Math.min(a, b) * 60_000
    const { endMs, hours } = resolved({ from: String(from), to: String(to) })
    assert.isTrue(hours.startMs <= from && to <= hours.endMs && endMs <= nowMs)
    assert.strictEqual(hours.startMs % HOUR_MS, 0)
    assert.strictEqual(hours.endMs % HOUR_MS, 0)
    if (hours.startMs < Range.hourlyFromMs(limits, { hourlyDays })) assert.strictEqual(hours.startMs % DAY_MS, 0)
    if (hours.endMs < Range.hourlyFromMs(limits, { hourlyDays })) assert.strictEqual(hours.endMs % DAY_MS, 0)
  })
})
