import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, Option } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import { SamplerSettings } from "../../src/sampler/SamplerSettings.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at, cronJob, job, ofDeployment, pod } from "./objects.ts"
import { a, begin, hoursOf, inMemory, measured, oneCluster, onDisk, requestsOnly, start, until } from "./sampling.ts"

const disk = Layer.unwrap(Effect.map(temporaryDirectory, onDisk))

describe.each([
  ["in memory", inMemory],
  ["on disk", disk]
])("CostSampler, kept %s", (_, kept) => {
  it.effect("charges pods that lived 1, 7 and 59 minutes for just that long", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("CronJob", cronJob("nightly"))
      server.put("Job", job("nightly-1", "nightly"))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:05:10")
      server.put("Pod", pod("web-1", { from: "10:05:10" }, { owner: ofDeployment("web") }))
      yield* until("10:05:50")
      // Between two samples it ends and is gone.
      server.put("Pod", pod("web-1", { from: "10:05:10", to: "10:06:10" }, { owner: ofDeployment("web") }))
      server.delete("Pod", "Pod/web-1")
      yield* until("10:20:00")
      const ofJob = { apiVersion: "batch/v1", kind: "Job", name: "nightly-1" }
      server.put("Pod", pod("nightly-1-x", { from: "10:10:03", to: "10:17:03" }, { owner: ofJob }))
      server.put("Pod", pod("bare", { from: "10:00:30" }))
      yield* until("10:59:50")
      server.put("Pod", pod("bare", { from: "10:00:30", to: "10:59:30" }))
      yield* until("11:02:00")

      const hours = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.strictEqual(hours.length, 1)
      const [hour] = hours
      assert.strictEqual(hour?.knownSeconds, 3_600)
      const lived = { "Deployment/web": 60, "CronJob/nightly": 420, "Pod/bare": 3_540 }
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), lived)
      assert.deepStrictEqual(measured(hour, "cpuRequestedMilliSeconds"), {
        "Deployment/web": 6_000,
        "CronJob/nightly": 42_000,
        "Pod/bare": 354_000
      })
      assert.isAbove(measured(hour, "cpuCostNanos")["Deployment/web"] ?? 0, 0)
      assert.deepStrictEqual(hour?.series.find(({ kind }) => kind === "Deployment")?.labels, { app: "web" })
      assert.isTrue(hour?.rates.some(({ provider }) => provider === "aws"))
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("shows the open hour up to its last sample, and closes each hour once", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, { owner: ofDeployment("web") }))
      yield* begin("10:00:00")
      const { sampler } = yield* start(fleet, requestsOnly)
      assert.isTrue(Option.isNone(yield* sampler.open(a)))
      yield* until("10:30:30")
      const open = Option.getOrThrow(yield* sampler.open(a))
      assert.strictEqual(open.startMs, at("10:00:00"))
      assert.isAtLeast(open.knownSeconds, 1_740)
      assert.isAtMost(open.knownSeconds, 1_830)
      assert.strictEqual(measured(open, "replicaSeconds")["Deployment/web"], open.knownSeconds)
      assert.isAbove(measured(open, "cpuCostNanos")["Deployment/web"] ?? 0, 0)
      assert.deepStrictEqual(yield* hoursOf(a, "09:00:00", "13:00:00"), [])

      yield* until("12:02:00")
      const hours = yield* hoursOf(a, "09:00:00", "13:00:00")
      assert.deepStrictEqual(
        hours.map(({ knownSeconds, startMs }) => [startMs, knownSeconds]),
        [
          [at("10:00:00"), 3_600],
          [at("11:00:00"), 3_600]
        ]
      )
      const [extent] = yield* (yield* CostStore).extents
      assert.strictEqual(extent?.toMs, at("11:00:00") + HOUR_MS)
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("charges bare pods that begin alike as one workload, in the open hour and in the closed one", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      yield* begin("09:58:00")
      const settings = { ...(yield* SamplerSettings), foldedPrefixes: ["task-"] }
      const { sampler } = yield* start(fleet, requestsOnly).pipe(Effect.provideService(SamplerSettings, settings))
      server.put("Pod", pod("task-1", { from: "10:00:00" }))
      server.put("Pod", pod("task-2", { from: "10:00:00" }))
      server.put("Pod", pod("bare", { from: "10:00:00" }))
      yield* until("10:30:30")
      const open = Option.getOrUndefined(yield* sampler.open(a))
      assert.deepStrictEqual(Object.keys(measured(open, "replicaSeconds")).toSorted(), ["Pod/bare", "Pod/task-*"])
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), { "Pod/bare": 3_600, "Pod/task-*": 7_200 })
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("tells by state, log and metric that the source in the settings cannot be used for a cluster", () =>
    Effect.gen(function* () {
      const { fleet } = yield* oneCluster
      const problem = "its Prometheus serves another cluster too"
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      yield* begin("10:00:00")
      const { sampler } = yield* start(fleet, { _tag: "RequestsOnly", problem }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      yield* until("10:05:00")
      assert.deepStrictEqual(yield* sampler.states, [
        { cluster: a, usage: "RequestsOnly", troubles: [{ what: "usage", problem }] }
      ])
      assert.deepStrictEqual(
        lines.filter((line) => line.includes(problem)),
        [`cost of cluster a: usage: ${problem}`]
      )
      const gauges = (yield* Metric.snapshot).filter(({ id }) => id === "quarterdeck_cost_usage_refused")
      assert.deepStrictEqual(
        gauges.map(({ attributes, state }) => [attributes, state]),
        [[{ cluster: a }, { value: 1 }]]
      )
    }).pipe(Effect.provide(kept), Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
