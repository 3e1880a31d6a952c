import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fromHour } from "../../src/savings/HourUsage.ts"
import { IDLE } from "../../src/hour/Series.ts"
import { hour, series } from "../store/samples.ts"
import { foldAll, layer, recommendedTo } from "./recommending.ts"
import { MIB, monday, prod, steadyCpuMillis, steadyMemoryBytes } from "./usage.ts"

const KIB_OF_MIB = 1_024

/** Two replicas, the usage of which is known for half of the hour. */
const twoReplicas = {
  replicaSeconds: 7_200,
  existedSeconds: 3_600,
  coveredSeconds: 1_800,
  cpuUsedMilliSeconds: 300 * 3_600,
  memoryUsedKibSeconds: 700 * KIB_OF_MIB * 3_600,
  cpuRequestedMilliSeconds: 1_000 * 7_200,
  memoryRequestedKibSeconds: 2_048 * KIB_OF_MIB * 7_200
}

describe("usage of a closed hour", () => {
  it("is the mean of a replica over the part that is known", () => {
    const { cluster, containers, startMs } = fromHour(hour(monday, [[series("api"), twoReplicas]]))
    assert.strictEqual(cluster, prod)
    assert.strictEqual(startMs, monday)
    assert.deepStrictEqual(containers, [
      {
        workload: series("api"),
        container: "",
        replica: "uid-api",
        coveredSeconds: 1_800,
        cpuMillis: [300],
        cpuRequestMillis: 1_000,
        memoryPeakBytes: 700 * MIB,
        memoryRequestBytes: 2_048 * MIB,
        isOomKilled: false
      }
    ])
  })

  it("has no rows of what is no workload, did not run, or was not measured", () => {
    const { containers } = fromHour(
      hour(monday, [
        [series("node-1", { kind: IDLE, namespace: "" }), twoReplicas],
        [series("gone"), { ...twoReplicas, replicaSeconds: 0, existedSeconds: 0 }],
        [series("dark"), { ...twoReplicas, coveredSeconds: 0, cpuUsedMilliSeconds: 0, memoryUsedKibSeconds: 0 }]
      ])
    )
    assert.deepStrictEqual(containers, [])
  })

  it.effect("is enough for a recommendation", () =>
    Effect.gen(function* () {
      yield* foldAll([fromHour(hour(monday, [[series("api"), twoReplicas]]))])
      assert.deepStrictEqual(yield* recommendedTo("api"), {
        cpuRecommendedMillis: steadyCpuMillis(300),
        memoryRecommendedBytes: steadyMemoryBytes(700 * MIB),
        recommendationDays: 1 / 24
      })
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )
})
