import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { usageOf } from "../../src/allocation/HourBuilder.ts"
import { foldAll, layer, recommendedTo } from "../savings/recommending.ts"
import { steadyCpuMillis, steadyMemoryBytes } from "../savings/usage.ts"
import { container, facts, MIB, node, pod, prod, series, span, startMs, steady, usage } from "./facts.ts"

const minutes = (count: number, cpuMillis: (minute: number) => number) =>
  usage(
    ...Array.from({ length: count }, (_, minute) => {
      const clock = (at: number) => `1${Math.floor(at / 60)}:${String(at % 60).padStart(2, "0")}:00`
      return {
        from: clock(minute),
        to: clock(minute + 1),
        cpuMillis: cpuMillis(minute),
        memoryBytes: (minute + 1) * MIB
      }
    })
  )

const rowsWith = (rest: Parameters<typeof container>[0], seen = [span()]) =>
  usageOf(facts({ seen, nodes: [node("node-1")], pods: [pod("web-1", { containers: [container(rest)] })] })).containers

describe("usage for recommendations", () => {
  it("has a row for each container of each replica, with a mean a minute and the peak", () => {
    const used = minutes(60, (minute) => 100 + minute)
    const {
      cluster,
      containers,
      startMs: hour
    } = usageOf(facts({ pods: [pod("web-1", { containers: [container({ usage: used, isOomKilled: true })] })] }))
    assert.strictEqual(cluster, prod)
    assert.strictEqual(hour, startMs)
    assert.deepStrictEqual(containers, [
      {
        workload: series("web"),
        container: "app",
        replica: "uid-web-1",
        coveredSeconds: 3_600,
        cpuMillis: Array.from({ length: 60 }, (_, minute) => 100 + minute),
        cpuRequestMillis: 500,
        memoryPeakBytes: 60 * MIB,
        memoryRequestBytes: 1_024 * MIB,
        isOomKilled: true
      }
    ])
  })

  it("leaves out unknown usage, init containers, and time that was not observed", () => {
    assert.deepStrictEqual(rowsWith({}), [])
    assert.deepStrictEqual(rowsWith({ role: "init", usage: steady(100, MIB) }), [])
    assert.deepStrictEqual(rowsWith({ usage: steady(100, MIB) }, []), [])
    assert.deepStrictEqual(rowsWith({ usage: steady(8_001, MIB) }), [])
    assert.strictEqual(rowsWith({ role: "sidecar", usage: steady(100, MIB) }).length, 1)
  })

  it("reports an OOM kill even if the usage is unknown", () => {
    const [row] = rowsWith({ runs: [span("10:10:00", "10:10:00")], isOomKilled: true })
    assert.deepStrictEqual(
      [row?.coveredSeconds, row?.cpuMillis, row?.memoryPeakBytes, row?.memoryRequestBytes, row?.isOomKilled],
      [0, [], 0, 1_024 * MIB, true]
    )
    assert.deepStrictEqual(rowsWith({ role: "init", isOomKilled: true }), [])
  })

  it("takes of a slice what the run and the cluster's sight have of it", () => {
    const [row] = rowsWith({ runs: [span("10:10:00", "10:50:00")], usage: minutes(60, (minute) => minute) }, [
      span("10:00:00", "10:20:00")
    ])
    assert.strictEqual(row?.coveredSeconds, 600)
    assert.deepStrictEqual(row?.cpuMillis, [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    assert.strictEqual(row?.memoryPeakBytes, 20 * MIB)
  })

  it("makes minutes of shorter and of longer slices", () => {
    const [row] = rowsWith({
      usage: usage(
        { from: "10:00:00", to: "10:00:30", cpuMillis: 100, memoryBytes: MIB },
        { from: "10:00:30", to: "10:01:00", cpuMillis: 300, memoryBytes: MIB, peakBytes: 9 * MIB },
        { from: "10:30:00", to: "10:33:00", cpuMillis: 50, memoryBytes: 2 * MIB }
      )
    })
    assert.strictEqual(row?.coveredSeconds, 240)
    assert.deepStrictEqual(row?.cpuMillis, [200, 50, 50, 50])
    assert.strictEqual(row?.memoryPeakBytes, 9 * MIB)
  })

  it("keeps the mean where slices do not end with minutes", () => {
    const [row] = rowsWith({
      usage: usage(
        { from: "10:00:07", to: "10:01:20", cpuMillis: 100, memoryBytes: MIB },
        { from: "10:01:20", to: "10:02:40", cpuMillis: 400, memoryBytes: MIB }
      )
    })
    const means = Array.from(row?.cpuMillis ?? [])
    assert.strictEqual(means.length, 3)
    assert.approximately(means.reduce((sum, mean) => sum + mean, 0) / 3, (73 * 100 + 80 * 400) / 153, 1e-9)
  })

  it.effect("is what the recommender learns from", () =>
    Effect.gen(function* () {
      yield* foldAll([
        usageOf(facts({ pods: [pod("web-1", { containers: [container({ usage: steady(300, 700 * MIB) })] })] }))
      ])
      assert.deepStrictEqual(yield* recommendedTo("web"), {
        cpuRecommendedMillis: steadyCpuMillis(300),
        memoryRecommendedBytes: steadyMemoryBytes(700 * MIB),
        recommendationDays: 1 / 24
      })
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )
})
