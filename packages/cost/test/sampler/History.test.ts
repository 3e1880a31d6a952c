import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CostError, StoreUnavailable } from "../../src/hour/CostError.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { build } from "../../src/allocation/HourBuilder.ts"
import { Prices } from "../../src/price/Prices.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { bookOf, cpu } from "../price/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at } from "./objects.ts"
import {
  a,
  begin,
  dearerFrom,
  hoursOf,
  inMemory,
  measured,
  oneCluster,
  onDisk,
  oneWeb,
  requestsOnly,
  revisionLimits,
  settle,
  start,
  until,
  untilMs
} from "./sampling.ts"

const dearer = dearerFrom("11:00:00")

describe("prices that change", () => {
  it.effect("count in closed hours from their day on, and in the open one", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      const { sampler } = yield* start(fleet, requestsOnly)
      yield* until("12:30:00")
      const before = yield* hoursOf(a, "10:00:00", "12:00:00")
      const { repriceFromMs } = yield* (yield* Prices).replace(dearer, revisionLimits)
      assert.strictEqual(repriceFromMs, at("11:00:00"))
      assert.strictEqual(yield* sampler.reprice(repriceFromMs ?? 0), 1)
      const [ten, eleven] = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(ten, before[0])
      // A tenth of a core for an hour at two dollars.
      assert.strictEqual(measured(eleven, "cpuCostNanos")["Deployment/web"], 200_000_000)
      yield* until("12:31:00")
      const open = Option.getOrUndefined(yield* sampler.open(a))
      const known = open?.knownSeconds ?? 0
      assert.isAbove(known, 1_700)
      assert.strictEqual(measured(open, "cpuCostNanos")["Deployment/web"], Math.round((200_000_000 * known) / 3_600))
      assert.isTrue(Option.isNone(yield* sampler.repricing))
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("count from their instant in the open hour, and in the hour once it is closed", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      const { sampler } = yield* start(fleet, requestsOnly)
      yield* until("10:40:00")
      yield* (yield* Prices).replace(bookOf(cpu(1.031611)), revisionLimits)
      yield* until("10:45:01")
      const open = Option.getOrUndefined(yield* sampler.open(a))
      const known = (open?.knownSeconds ?? 0) / 60
      assert.isTrue(known > 40 && known <= 46)
      // A tenth of a core, forty minutes at the old price.
      const cost = (minutes: number) => Math.round((0.1 * (40 * 0.031611 + (minutes - 40) * 1.031611) * 1e9) / 60)
      assert.closeTo(measured(open, "cpuCostNanos")["Deployment/web"] ?? 0, cost(known), 1)
      yield* until("11:02:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.closeTo(measured(ten, "cpuCostNanos")["Deployment/web"] ?? 0, cost(60), 1)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("count in all hours after a restart, when the program ended on the way", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, requestsOnly)
        yield* until("12:02:00")
        yield* first.stop
        yield* (yield* Prices).replace(dearer, revisionLimits)
        const note = JSON.stringify({ fromMs: at("11:00:00") })
        yield* Effect.promise(() => writeFile(join(directory, "open-hours", "reprice.json"), note))
        yield* start(fleet, requestsOnly)
        yield* until("12:03:00")
        const [, eleven] = yield* hoursOf(a, "10:00:00", "12:00:00")
        assert.strictEqual(measured(eleven, "cpuCostNanos")["Deployment/web"], 200_000_000)
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )
})

describe("what goes wrong on the disk", () => {
  const broken = new CostError({
    reason: new StoreUnavailable({ action: "close an hour", cause: new Error("no space left") })
  })

  it.effect("an hour that the store did not take is closed once it does, with all that was seen", () => {
    let isBroken = true
    const failing = Layer.effect(
      CostStore,
      Effect.map(CostStore, (store) =>
        CostStore.of({ ...store, close: (hour: Hour) => (isBroken ? Effect.fail(broken) : store.close(hour)) })
      )
    )
    return Effect.gen(function* () {
      const fleet = yield* oneWeb
      yield* start(fleet, requestsOnly)
      yield* until("11:30:00")
      assert.deepStrictEqual(yield* hoursOf(a, "09:00:00", "11:00:00"), [])
      isBroken = false
      yield* until("11:32:00")
      const hours = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(
        hours.map((hour) => measured(hour, "replicaSeconds")),
        [{ "Deployment/web": 3_600 }]
      )
    }).pipe(Effect.provide(failing), Effect.provide(inMemory), Effect.scoped)
  })

  it.effect("a journal that cannot be written costs no hour, and is whole again once it can", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, requestsOnly)
        yield* until("10:10:00")
        const open = join(directory, "open-hours")
        yield* Effect.promise(() => rm(open, { recursive: true }))
        yield* Effect.promise(() => writeFile(open, "in the way"))
        yield* until("10:20:00")
        yield* Effect.promise(() => rm(open))
        yield* Effect.promise(() => mkdir(open))
        yield* until("10:30:00")
        yield* first.stop
        yield* start(fleet, requestsOnly)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.isAtLeast(hour?.knownSeconds ?? 0, 3_480)
        assert.strictEqual(measured(hour, "replicaSeconds")["Deployment/web"], hour?.knownSeconds)
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )
})

describe("old hours", () => {
  it.effect("become days, and days are forgotten, once a day", () =>
    Effect.gen(function* () {
      const store = yield* CostStore
      const startMs = at("10:00:00")
      const closed = (ageDays: number) => {
        const fromMs = startMs - ageDays * DAY_MS
        const span = { fromMs, toMs: fromMs + HOUR_MS }
        return store.close(
          build({ cluster: a, startMs: fromMs, seen: [span], nodes: [], pods: [], volumes: [], loadBalancers: [] })
        )
      }
      yield* Effect.forEach([500, 100, 99, 98], closed, { discard: true })
      const { fleet } = yield* oneCluster
      yield* begin("12:00:00")
      yield* start(fleet, requestsOnly)
      yield* settle
      const kept = Effect.map(store.hours(a, { startMs: 0, endMs: startMs - DAY_MS }), (hours) =>
        hours.map((hour) => Math.round((startMs - hour.startMs) / DAY_MS))
      )
      assert.deepStrictEqual(yield* kept, [100, 99, 98])
      const seconds = Effect.map(store.sums([a], { startMs: 0, endMs: startMs }), ([sums]) => sums?.knownSeconds)
      assert.strictEqual(yield* seconds, 3 * 3_600)
      yield* untilMs(at("12:00:00") + DAY_MS + HOUR_MS)
      assert.deepStrictEqual(yield* kept, [99, 98])
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
