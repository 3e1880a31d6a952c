import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { MIB, steadyMemoryBytes } from "../savings/usage.ts"
import { ofDeployment, pod } from "./objects.ts"
import { a, begin, inMemory, oneCluster, sampled, start, until } from "./sampling.ts"

const web = { owner: ofDeployment("web"), memory: "1Gi" }

const recommended = Effect.gen(function* () {
  const [found] = yield* (yield* RecommendationStore).recommendations([a])
  return found?.byKey.get("shop/Deployment/web")
})

describe("a container that is killed for memory between two samples", () => {
  it.effect("is recommended more, though no sample saw it", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      yield* begin("09:58:00")
      let seen = ["web-1"]
      yield* start(
        fleet,
        sampled(() => seen)
      )
      yield* until("10:59:30")
      // From now on it is killed within the second of its start, and waits the rest of the time.
      seen = []
      const before = { from: "11:20:10", to: "11:20:10", reason: "OOMKilled" }
      yield* until("11:20:10")
      server.put("Pod", pod("web-1", undefined, { ...web, before }))
      const calm = yield* recommended
      assert.strictEqual(calm?.memoryRecommendedBytes, 250 * MIB, "what a replica gets at least")
      yield* until("12:02:00")
      const killed = yield* recommended
      assert.strictEqual(killed?.memoryRecommendedBytes, steadyMemoryBytes(1.2 * 1_024 * MIB))
      assert.strictEqual(killed?.cpuRecommendedMillis, calm?.cpuRecommendedMillis)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("counts in the hour that begins with its kill", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      server.put("Pod", pod("web-1", { from: "09:00:00" }, web))
      yield* begin("09:58:00")
      yield* start(
        fleet,
        sampled(() => ["web-1"])
      )
      yield* until("11:00:00")
      const before = { from: "09:00:00", to: "11:00:00", reason: "OOMKilled" }
      server.put("Pod", pod("web-1", { from: "11:00:01" }, { ...web, before }))
      yield* until("11:30:00")
      assert.strictEqual((yield* recommended)?.memoryRecommendedBytes, 250 * MIB)
      yield* until("12:02:00")
      assert.strictEqual((yield* recommended)?.memoryRecommendedBytes, steadyMemoryBytes(1.2 * 1_024 * MIB))
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("is recommended nothing while its usage was never known", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      yield* begin("09:58:00")
      yield* start(
        fleet,
        sampled(() => [])
      )
      yield* until("10:20:15")
      const before = { from: "10:20:10", to: "10:20:10", reason: "OOMKilled" }
      server.put("Pod", pod("web-1", undefined, { ...web, before }))
      yield* until("11:02:00")
      assert.strictEqual((yield* recommended)?.recommendationDays ?? 0, 0)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
