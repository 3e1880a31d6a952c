import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { ClusterError, ClusterThrottled, ClusterUnreachable } from "../../src/kube/ClusterError.ts"
import { type Answer, FanOut } from "../../src/list/FanOut.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { onFleet } from "../fixture/Service.ts"

const NAMES = ["a", "b", "c", "d"]
const clusters = NAMES.map((name) => ClusterName.make(name))
const live = { source: "live", timeoutMs: 3_000 } as const
const cached = { source: "cache", timeoutMs: 3_000 } as const
const answer = <A>(value: A): Answer<A> => ({ value, count: 1, ageMs: 5, isStale: false, missingKinds: [] })
const failure = (cluster: Cluster, reason: ClusterError["reason"]) =>
  Effect.fail(new ClusterError({ cluster: cluster.name, reason }))
const refused = new ClusterUnreachable({ code: "ECONNREFUSED" })

const test = <A, E>(body: (fanOut: FanOut["Service"]) => Effect.Effect<A, E>) =>
  onFleet(
    NAMES,
    () => undefined,
    () => Effect.flatMap(FanOut, body)
  )

/** Runs with the clock going on until the answer is there. */
const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust("3 seconds")
    return yield* Fiber.join(fiber)
  })

const Behaviour = Schema.Literals(["answers", "slow", "hangs", "refuses", "throttles", "breaks"])

