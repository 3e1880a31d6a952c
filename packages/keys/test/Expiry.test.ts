import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result, Schema } from "effect"
import * as Expiry from "../src/Expiry.ts"
import { at } from "./samples.ts"

const now = at("2026-03-01T12:00:00Z")
const limits = { now, maxLifetime: Expiry.DEFAULT_MAX_LIFETIME }
const problemOf = (read: Result.Result<unknown, Expiry.InvalidExpiry>): string | undefined =>
  Result.isFailure(read) ? read.failure.problem : undefined
const printed = (read: Result.Result<DateTime.Utc, Expiry.InvalidExpiry>): string =>
  DateTime.formatIso(Result.getOrThrow(read))

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999 }))
const Instant = Schema.Int.check(
  Schema.isBetween({ minimum: Date.parse("0001-01-01"), maximum: Date.parse("9999-12-31") })
)
const OffsetMinutes = Schema.Int.check(Schema.isBetween({ minimum: -(23 * 60 + 59), maximum: 23 * 60 + 59 }))
const Field = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const two = (value: number): string => String(value).padStart(2, "0")

describe("the expiry of a create call", () => {
  it.each([
    ["1d", "2026-03-02T12:00:00.000Z"],
    ["90d", "2026-05-30T12:00:00.000Z"],
    ["1y", "2027-03-01T12:00:00.000Z"],
    ["2y", "2028-02-29T12:00:00.000Z"],
    ["10y", "2036-02-27T12:00:00.000Z"],
    ["2026-03-01T12:00:00.001Z", "2026-03-01T12:00:00.001Z"],
    ["2028-02-29T23:59:59Z", "2028-02-29T23:59:59.000Z"],
    ["2027-01-01T00:30:00+01:00", "2026-12-31T23:30:00.000Z"],
    ["2027-01-01T00:30:00-00:30", "2027-01-01T01:00:00.000Z"],
    ["2027-01-01t00:00:00.123456789z", "2027-01-01T00:00:00.123Z"]
  ])("%s is %s", (text, expected) => {
    assert.strictEqual(printed(Expiry.parse(text, limits)), expected)
  })

  it.each([
    ...[
      "",
      "0d",
      "01d",
      "10000d",
      "1",
      "d",
      "1w",
      "1h",
      "1D",
      "1Y",
      " 1d",
      "1d ",
      "1d\n",
      "-1d",
      "+1d",
      "1.5d",
      "1y1d",
      "1e3d",
      "١d"
    ],
    ...[
      "2027",
      "2027-01-01",
      "2027-01-01T00:00Z",
      "2027-01-01T00:00:00",
      "2027-01-01 00:00:00Z",
      "2027-01-01T00:00:00.Z"
    ],
    ...["2027-01-01T00:00:00+0100", "27-01-01T00:00:00Z", "+002027-01-01T00:00:00Z", "1798761600", "2027-1-1T00:00:00Z"]
  ])("refuses %j, which has no form of an expiry", (text) => {
    assert.strictEqual(problemOf(Expiry.parse(text, limits)), "syntax")
  })

  it.each([
    ...[
      "2027-02-29T00:00:00Z",
      "2028-02-30T00:00:00Z",
      "2027-04-31T00:00:00Z",
      "2027-13-01T00:00:00Z",
      "2027-00-01T00:00:00Z"
    ],
    ...[
      "2027-01-00T00:00:00Z",
      "2027-01-32T00:00:00Z",
      "2027-01-01T24:00:00Z",
      "2027-01-01T00:60:00Z",
      "2027-06-30T23:59:60Z"
    ],
    ...["2027-01-01T00:00:00+24:00", "2027-01-01T00:00:00+00:60", "2100-02-29T00:00:00Z"]
  ])("refuses %s, which does not exist", (text) => {
    assert.strictEqual(problemOf(Expiry.parse(text, limits)), "calendar")
  })

  it.each(["2026-03-01T12:00:00Z", "2026-03-01T11:59:59.999Z", "1999-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])(
    "refuses %s, which is not in the future",
    (text) => assert.strictEqual(problemOf(Expiry.parse(text, limits)), "past")
  )

  it("allows the longest lifetime to the millisecond", () => {
    assert.strictEqual(printed(Expiry.parse("2036-02-27T12:00:00Z", limits)), "2036-02-27T12:00:00.000Z")
    for (const text of ["2036-02-27T12:00:00.001Z", "11y", "3651d"]) {
      assert.strictEqual(problemOf(Expiry.parse(text, limits)), "tooFar")
    }
    const told = Expiry.parse("11y", limits)
    assert.include(
      Result.isFailure(told) ? told.failure.message : "",
      "that a key may have, which ends at 2036-02-27T12:00:00.000Z"
    )
  })

  it("refuses an instant that RFC 3339 cannot write, whatever the longest lifetime", () => {
    const unbounded = { now, maxLifetime: Duration.days(365 * 9_999) }
    assert.strictEqual(problemOf(Expiry.parse("9999y", unbounded)), "tooFar")
    assert.strictEqual(printed(Expiry.parse("9999-12-31T23:59:59.999Z", unbounded)), "9999-12-31T23:59:59.999Z")
  })

  it.prop(
    "a day has 24 hours and a year 365 days, from the instant of the call",
    [Count, Schema.Literals(["d", "y"])],
    ([count, unit]) => {
      const expected = count * (unit === "d" ? 1 : 365) * 86_400_000
      const read = Expiry.parse(`${count}${unit}`, limits)
      if (expected > Duration.toMillis(limits.maxLifetime)) return assert.strictEqual(problemOf(read), "tooFar")
      assert.strictEqual(DateTime.toEpochMillis(Result.getOrThrow(read)) - DateTime.toEpochMillis(now), expected)
    }
  )

  it.prop("an instant is read alike in every offset", [Instant, OffsetMinutes], ([millis, offset]) => {
    const sign = offset < 0 ? "-" : "+"
    const local = DateTime.formatIso(DateTime.makeUnsafe(millis + offset * 60_000))
    if (!/^[0-9]{4}-/.test(local)) return
    const text = `${local.slice(0, -1)}${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
    const read = Expiry.parse(text, { now: DateTime.makeUnsafe(millis - 1), maxLifetime: Duration.millis(1) })
    assert.strictEqual(DateTime.toEpochMillis(Result.getOrThrow(read)), millis, text)
  })

  it.prop(
    "a date is accepted exactly when the calendar has it",
    [Field(9_999), Field(14), Field(33), Field(25), Field(61), Field(61)],
    (fields) => {
      const [year, month, day, hour, minute, second] = fields
      const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`
      const read = Expiry.parseConfigured(text)
      // `Date.parse` rejects a date that does not exist, or reads it as another date.
      const instant = new Date(text)
      const exists = !Number.isNaN(instant.getTime()) && instant.toISOString() === text.replace("Z", ".000Z")
      assert.strictEqual(problemOf(read), exists ? undefined : "calendar", text)
    },
    { arbitrary: { runs: 2_000 } }
  )

  it.prop("no text makes it fail otherwise, and what it accepts lies within the limits", [Schema.String], ([text]) => {
    const read = Expiry.parse(text, limits)
    if (Result.isFailure(read)) return assert.instanceOf(read.failure, Expiry.InvalidExpiry)
    assert.isTrue(DateTime.isGreaterThan(read.success, now))
  })
})

describe("the expiry of a deploy-time key", () => {
  it.each([
    ["2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z"],
    ["2030-01-31T12:00:00+00:00", "2030-01-31T12:00:00.000Z"],
    ["2030-01-31T12:00:00.5Z", "2030-01-31T12:00:00.500Z"],
    ["1999-01-01T00:00:00Z", "1999-01-01T00:00:00.000Z"]
  ])("%s is %s", (text, expected) => {
    assert.strictEqual(printed(Expiry.parseConfigured(text)), expected)
  })

  it.each([
    "1y",
    "30d",
    "2030-01-31T12:00:00+01:00",
    "2030-01-31T12:00:00-00:00",
    "2030-01-31T12:00:00z",
    "2030-01-31T12:00Z",
    "2030-01-31",
    ""
  ])("refuses %j, which is no instant in UTC", (text) =>
    assert.strictEqual(problemOf(Expiry.parseConfigured(text)), "notUtc")
  )

  it("refuses 30 February", () => {
    assert.strictEqual(problemOf(Expiry.parseConfigured("2030-02-30T00:00:00Z")), "calendar")
  })
})

describe("the setting of the longest lifetime", () => {
  it("reads days and years", () => {
    assert.strictEqual(Duration.toDays(Result.getOrThrow(Expiry.parseLifetime("10y"))), 3_650)
    assert.strictEqual(Duration.toDays(Result.getOrThrow(Expiry.parseLifetime("90d"))), 90)
  })

  it.each(["0d", "10", "forever", "2030-01-01T00:00:00Z"])("refuses %s", (text) => {
    assert.strictEqual(problemOf(Expiry.parseLifetime(text)), "syntax")
  })
})
