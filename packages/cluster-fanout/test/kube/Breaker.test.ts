import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Breaker from "../../src/kube/Breaker.ts"
import {
  ClusterAnswerInvalid,
  ClusterError,
  ClusterForbids,
  ClusterTimeout,
  ClusterUnreachable
} from "../../src/kube/ClusterError.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"

const cluster = ClusterName.make("c1")
const errorOf = (reason: ClusterError["reason"]) => new ClusterError({ cluster, reason })
const refused = errorOf(new ClusterUnreachable({ code: "ECONNREFUSED" }))
const slow = errorOf(new ClusterTimeout({ timeoutMs: 5000 }))

const opened = Effect.gen(function* () {
  const breaker = yield* Breaker.make(cluster)
  for (let failure = 0; failure < 3; failure++) yield* Effect.ignore(breaker.guard(Effect.fail(slow)))
  return breaker
})

/** Tells whether a call is let through. */
const isAdmitted = (breaker: Breaker.Breaker, answer: Effect.Effect<void, ClusterError> = Effect.void) =>
  Effect.gen(function* () {
    let ran = false
    yield* Effect.result(
      breaker.guard(
        Effect.andThen(
          Effect.sync(() => {
            ran = true
          }),
          answer
        )
      )
    )
    return ran
  })

describe("Breaker", () => {
  it.effect("lets calls through until the third failure in a row", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make(cluster)
      yield* Effect.ignore(breaker.guard(Effect.fail(slow)))
      yield* Effect.ignore(breaker.guard(Effect.fail(refused)))
      yield* breaker.guard(Effect.void)
      yield* Effect.ignore(breaker.guard(Effect.fail(slow)))
      yield* Effect.ignore(breaker.guard(Effect.fail(refused)))
      assert.isUndefined(breaker.refusal())
      yield* Effect.ignore(breaker.guard(Effect.fail(errorOf(new ClusterAnswerInvalid({ status: 503, problem: "" })))))
      assert.isDefined(breaker.refusal())
    })
  )

  it.effect("refuses at once while open, naming what opened it", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      const result = yield* Effect.result(breaker.guard(Effect.never))
      assert.isTrue(Result.isFailure(result))
      assert.include(breaker.refusal()?.message, "cannot be reached (ETIMEDOUT)")
    })
  )

  it.effect("takes a refusal for a sign of life", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make(cluster)
      const forbids = errorOf(new ClusterForbids({ verb: "list", resource: "pods" }))
      for (let call = 0; call < 5; call++) yield* Effect.ignore(breaker.guard(Effect.fail(forbids)))
      assert.isUndefined(breaker.refusal())
      assert.strictEqual(breaker.failures(), 0)
    })
  )

  it.effect("does not count a call that its caller gave up", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make(cluster)
      for (let call = 0; call < 5; call++) {
        const fiber = yield* Effect.forkChild(breaker.guard(Effect.never), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      }
      assert.strictEqual(breaker.failures(), 0)
    })
  )

  it.effect("lets one probe through when its time has come, and closes when that is answered", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      assert.isFalse(yield* isAdmitted(breaker))
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(breaker.guard(Effect.sleep("1 second")), { startImmediately: true })
      assert.isFalse(yield* isAdmitted(breaker))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(probe)
      assert.isUndefined(breaker.refusal())
      assert.isTrue(yield* isAdmitted(breaker))
    })
  )

  it.effect("waits longer after every probe that fails, up to a minute", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      const waits: Array<number> = []
      for (let probe = 0; probe < 6; probe++) {
        let waited = 0
        while (!(yield* isAdmitted(breaker, Effect.fail(slow)))) {
          yield* TestClock.adjust("1 second")
          waited++
        }
        waits.push(waited)
      }
      assert.isTrue(
        waits.every((waited, index) => waited <= Math.min(60, 5 * 2 ** index) + 1),
        waits.join()
      )
      assert.isAtLeast(waits.at(-1) ?? 0, 30)
    })
  )

  it.effect("frees the probe's place when the probe is given up", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(breaker.guard(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(probe)
      assert.isTrue(yield* isAdmitted(breaker))
    })
  )

  it.effect("opens for as long as it should, whatever becomes of the system's clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-06-01T12:00:00Z"))
      const breaker = yield* opened
      yield* TestClock.setTime(Date.parse("2026-06-01T11:00:00Z"))
      assert.isFalse(yield* isAdmitted(breaker))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* isAdmitted(breaker))
    })
  )

  it.effect("stays that of the present connection when somebody still asks by an earlier one", () =>
    Effect.gen(function* () {
      const breakers = yield* Breaker.Breakers
      const earlier = clusterOf("c1", { generation: "1" })
      const present = clusterOf("c1", { generation: "2" })
      yield* breakers.of(earlier)
      const breaker = yield* breakers.of(present)
      assert.notStrictEqual(yield* breakers.find(earlier), breaker)
      assert.strictEqual(yield* breakers.find(present), breaker)
      assert.strictEqual(yield* breakers.of(present), breaker)
    }).pipe(Effect.provide(Breaker.Breakers.layer))
  )

  it.effect("starts anew with a cluster's new connection", () =>
    Effect.gen(function* () {
      const breakers = yield* Breaker.Breakers
      const first = yield* breakers.of(clusterOf("c1"))
      assert.strictEqual(yield* breakers.of(clusterOf("c1")), first)
      assert.notStrictEqual(yield* breakers.of(clusterOf("c1", { generation: "2" })), first)
    }).pipe(Effect.provide(Breaker.Breakers.layer))
  )
})
