import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"

const counting = Effect.map(Ref.make(0), (seen) => Ref.updateAndGet(seen, (count) => count + 1))
const often = { every: "5 millis" } as const
/** For what never comes: a machine that stands still for longer would end what is about to come. */
const quickly = { ...often, within: "200 millis" } as const

describe("eventually", () => {
  it.effect("gives the first value that is accepted", () =>
    Effect.gen(function* () {
      const next = yield* counting
      assert.strictEqual(yield* eventually("it reaches three", next, (value) => value >= 3, often), 3)
    })
  )

  it.effect("goes on after failures", () =>
    Effect.gen(function* () {
      const next = yield* counting
      const failing = Effect.filterOrFail(
        next,
        (value) => value > 2,
        () => new Error("not listening")
      )
      assert.strictEqual(yield* eventually("it answers", failing, () => true, often), 3)
    })
  )

  it.effect("says what was awaited and what was seen last", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        eventually("the pod runs", Effect.succeed({ phase: "Pending" }), ({ phase }) => phase === "Running", quickly)
      )
      assert.match(error.message, /^the pod runs: not after \d+ ms and \d+ attempts; last seen: {"phase":"Pending"}$/)
      // A timer of 200 ms may end within the 200th by the clock, which counts whole ones.
      assert.isAtLeast(error.waitedMs, 199)
      assert.isAbove(error.attempts, 1)
    })
  )

  it.effect("says how the last attempt failed", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(eventually("it answers", Effect.fail(new Error("refused")), () => true, quickly))
      assert.match(error.message, /last seen: refused$/)
    })
  )

  it.effect("does not wait for an attempt that never ends", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(eventually("it answers", Effect.never, () => true, quickly))
      assert.strictEqual(error.last, "nothing")
    })
  )
})
