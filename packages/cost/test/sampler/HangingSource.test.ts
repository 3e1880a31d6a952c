import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, Stream } from "effect"
import { HOUR_MS } from "../../src/hour/Units.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at, ofDeployment, pod } from "./objects.ts"
import { a, begin, hoursOf, inMemory, measured, onDisk, oneCluster, start, until } from "./sampling.ts"

const web = { owner: ofDeployment("web") }

/** A source that gives no answer while it hangs, and notes when it is asked. */
const hanging = (isHanging: () => boolean, asked: Array<number> = []): Hourly => ({
  _tag: "Hourly",
  hour: (_, startMs) =>
    Effect.gen(function* () {
      asked.push(yield* Clock.currentTimeMillis)
      if (isHanging()) return yield* Effect.never
      const slices = { fromMs: [startMs], toMs: [startMs + HOUR_MS], cpuMillis: [250], memoryBytes: [1_024] }
      return { containers: [{ namespace: "shop", pod: "web-1", container: "main", slices }], egress: [] }
    }),
  past: () => Stream.empty
})

const starts = Array.from({ length: 8 }, (_, hour) => at("00:00:00") + hour * HOUR_MS)
const TWO_DIGITS = 2

describe("a source that gives no answer for hours", () => {
  it.effect("delays no hour by more than two minutes, is asked once a minute, and makes good all of them later", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "00:00:00" }, web))
      yield* begin("00:00:00")
      const asked: Array<number> = []
      let isHanging = true
      const { sampler } = yield* start(
        fleet,
        hanging(() => isHanging, asked)
      )
      for (const [hour] of starts.entries()) {
        const next = String(hour + 1).padStart(TWO_DIGITS, "0")
        yield* until(`${next}:02:00`)
        const closed = yield* hoursOf(a, "00:00:00", "12:00:00")
        assert.deepStrictEqual(
          closed.map(({ startMs }) => startMs),
          starts.slice(0, hour + 1)
        )
        const open = yield* sampler.open(a)
        assert.strictEqual(Option.getOrUndefined(open)?.startMs, at(`${next}:00:00`))
      }
      for (const [index, atMs] of asked.entries()) {
        if (index > 0) assert.isAtLeast(atMs - (asked[index - 1] ?? 0), 60_000)
      }
      isHanging = false
      yield* until("08:05:00")
      const hours = yield* hoursOf(a, "00:00:00", "08:00:00")
      assert.deepStrictEqual(
        hours.map((hour) => measured(hour, "cpuUsedMilliSeconds")["Deployment/web"]),
        hours.map(({ knownSeconds }) => 250 * knownSeconds)
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("hides no closed hour after a restart: reports end with the present one", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        server.put("Pod", pod("web-1", { from: "00:00:00" }, web))
        const source = hanging(() => true)
        yield* begin("00:00:00")
        const first = yield* start(fleet, source)
        yield* until("04:30:00")
        const before = yield* hoursOf(a, "00:00:00", "04:00:00")
        assert.strictEqual(before.length, 4)
        yield* first.stop
        const { sampler } = yield* start(fleet, source)
        for (const time of ["04:30:05", "04:31:00", "04:33:00", "04:36:00"]) {
          yield* until(time)
          const open = Option.getOrUndefined(yield* sampler.open(a))
          assert.strictEqual(open?.startMs, at("04:00:00"))
          assert.isAtLeast(open?.knownSeconds ?? 0, 1_700)
        }
        assert.deepStrictEqual(yield* hoursOf(a, "00:00:00", "04:00:00"), before)
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )
})
