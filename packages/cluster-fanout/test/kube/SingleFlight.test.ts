import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as SingleFlight from "../../src/kube/SingleFlight.ts"
import { settles } from "../fixture/Settling.ts"

const setup = Effect.gen(function* () {
  const flights = SingleFlight.make<number, string>(yield* Effect.scope)
  const seen = { runs: 0, interrupted: 0 }
  const slow = Effect.sync(() => ++seen.runs).pipe(
    Effect.tap(Effect.sleep("1 second")),
    Effect.onInterrupt(() => Effect.sync(() => seen.interrupted++))
  )
  const board = Effect.forkChild(flights.run("k", slow), { startImmediately: true })
  return { board, flights, seen, slow }
})

describe("SingleFlight", () => {
  it.effect("runs once for all who ask meanwhile, and anew for who asks after", () =>
    Effect.gen(function* () {
      const { board, seen } = yield* setup
      const [one, other] = [yield* board, yield* board]
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(one), yield* Fiber.join(other)], [1, 1])
      const later = yield* board
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(later), 2)
      assert.deepStrictEqual(seen, { runs: 2, interrupted: 0 })
    })
  )

  it.effect("goes on for the others when one leaves, and ends when the last does", () =>
    Effect.gen(function* () {
      const { board, seen } = yield* setup
      const [one, other] = [yield* board, yield* board]
      yield* settles("the run is under way", () => seen.runs === 1)
      yield* Fiber.interrupt(one)
      assert.strictEqual(seen.interrupted, 0)
      yield* Fiber.interrupt(other)
      assert.strictEqual(seen.interrupted, 1)
    })
  )

  it.effect("hands a failure to all, and does not keep it", () =>
    Effect.gen(function* () {
      const { flights, slow } = yield* setup
      const fail = Effect.andThen(Effect.sleep("1 second"), Effect.fail("no"))
      const fibers = [
        yield* Effect.forkChild(flights.run("k", fail), { startImmediately: true }),
        yield* Effect.forkChild(flights.run("k", fail), { startImmediately: true })
      ]
      yield* TestClock.adjust("1 second")
      for (const fiber of fibers) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "no")
      const again = yield* Effect.forkChild(flights.run("k", slow), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(again), 1)
    })
  )
})