describe("FanOut", () => {
  it.effect("answers for every cluster in the order asked, whichever comes first", () =>
    test((fanOut) =>
      Effect.gen(function* () {
        const asked = clusters.toReversed()
        const replies = yield* timed(
          fanOut.ask(asked, cached, (cluster) =>
            Effect.as(Effect.sleep(cluster.name === "d" ? 2_000 : 10), answer(cluster.name))
          )
        )
        assert.deepStrictEqual(
          replies.map(({ coverage, value }) => [coverage.name, value]),
          asked.map((name) => [name, name])
        )
        assert.strictEqual(replies[0]?.coverage.latencyMs, 2_000)
        assert.strictEqual(replies[0]?.coverage.ageMs, 5)
      })
    )
  )

  it.effect("succeeds without a request if there is no cluster to ask", () =>
    test((fanOut) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* fanOut.ask([], cached, () => Effect.never), [])
      })
    )
  )

  it.effect.prop(
    "keeps each cluster's fate to itself and ends in time",
    [Schema.Tuple([Behaviour, Behaviour, Behaviour, Behaviour])],
    ([behaviours]) =>
      test((fanOut) =>
        Effect.gen(function* () {
          const replies = yield* timed(
            fanOut.askEach(clusters, live, (cluster) => {
              switch (behaviours[clusters.indexOf(cluster.name)]) {
                case "slow":
                  return Effect.as(Effect.sleep("2900 millis"), answer(1))
                case "hangs":
                  return Effect.never
                case "refuses":
                  return failure(cluster, refused)
                case "throttles":
                  return failure(cluster, new ClusterThrottled({}))
                case "breaks":
                  return Effect.die(new Error("bug"))
                default:
                  return Effect.succeed(answer(1))
              }
            })
          )
          const expected = {
            answers: "ok",
            slow: "ok",
            hangs: "timeout",
            refuses: "unreachable",
            throttles: "throttled",
            breaks: "error"
          } as const
          assert.deepStrictEqual(
            replies.map(({ coverage }) => coverage.status),
            behaviours.map((behaviour) => expected[behaviour])
          )
          assert.isTrue(replies.every(({ coverage }) => coverage.latencyMs <= 3_000))
        })
      ),
    { arbitrary: { runs: 30 } }
  )

  it.effect("fails as a whole only when every cluster failed, and says how each did", () =>
    test((fanOut) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          timed(
            fanOut.ask(clusters, cached, (cluster) => (cluster.name === "a" ? failure(cluster, refused) : Effect.never))
          )
        )
        assert.strictEqual(error.code, "cluster_unreachable")
        assert.deepStrictEqual(
          error.coverages.map(({ status }) => status),
          ["unreachable", "timeout", "timeout", "timeout"]
        )
        const slow = yield* Effect.flip(timed(fanOut.ask(clusters, cached, () => Effect.never)))
        assert.strictEqual(slow.code, "cluster_timeout")
      })
    )
  )

  it.effect("refuses a dead cluster at once after its third failure, and does not ask it", () =>
    onFleet(
      NAMES,
      (fleet) => fleet.server("a").kill(),
      () =>
        Effect.gen(function* () {
          const fanOut = yield* FanOut
          let asked = 0
          const ask = fanOut.askEach(clusters.slice(0, 1), live, (cluster) => {
            asked++
            return failure(cluster, refused)
          })
          for (let time = 0; time < 5; time++) yield* ask
          assert.isAtMost(asked, 3)
          const [reply] = yield* ask
          assert.strictEqual(reply?.coverage.status, "unreachable")
          assert.strictEqual(reply?.coverage.error?.code, "cluster_unreachable")
        })
    )
  )

  it.effect("does not let callers with short deadlines turn a cluster away from the others", () =>
    test((fanOut) =>
      Effect.gen(function* () {
        const [name] = clusters
        if (name === undefined) return
        for (let time = 0; time < 5; time++) {
          const [reply] = yield* fanOut.askEach([name], { source: "live", timeoutMs: 0 }, () => Effect.never)
          assert.strictEqual(reply?.coverage.status, "timeout")
        }
        const [reply] = yield* fanOut.askEach([name], live, () => Effect.succeed(answer(1)))
        assert.strictEqual(reply?.coverage.status, "ok")
      })
    )
  )

  it.effect("asks by the time that it is after others had their turn", () =>
    test((fanOut) =>
      Effect.gen(function* () {
        let millis = 0
        const nanos = () => BigInt(millis) * 1_000_000n
        const around = yield* Clock.Clock
        const clock: Clock.Clock = {
          currentTimeMillisUnsafe: () => around.currentTimeMillisUnsafe(),
          currentTimeMillis: around.currentTimeMillis,
          currentTimeNanosUnsafe: () => around.currentTimeNanosUnsafe(),
          currentTimeNanos: around.currentTimeNanos,
          sleep: (duration) => around.sleep(duration),
          monotonicTimeNanosUnsafe: nanos,
          monotonicTimeNanos: Effect.sync(nanos)
        }
        const others = Effect.forever(
          Effect.andThen(
            Effect.sync(() => {
              millis += 1_000
            }),
            Effect.yieldNow
          )
        )
        const told: Array<number> = []
        const right: Array<number> = []
        const askNow = (_: Cluster, now: number) => {
          told.push(now)
          right.push(millis)
          // As long as one turn may be: the next cluster is another turn's.
          millis += 4
          return answer("at once")
        }
        const busy = yield* Effect.forkChild(others)
        yield* fanOut
          .ask(clusters, { ...cached, askNow }, () => Effect.never)
          .pipe(Effect.provideService(Clock.Clock, clock))
        yield* Fiber.interrupt(busy)
        assert.deepStrictEqual(told, right)
        assert.isAbove(told.at(-1) ?? 0, 1_000, "others had their turn")
      })
    )
  )

  it.effect("says that a cluster was dropped between the request's target and its asking", () =>
    onFleet(
      NAMES,
      () => undefined,
      (fleet) =>
        Effect.gen(function* () {
          const fanOut = yield* FanOut
          yield* fleet.register(clusterOf("a"))
          const replies = yield* fanOut.ask(clusters.slice(0, 2), cached, () => Effect.succeed(answer(1)))
          assert.deepStrictEqual(
            replies.map(({ coverage }) => coverage.status),
            ["ok", "error"]
          )
          assert.strictEqual(replies[1]?.coverage.error?.code, "cluster_removed")
        })
    )
  )
})
