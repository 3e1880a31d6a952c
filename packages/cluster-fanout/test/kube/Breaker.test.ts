import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import * as Breaker from "../../src/kube/Breaker.ts"
import {
  ClusterAnswerInvalid,
  ClusterCertificateInvalid,
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
  const breaker = yield* Breaker.make
  for (let failure = 0; failure < 3; failure++) yield* Effect.ignore(breaker.guard(Effect.fail(slow)))
  return breaker
})

describe("Breaker", () => {
  it.effect("lets calls through until the third failure in a row", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make
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

  it.effect("keeps the cause as it was when it opens, and tells what the last probe ended with", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make
      const untrusted = errorOf(new ClusterCertificateInvalid({ code: "SELF_SIGNED_CERT_IN_CHAIN" }))
      for (let failure = 0; failure < 3; failure++) breaker.probed(untrusted)
      assert.strictEqual(breaker.refusal(), untrusted)
      breaker.probed(refused)
      assert.strictEqual(breaker.refusal(), refused)
    })
  )

  it.effect("takes a cluster for silent when a probe and the one right after it failed, until one is answered", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make
      breaker.probed(slow)
      assert.isFalse(breaker.isSilent())
      breaker.probed(slow)
      assert.isTrue(breaker.isSilent())
      assert.isUndefined(breaker.refusal())
      breaker.succeeded()
      assert.isTrue(breaker.isSilent())
      breaker.probed(errorOf(new ClusterForbids({ verb: "list", resource: "namespaces" })))
      assert.isFalse(breaker.isSilent())
    })
  )

  it.effect("takes a refusal for a sign of life", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make
      const forbids = errorOf(new ClusterForbids({ verb: "list", resource: "pods" }))
      for (let call = 0; call < 5; call++) yield* Effect.ignore(breaker.guard(Effect.fail(forbids)))
      assert.isUndefined(breaker.refusal())
      assert.isFalse(breaker.isDoubted())
    })
  )

  it.effect("does not count a call that its caller gave up", () =>
    Effect.gen(function* () {
      const breaker = yield* Breaker.make
      for (let call = 0; call < 5; call++) {
        const fiber = yield* Effect.forkChild(breaker.guard(Effect.never), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      }
      assert.isFalse(breaker.isDoubted())
    })
  )

  it.effect("asks by one probe for all while open, and makes the calls once that is answered", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      let made = 0
      const call = Effect.forkChild(
        breaker.guard(
          Effect.sync(() => {
            made++
          })
        ),
        { startImmediately: true }
      )
      const unanswered = [yield* call, yield* call]
      yield* breaker.awaitDemand
      breaker.probing()
      breaker.probed(refused)
      for (const fiber of unanswered) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), refused)
      assert.strictEqual(made, 0)

      const answered = [yield* call, yield* call]
      breaker.probed(undefined)
      for (const fiber of answered) yield* Fiber.join(fiber)
      assert.strictEqual(made, 2)
      assert.isUndefined(breaker.refusal())
    })
  )

  it.effect("fails no call by a probe that began before it came", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      const call = Effect.forkChild(breaker.guard(Effect.succeed("made")), { startImmediately: true })
      const earlier = yield* call
      breaker.probing()
      const later = yield* call
      breaker.probed(refused)
      assert.strictEqual(yield* Effect.flip(Fiber.join(earlier)), refused)

      yield* breaker.awaitDemand
      breaker.probing()
      breaker.probed(undefined)
      assert.strictEqual(yield* Fiber.join(later), "made")
    })
  )

  it.effect("demands no probe for a call that its caller gave up", () =>
    Effect.gen(function* () {
      const breaker = yield* opened
      const call = yield* Effect.forkChild(breaker.guard(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(call)
      assert.isTrue(
        Option.isNone(
          yield* Effect.raceFirst(Effect.asSome(breaker.awaitDemand), Effect.as(Effect.yieldNow, Option.none()))
        )
      )
    })
  )

  it.effect("stays that of the current connection if a request still uses an earlier one", () =>
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
