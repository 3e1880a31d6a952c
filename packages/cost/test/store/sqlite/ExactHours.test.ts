import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import type { Cluster } from "../../../src/store/sqlite/CostHistory.ts"
import * as ExactHours from "../../../src/store/sqlite/ExactHours.ts"

const DAYS = 4
const ALL_HOURS = 2 ** 24 - 1

const Hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DAYS * 24 }))
const Day = Schema.Struct({
  exact: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: ALL_HOURS })),
  others: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: ALL_HOURS })),
  isForgotten: Schema.Boolean
})
const Days = Schema.Tuple([Day, Day, Day, Day])

/** A cluster of four days, of which each hour of the mask is exact; those of forgotten days are no longer kept. */
const clusterOf = (days: typeof Days.Type) => {
  const closed = days.map(({ exact, others }, day) => [day, exact | others] as const)
  const cluster: Cluster = {
    id: 1,
    estimatedToMs: DAYS * 24 * HOUR_MS,
    exact: new Map(days.map(({ exact }, day) => [day, exact])),
    hours: new Map(closed.filter(([day]) => days[day]?.isForgotten !== true)),
    days: new Map(),
    closed: new Map(closed),
    newest: DAYS - 1,
    open: undefined
  }
  return cluster
}

describe("exact hours before where estimates end", () => {
  it.prop(
    "are found as runs: of a kept day those of them, of a forgotten one all if all of it is exact",
    [Days, Hour, Hour],
    ([days, from, to]) => {
      const runs = ExactHours.within(clusterOf(days), from * HOUR_MS, to * HOUR_MS)
      const found = Array.from({ length: DAYS * 24 }, (_, at) =>
        runs.some(({ endMs, startMs }) => startMs <= at * HOUR_MS && at * HOUR_MS < endMs)
      )
      const expected = found.map((_, at) => {
        const { exact = 0, isForgotten = false, others = 0 } = days[Math.floor(at / 24)] ?? {}
        const isExact = isForgotten ? (others & ~exact) === 0 : ((exact >>> (at % 24)) & 1) === 1
        return from <= at && at < to && isExact
      })
      assert.deepStrictEqual(found, expected)
      for (const [place, { startMs }] of runs.entries()) {
        assert.isTrue(place === 0 || startMs > (runs[place - 1]?.endMs ?? Infinity), "runs are as long as they can be")
      }
    }
  )
})
