import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as CronSchedule from "../../src/controllers/CronSchedule.ts"
import { fromRanges, toRanges } from "../../src/controllers/JobPods.ts"

const Minute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))
const Hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 }))
const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000_000_000_000 }))
const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 })))

const next = (schedule: string, after: string, zone?: string) =>
  Effect.fromResult(CronSchedule.parse(schedule, zone)).pipe(
    Effect.map((one) => new Date(one.next(Date.parse(after))).toISOString())
  )

describe("schedules of cron jobs", () => {
  it.effect("return the times that their fields, descriptors and zones define", () =>
    Effect.gen(function* () {
      const after = "2026-03-01T10:00:00Z"
      assert.strictEqual(yield* next("*/5 * * * *", after), "2026-03-01T10:05:00.000Z")
      assert.strictEqual(yield* next("0 0 * * 1-5", after), "2026-03-02T00:00:00.000Z")
      assert.strictEqual(yield* next("30 6 1 jan ?", after), "2027-01-01T06:30:00.000Z")
      assert.strictEqual(yield* next("0 0 13 * FRI", after), "2026-03-06T00:00:00.000Z")
      assert.strictEqual(yield* next("@hourly", after), "2026-03-01T11:00:00.000Z")
      assert.strictEqual(yield* next("@every 1h30m", after), "2026-03-01T11:30:00.000Z")
      assert.strictEqual(yield* next("0 9 * * *", after, "Asia/Tokyo"), "2026-03-02T00:00:00.000Z")
    })
  )

  it("refuse invalid texts", () => {
    for (const text of ["", "* * * *", "* * * * * *", "61 * * * *", "@sometimes", "a b c d e"]) {
      assert.isTrue(Result.isFailure(CronSchedule.parse(text)), text)
    }
    assert.isTrue(Result.isFailure(CronSchedule.parse("@daily", "Nowhere/Land")))
  })

  it.prop(
    "return a time at their minute and hour, within a day after the instant",
    [Minute, Hour, Instant],
    ([minute, hour, afterMs]) => {
      const schedule = CronSchedule.parse(`${minute} ${hour} * * *`)
      if (Result.isFailure(schedule)) return false
      const time = schedule.success.next(afterMs)
      const date = new Date(time)
      const isRight = date.getUTCMinutes() === minute && date.getUTCHours() === hour && date.getUTCSeconds() === 0
      return isRight && time > afterMs && time <= afterMs + 86_400_000
    }
  )
})

describe("indexes of jobs", () => {
  it("are printed as ranges", () => {
    assert.strictEqual(toRanges([0, 1, 2, 5, 7, 8]), "0-2,5,7,8")
    assert.strictEqual(toRanges([]), "")
  })

  it.prop("are parsed as they were printed", [Numbers], ([numbers]) => {
    const ascending = [...new Set(numbers)].toSorted((left, right) => left - right)
    assert.deepStrictEqual(fromRanges(toRanges(ascending)), ascending)
  })
})
