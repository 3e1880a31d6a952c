import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { CostError, StoreUnavailable } from "../../src/hour/CostError.ts"
import { DAY_MS } from "../../src/hour/Units.ts"
import * as Pruning from "../../src/sampler/Pruning.ts"

const settings = { hourlyDays: 31, retentionDays: 400 }
const startMs = Date.UTC(2026, 2, 1, 12)

/** Runs it on a store that notes what it is asked to forget. */
const started = Effect.fnUntraced(function* (isFilling: () => boolean, isDown: () => boolean = () => false) {
  const asked: Array<Parameters<Pruning.Parts["store"]["prune"]>[0]> = []
  const store: Pruning.Parts["store"] = {
    prune: (before) =>
      Effect.suspend(() => {
        asked.push(before)
        return isDown()
          ? Effect.fail(new CostError({ reason: new StoreUnavailable({ action: "forget old hours", cause: "down" }) }))
          : Effect.void
      })
  }
  yield* TestClock.setTime(startMs)
  yield* Effect.forkScoped(Pruning.run({ store, settings, isFilling }), { startImmediately: true })
  return asked
})

describe("old hours", () => {
  it.effect("are forgotten at the start and every day, as the settings keep them", () =>
    Effect.gen(function* () {
      const asked = yield* started(() => false)
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(
        asked,
        [0, 1, 2].map((day) => ({
          hoursBeforeMs: startMs + (day - settings.hourlyDays) * DAY_MS,
          daysBeforeMs: startMs + (day - settings.retentionDays) * DAY_MS
        }))
      )
    })
  )

  it.effect("are kept while the past is filled in, but no longer than a day", () =>
    Effect.gen(function* () {
      let isFilling = true
      const asked = yield* started(() => isFilling)
      yield* TestClock.adjust("23 hours")
      assert.lengthOf(asked, 0)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(asked, 1)
      isFilling = false
      yield* TestClock.adjust("1 day")
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("are asked for again the next day where the store failed", () =>
    Effect.gen(function* () {
      let isDown = true
      const asked = yield* started(
        () => false,
        () => isDown
      )
      isDown = false
      yield* TestClock.adjust("1 day")
      assert.lengthOf(asked, 2)
    })
  )
})
