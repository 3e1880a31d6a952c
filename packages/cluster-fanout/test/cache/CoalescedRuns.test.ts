import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CoalescedRuns from "../../src/cache/CoalescedRuns.ts"
import * as FairLanes from "../../src/cache/FairLanes.ts"
import * as FiberRoster from "../../src/cache/FiberRoster.ts"
import { settles } from "../fixture/Settling.ts"

const setup = (lanes: number) =>
  Effect.gen(function* () {
    const runs = CoalescedRuns.make<{ readonly key: string }, number, string>(
      FairLanes.make(lanes),
      yield* FiberRoster.make
    )
    const keys = new Map<string, { readonly key: string }>()
    const keyOf = (key: string) => {
      const known = keys.get(key) ?? { key }
      keys.set(key, known)
      return known
    }
    const seen = { runs: 0, interrupted: 0 }
    const slow = () =>
      Effect.sync(() => ++seen.runs).pipe(
        Effect.tap(Effect.sleep("1 second")),
        Effect.onInterrupt(() => Effect.sync(() => seen.interrupted++))
      )
    const board = (key: string, request = 1, effect: () => Effect.Effect<number, string> = slow) =>
      Effect.forkChild(runs.run(keyOf(key), { request, place: 0 }, effect), { startImmediately: true })
    return { board, seen }
  })

describe("CoalescedRuns", () => {
  it.effect("runs once for all who ask together, and anew for who asks after it has begun", () =>
    Effect.gen(function* () {
      const { board, seen } = yield* setup(4)
      const [one, other] = [yield* board("k"), yield* board("k")]
      yield* settles("the run has begun", () => seen.runs === 1)
      const later = yield* board("k")
      yield* settles("another has begun", () => seen.runs === 2)
      yield* TestClock.adjust("1 second")
      const answers = yield* Effect.forEach([one, other, later], (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(answers, [1, 1, 2])
    })
  )

  it.effect("begins with the first lane that anybody who shares it is given", () =>
    Effect.gen(function* () {
      const { board } = yield* setup(1)
      const first = yield* board("first")
      yield* board("second")
      yield* board("third")
      const shared = [yield* board("shared"), yield* board("shared", 2)]
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(first), 1)
      const answers = yield* Effect.forEach(shared, (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(answers, [3, 3], "the other request's turn comes before the first one's third")
    })
  )

  it.effect("goes on for the others when one leaves, and ends when the last does", () =>
    Effect.gen(function* () {
      const { board, seen } = yield* setup(1)
      const [one, other] = [yield* board("k"), yield* board("k")]
      yield* settles("the run has begun", () => seen.runs === 1)
      yield* Fiber.interrupt(one)
      assert.strictEqual(seen.interrupted, 0)
      yield* Fiber.interrupt(other)
      assert.strictEqual(seen.interrupted, 1)
      const next = yield* board("k")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(next), 2, "its lane is free again")
    })
  )

  it.effect("hands a failure to all, and does not keep it", () =>
    Effect.gen(function* () {
      const { board } = yield* setup(1)
      const fail = () => Effect.andThen(Effect.sleep("1 second"), Effect.fail("no"))
      const fibers = [yield* board("k", 1, fail), yield* board("k", 1, fail)]
      yield* TestClock.adjust("1 second")
      for (const fiber of fibers) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "no")
      const again = yield* board("k")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(again), 1)
    })
  )
})
