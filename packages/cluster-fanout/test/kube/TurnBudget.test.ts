import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as turnBudget from "../../src/kube/TurnBudget.ts"
import { countingTurns, ticking } from "../fixture/Turns.ts"

const items = Array.from({ length: 24 }, (_, index) => index)

describe("TurnBudget", () => {
  it.live("all who take something in share the milliseconds of a turn, and go on in turns", () =>
    Effect.gen(function* () {
      const turns = turnBudget.make(4)
      const worked: Array<{ readonly who: string; readonly turn: number }> = []
      yield* countingTurns((turn) =>
        Effect.forEach(["a", "b", "c"], (who) => turns.map(items, () => void worked.push({ who, turn: turn() })), {
          concurrency: "unbounded"
        })
      )
      assert.strictEqual(worked.length, 3 * items.length)
      const ofTurns = Map.groupBy(worked, ({ turn }) => turn)
      for (const steps of ofTurns.values()) assert.isAtMost(steps.length, 4)
      // No caller waits until another one has finished all its steps.
      const firsts = ["a", "b", "c"].map((name) => worked.findIndex(({ who }) => who === name))
      assert.isBelow(Math.max(...firsts), items.length)
    }).pipe(Effect.provideServiceEffect(Clock.Clock, ticking))
  )

  it.live("gives what was made of each item, in order", () =>
    Effect.gen(function* () {
      const doubled = yield* turnBudget.make(4).map(items, (item) => 2 * item)
      assert.deepStrictEqual(
        doubled,
        items.map((item) => 2 * item)
      )
    }).pipe(Effect.provideServiceEffect(Clock.Clock, ticking))
  )

  it.live("a caller that is interrupted while it waits delays no other caller", () =>
    Effect.gen(function* () {
      const turns = turnBudget.make(4)
      yield* Effect.raceFirst(
        turns.repeat(() => true),
        Effect.yieldNow
      )
      assert.deepStrictEqual(yield* turns.map(items, (item) => item), items)
    }).pipe(Effect.provideServiceEffect(Clock.Clock, ticking))
  )
})
