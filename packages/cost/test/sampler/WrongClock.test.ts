import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import type { CostSampler } from "../../src/sampler/CostSampler.ts"
import { ClusterHours } from "../../src/sampler/ClusterHours.ts"
import { OpenHour } from "../../src/sampler/OpenHour.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at, ofDeployment, pod } from "./objects.ts"
import { a, hoursOf, inMemory, measured, onDisk, oneCluster, oneWeb, requestsOnly, settle, start } from "./sampling.ts"

const web = { owner: ofDeployment("web") }
const MINUTE = 60_000

/** A clock that tells another time than the test's, while timers go on as they do. */
const clockAhead = (clock: Clock.Clock, aheadMs: () => number): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + aheadMs()
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

const pass = Effect.fnUntraced(function* (ms: number) {
  yield* settle
  for (let passed = 0; passed < ms; passed += 5_000) {
    yield* TestClock.adjust(5_000)
    yield* settle
  }
})

const openFrom = (sampler: CostSampler["Service"]) =>
  Effect.map(
    sampler.open(a),
    Option.map(({ startMs }) => startMs)
  )

describe("a clock that is wrong", () => {
  for (const [name, aheadMs] of [
    ["ten minutes", 10 * MINUTE],
    ["two hours", 2 * HOUR_MS],
    ["a day", DAY_MS]
  ] as const) {
    it.effect(`and right again after two minutes ${name} ahead costs the present hour minutes only`, () =>
      Effect.gen(function* () {
        const fleet = yield* oneWeb
        let ahead = 0
        const clock = clockAhead(yield* Clock.Clock, () => ahead)
        const told = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Clock.Clock, clock)
        const { sampler } = yield* told(start(fleet, requestsOnly))
        yield* pass(32 * MINUTE)
        ahead = aheadMs
        yield* pass(2 * MINUTE)
        ahead = 0
        yield* pass(2 * MINUTE)
        assert.deepStrictEqual(yield* told(openFrom(sampler)), Option.some(at("10:00:00")))
        yield* pass(3 * HOUR_MS)
        const hours = yield* hoursOf(a, "10:00:00", "13:00:00")
        assert.deepStrictEqual(
          hours.map(({ startMs }) => startMs),
          [at("10:00:00"), at("11:00:00"), at("12:00:00")]
        )
        assert.isAtLeast(hours[0]?.knownSeconds ?? 0, 3_600 - 300)
        assert.deepStrictEqual(
          hours.slice(1).map((hour) => [hour.knownSeconds, measured(hour, "replicaSeconds")]),
          [
            [3_600, { "Deployment/web": 3_600 }],
            [3_600, { "Deployment/web": 3_600 }]
          ]
        )
      }).pipe(Effect.provide(inMemory), Effect.scoped)
    )
  }

  it.effect("before a restart does not hide the hours that come after it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
        yield* TestClock.setTime(at("12:30:00"))
        const first = yield* start(fleet, requestsOnly)
        yield* pass(3 * MINUTE)
        yield* first.stop
        yield* TestClock.setTime(at("09:58:00"))
        const { sampler } = yield* start(fleet, requestsOnly)
        yield* pass(4 * MINUTE)
        assert.deepStrictEqual(yield* openFrom(sampler), Option.some(at("10:00:00")))
        yield* pass(3 * HOUR_MS)
        assert.deepStrictEqual(
          (yield* hoursOf(a, "10:00:00", "14:00:00")).map(({ knownSeconds, startMs }) => [startMs, knownSeconds]),
          [
            [at("10:00:00"), 3_600],
            [at("11:00:00"), 3_600],
            [at("12:00:00"), 3_600]
          ]
        )
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )

  it("and behind sets the hour aside, which goes on with what was seen once it is right", () => {
    const held = new ClusterHours(a)
    const kept = new OpenHour(a, at("10:00:00"))
    kept.seen.extend(at("10:00:30"))
    kept.seen.extend(at("10:01:30"))
    held.restore(kept, at("04:00:00"), false)
    const filled: Array<OpenHour> = []
    held.turn(at("04:00:00"), (hour) => void filled.push(hour))
    assert.strictEqual(held.shown(at("04:00:00"))?.startMs, at("04:00:00"))
    held.turn(at("10:20:00"), (hour) => void filled.push(hour))
    assert.strictEqual(held.present, kept)
    assert.strictEqual(filled.at(-1), kept)
    assert.deepStrictEqual(kept.seen.all, [{ fromMs: at("10:00:30"), toMs: at("10:01:30") }])
  })
})
