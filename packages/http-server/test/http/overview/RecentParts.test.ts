/** Parts of an overview that take long, fail, or are read by many requests at once. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as RecentParts from "../../../src/http/overview/RecentParts.ts"

const SECOND = 1_000
const fork = Effect.forkChild({ startImmediately: true })
const reasonOf = (error: RecentParts.PartDelayed | "store down") => (typeof error === "string" ? error : error.reason)

/** Lets each fiber run until it waits. */
const settle = TestClock.adjust(0)

describe("a part of an overview", () => {
  it.effect("is missing at the deadline, and is ready for a later request once it is computed", () =>
    Effect.gen(function* () {
      const read = yield* RecentParts.make<string, never>()
      const slow = () => Effect.as(Effect.sleep("10 seconds"), "costs")
      const first = yield* fork(Effect.flip(read({ key: "all", timeoutMs: 3 * SECOND }, slow)))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(first)).reason, "deadline")
      yield* TestClock.adjust("7 seconds")
      const later = read({ key: "all", timeoutMs: 1 }, () => Effect.succeed("computed again"))
      assert.strictEqual(yield* later, "costs")
    })
  )

  it.effect("is computed once for requests of the same key", () =>
    Effect.gen(function* () {
      const read = yield* RecentParts.make<number, never>()
      let count = 0
      const compute = () =>
        Effect.delay(
          Effect.sync(() => ++count),
          "1 second"
        )
      const requests = Array.from({ length: 100 }, () => read({ key: "all", timeoutMs: 3 * SECOND }, compute))
      const replies = yield* fork(Effect.all(requests, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(new Set(yield* Fiber.join(replies)), new Set([1]))
    })
  )

  it.effect("that failed is not computed again for 5 seconds, even if its store took long to fail", () =>
    Effect.gen(function* () {
      const read = yield* RecentParts.make<string, "store down">()
      let count = 0
      const compute = () =>
        Effect.suspend(() => {
          count++
          return Effect.delay(Effect.fail("store down" as const), "10 seconds")
        })
      const ask = Effect.map(Effect.flip(read({ key: "all", timeoutMs: 20 * SECOND }, compute)), reasonOf)
      const first = yield* fork(ask)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(first), "store down")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* ask, "store down")
      assert.strictEqual(count, 1)
      yield* TestClock.adjust("1 second")
      const again = yield* fork(ask)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(again), "store down")
      assert.strictEqual(count, 2)
    })
  )

  it.effect("is missing at once if 32 computations wait", () =>
    Effect.gen(function* () {
      const read = yield* RecentParts.make<string, never>()
      const open = yield* Deferred.make<string>()
      const ask = (index: number) => read({ key: `${index}`, timeoutMs: 3 * SECOND }, () => Deferred.await(open))
      const asked = yield* Effect.forEach(
        Array.from({ length: 34 }, (_, index) => index),
        (index) => fork(ask(index))
      )
      yield* settle
      assert.strictEqual((yield* Effect.flip(ask(34))).reason, "queueFull")
      yield* Deferred.succeed(open, "costs")
      for (const fiber of asked) assert.strictEqual(yield* Fiber.join(fiber), "costs")
      assert.strictEqual(yield* ask(34), "costs")
    })
  )

  it.effect("is not delayed by parts without a key", () =>
    Effect.gen(function* () {
      const read = yield* RecentParts.make<string, never>()
      const without = yield* Effect.forEach(Array.from({ length: 40 }), () =>
        fork(Effect.flip(read({ key: undefined, timeoutMs: 3 * SECOND }, () => Effect.never)))
      )
      yield* settle
      assert.strictEqual(yield* read({ key: "all", timeoutMs: 3 * SECOND }, () => Effect.succeed("costs")), "costs")
      yield* TestClock.adjust("3 seconds")
      const reasons = yield* Effect.forEach(without, (fiber) => Effect.map(Fiber.join(fiber), reasonOf))
      assert.strictEqual(reasons.filter((reason) => reason === "queueFull").length, 7)
      assert.strictEqual(reasons.filter((reason) => reason === "deadline").length, 33)
    })
  )
})
