import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect, Layer, Option } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import { HistoryStore } from "../../src/store/HistoryStore.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { makeFleet, Server } from "./fleet.ts"
import { at, ofDeployment, pod } from "./objects.ts"
import { a, begin, fill, hoursOf, inMemory, measured, onDisk, requestsOnly, settle, start, until } from "./sampling.ts"

const system = (uid: string): KubeObject => ({
  metadata: { name: "kube-system", uid, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {},
  status: {}
})

const webOf = (uid: string) => {
  const server = new Server("a")
  fill(server)
  server.put("Namespace", system(uid))
  server.put("Pod", pod("web-1", { from: "09:00:00" }, { owner: ofDeployment("web") }))
  return server
}

/** For how many seconds of the hour each history saw the pod. */
const secondsByHistory = Effect.gen(function* () {
  const { extents } = yield* CostStore
  const found: Record<string, number> = {}
  const kept = yield* (yield* HistoryStore).all
  for (const { cluster } of yield* extents) {
    const history = kept.find(({ key }) => key === cluster)
    const [hour] = yield* hoursOf(cluster, "10:00:00", "11:00:00")
    const seconds = measured(hour, "replicaSeconds")["Deployment/web"] ?? 0
    assert.strictEqual(hour?.knownSeconds, seconds)
    found[history?.renamed ?? history?.name ?? cluster] = seconds
  }
  return found
})

describe("a cluster that gives its name to another", () => {
  it.effect("in the midst of an hour keeps its part of it, and the other one has the rest", () =>
    Effect.gen(function* () {
      const server = webOf("u1")
      const fleet = yield* makeFleet(server)
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:20:00")
      server.delete("Namespace", "u1")
      server.put("Namespace", system("u2"))
      yield* until("11:02:00")
      const { a: now = 0, "a@2026-03-02": before = 0 } = yield* secondsByHistory
      // Each history counts whole seconds.
      assert.closeTo(now + before, 3_600, 2)
      assert.isTrue(before > 1_180 && before <= 1_200, String(before))
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("goes on with its history when it comes back within the hour, after the program began anew too", () =>
    Effect.gen(function* () {
      const server = webOf("u1")
      const fleet = yield* makeFleet(server)
      yield* begin("09:58:00")
      const first = yield* start(fleet, requestsOnly)
      yield* until("10:20:00")
      server.delete("Namespace", "u1")
      server.put("Namespace", system("u2"))
      yield* until("10:30:00")
      yield* first.stop
      const { sampler } = yield* start(fleet, requestsOnly)
      yield* until("10:40:00")
      server.delete("Namespace", "u2")
      server.put("Namespace", system("u1"))
      yield* settle
      yield* until("10:50:00")
      // Reports end with the open hour of the history that has the name.
      assert.isTrue(Option.isSome(yield* sampler.open(a)))
      yield* until("11:02:00")
      const { a: now = 0, "a@2026-03-02": before = 0 } = yield* secondsByHistory
      // The stop, the switch and whole seconds may each cost a step of the test's clock.
      assert.closeTo(now + before, 3_600, 10)
      assert.isTrue(before > 1_180 && before <= 1_220, String(before))
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryDirectory, onDisk))), Effect.scoped)
  )

  it.effect("that leaves is known by its open hour until that is closed", () =>
    Effect.gen(function* () {
      const server = webOf("u1")
      const fleet = yield* makeFleet(new Server("b"), server)
      yield* begin("10:05:00")
      const { sampler } = yield* start(fleet, requestsOnly)
      yield* until("10:20:00")
      yield* fleet.register(new Server("b"))
      yield* until("10:30:00")
      const unclosed = yield* sampler.unclosed
      assert.deepStrictEqual(
        unclosed.filter(({ key }) => key === a).map(({ toMs }) => toMs > at("10:19:00") && toMs <= at("10:20:00")),
        [true]
      )
      yield* until("11:04:00")
      assert.deepStrictEqual(
        (yield* sampler.unclosed).filter(({ key }) => key === a),
        []
      )
      assert.strictEqual((yield* hoursOf(a, "10:00:00", "11:00:00")).length, 1)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("is sampled though its namespaces cannot be read", () =>
    Effect.gen(function* () {
      const server = webOf("u1")
      server.forbidden.add("Namespace")
      const fleet = yield* makeFleet(server)
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("11:02:00")
      assert.deepStrictEqual(yield* secondsByHistory, { a: 3_600 })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
