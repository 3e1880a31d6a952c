import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Backlog from "../../src/sampler/Backlog.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"

const LENGTH = 48
const Hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: LENGTH - 1 }))
const Hours = Schema.Array(Hour)
const ms = (hour: number): number => hour * HOUR_MS
const all: Backlog.Backlog = { untilMs: ms(LENGTH), left: [{ startMs: 0, endMs: ms(LENGTH) }] }

const startsOf = (windows: ReturnType<typeof Backlog.without>): ReadonlyArray<number> =>
  windows.flatMap(({ endMs, startMs }) =>
    Array.from({ length: (endMs - startMs) / HOUR_MS }, (_, hour) => startMs / HOUR_MS + hour)
  )
const allBut = (hours: ReadonlyArray<number>) =>
  Array.from({ length: LENGTH }, (_, hour) => hour).filter((hour) => !hours.includes(hour))

describe("what is open of the past", () => {
  it.prop("is each hour that was not filled in, in rising order, in whatever order they came", [Hours], ([hours]) => {
    const { left } = hours.reduce((backlog, hour) => Backlog.filled(backlog, ms(hour)), all)
    assert.deepStrictEqual(startsOf(left), allBut(hours))
    assert.strictEqual(Backlog.hoursOf(left), LENGTH - new Set(hours).size)
  })

  it.prop("is gone on with from any hour, and has the same hours then", [Hours, Hour], ([hours, from]) => {
    const { left } = hours.reduce((backlog, hour) => Backlog.filled(backlog, ms(hour)), all)
    const open = allBut(hours)
    assert.deepStrictEqual(startsOf(Backlog.startingAt(left, ms(from))), [
      ...open.filter((hour) => hour >= from),
      ...open.filter((hour) => hour < from)
    ])
  })

  it.prop("lies before the first hour that the source knows, or is missing", [Hours, Hour], ([hours, first]) => {
    const backlog = Backlog.knowing(
      hours.reduce((held, hour) => Backlog.filled(held, ms(hour)), all),
      ms(first)
    )
    const { missing, older } = Backlog.parts(backlog)
    const from = Math.min(first, ...hours)
    assert.deepStrictEqual(
      startsOf(older),
      allBut(hours).filter((hour) => hour < from)
    )
    assert.deepStrictEqual(
      startsOf(missing),
      allBut(hours).filter((hour) => hour >= from)
    )
  })

  it.prop("is given up as it grows too old", [Hours, Hour], ([hours, from]) => {
    const { left } = Backlog.since(
      hours.reduce((held, hour) => Backlog.filled(held, ms(hour)), all),
      ms(from)
    )
    assert.deepStrictEqual(
      startsOf(left),
      allBut(hours).filter((hour) => hour >= from)
    )
  })

  it("is missing in whole while the source knows no hour", () => {
    assert.deepStrictEqual(Backlog.parts(all), { older: [], missing: all.left })
  })
})
