import { assert, describe, it } from "@effect/vitest"
import { DiskReserve } from "@quarterdeck/sqlite-thread"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import { hour, series } from "../store/samples.ts"
import { fill, free, freeBytes, mount } from "../fullDisk.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at, ofDeployment, pod } from "./objects.ts"
import { a, begin, hoursOf, measured, onDisk, oneCluster, oneWeb, sampled, start, until } from "./sampling.ts"

const disk = Effect.flatMap(temporaryDirectory, mount)

const keptIn = (directory: string) =>
  Layer.fresh(onDisk(directory)).pipe(Layer.provide(Layer.fresh(DiskReserve.layer({ directory }))))

const hasReserve = (directory: string) => existsSync(join(directory, DiskReserve.FILE_NAME))

const source = sampled(() => ["web-1"])

/** Lets time pass until the reserve is made again. */
const untilReserved = (directory: string) =>
  Effect.gen(function* () {
    for (let time = 0; time < 1_000 && !hasReserve(directory); time++) {
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => setTimeout(10))
    }
    assert.isTrue(hasReserve(directory))
  })

/** An hour of ten thousand workloads, about half a megabyte. */
const large = (index: number) =>
  hour(
    at("10:00:00") + index * HOUR_MS,
    Array.from({ length: 10_000 }, (_, place) => [series(`w-${index}-${place}`), { cpuUsedMilliSeconds: place }])
  )

describe("on a disk of 64 MiB that another file fills", () => {
  it.effect("the history and the journal fail and leave the space of the reserve free", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* Effect.gen(function* () {
        const store = yield* CostStore
        const journal = yield* HourJournal
        yield* store.close(hour(at("09:00:00"), [[series("web"), { replicaSeconds: 1 }]]))
        yield* fill(directory)
        const spans = Array.from({ length: 100_000 }, (_, index) => ({ fromMs: index, toMs: index + 1 }))
        const startMs = at("10:00:00")
        const writes = [
          ...Array.from({ length: 24 }, (_, index) => store.close(large(index))),
          ...Array.from({ length: 24 }, (_, index) =>
            journal.append({ cluster: a, startMs: startMs + index }, [{ _tag: "Seen", spans }])
          )
        ]
        for (let round = 0; round < 2; round++) {
          const reasons = yield* Effect.forEach(writes, (write) => Effect.flip(write), { concurrency: "unbounded" })
          assert.deepStrictEqual([...new Set(reasons.map(({ reason }) => reason._tag))], ["DiskFull"])
          assert.isFalse(hasReserve(directory))
          assert.isAtLeast(yield* freeBytes(directory), DiskReserve.RESERVE_BYTES)
        }
        const pruned = yield* Effect.flip(store.prune({ hoursBeforeMs: startMs, daysBeforeMs: startMs }))
        assert.strictEqual(pruned.reason._tag, "DiskFull")
        assert.include(
          (yield* Effect.flip(store.close(large(0)))).message,
          "could not close an hour: the disk is full: only revocations are written until it has room again"
        )
        assert.strictEqual((yield* hoursOf(large(0).cluster, "09:00:00", "23:00:00")).length, 1)
      }).pipe(Effect.provide(keptIn(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("an hour that ends meanwhile is closed once there is room, with all that was seen", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* begin("09:58:00")
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const { sampler, stop } = yield* start(fleet, source)
        yield* until("10:20:00")
        yield* fill(directory)
        yield* until("11:05:00")
        assert.isFalse(hasReserve(directory))
        assert.isAtLeast(yield* freeBytes(directory), DiskReserve.RESERVE_BYTES)
        assert.deepStrictEqual(yield* hoursOf(a, "10:00:00", "12:00:00"), [])
        const [state] = yield* sampler.states
        const problem = "the disk is full: only revocations are written until it has room again"
        assert.sameDeepMembers(
          [...(state?.troubles ?? [])],
          [
            { what: "journal", problem: `could not save an open hour: ${problem}` },
            { what: "store", problem: `could not close an hour: ${problem}` }
          ]
        )

        yield* free(directory)
        yield* untilReserved(directory)
        yield* until("11:40:00")
        assert.deepStrictEqual((yield* sampler.states)[0]?.troubles, [])
        yield* stop
        yield* start(fleet, source)
        yield* until("12:02:00")
        const [nine, ten, eleven, ...more] = yield* hoursOf(a, "09:00:00", "13:00:00")
        assert.deepStrictEqual(more, [])
        assert.strictEqual(nine?.startMs, at("09:00:00"))
        assert.strictEqual(ten?.knownSeconds, 3_600)
        assert.deepStrictEqual(measured(ten, "replicaSeconds"), { "Deployment/web": 3_600 })
        assert.deepStrictEqual(measured(ten, "cpuUsedMilliSeconds"), { "Deployment/web": 50 * 3_600 })
        const known = eleven?.knownSeconds ?? 0
        assert.isAtLeast(known, 3_500)
        assert.deepStrictEqual(measured(eleven, "cpuUsedMilliSeconds"), { "Deployment/web": 50 * known })
      }).pipe(Effect.provide(keptIn(directory)))
    }).pipe(Effect.scoped)
  )

  it.effect("an hour whose journal failed for a while counts its samples once after a restart", () =>
    Effect.gen(function* () {
      const directory = yield* disk
      yield* begin("10:00:00")
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "09:00:00" }, { owner: ofDeployment("web") }))
        const { sampler, stop } = yield* start(fleet, source)
        yield* until("10:10:00")
        yield* fill(directory)
        yield* until("10:30:00")
        assert.include(JSON.stringify(yield* sampler.states), "could not save an open hour")
        yield* free(directory)
        yield* untilReserved(directory)
        yield* until("10:40:00")
        yield* stop
        yield* start(fleet, source)
        yield* until("11:02:00")
        const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
        const known = ten?.knownSeconds ?? 0
        assert.isAtLeast(known, 3_500)
        assert.deepStrictEqual(measured(ten, "cpuUsedMilliSeconds"), { "Deployment/web": 50 * known })
      }).pipe(Effect.provide(keptIn(directory)))
    }).pipe(Effect.scoped)
  )
})
