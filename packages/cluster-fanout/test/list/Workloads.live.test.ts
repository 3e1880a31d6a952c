import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FanOutFailed } from "../../src/list/ListError.ts"
import { deployment, object, pod } from "../fixture/KubeObjects.ts"
import { all, fillOne, found, list, onFleet, timed, where, workloadsOf } from "../fixture/Service.ts"
import { settles } from "../fixture/Settling.ts"

describe("Workloads, live", () => {
  it.effect("reads the cluster now, never the cache", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        const live = workloadsOf(all("a"), { page: { consistency: "live" } })
        assert.deepStrictEqual(yield* found(workloadsOf(all("a"))), ["a/default/Deployment/web"])
        server.putUnseen("Deployment", deployment("unseen"))
        const { clusters, items } = yield* list(live)
        assert.deepStrictEqual(where(items), ["a/default/Deployment/unseen", "a/default/Deployment/web"])
        assert.strictEqual(clusters[0]?.source, "live")
        assert.strictEqual(clusters[0]?.ageMs, 0)
        server.kill()
        const error = yield* Effect.flip(list(live))
        assert.instanceOf(error, FanOutFailed)
      })
    )
  )

  it.effect("sees what was written before it, also while a list for an earlier question is under way", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").duringList = Effect.sleep("1 second")
      },
      (fleet) =>
        Effect.gen(function* () {
          const query = workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency: "live" } })
          const server = fleet.server("a")
          const early = yield* Effect.forkChild(list(query), { startImmediately: true })
          yield* settles("the first lists are under way", () => server.arriving === 4)
          yield* TestClock.adjust("400 millis")
          server.putUnseen("Deployment", deployment("written"))
          const late = yield* timed(list(query))
          assert.deepStrictEqual(where(late.items), ["a/default/Deployment/web", "a/default/Deployment/written"])
          const first = yield* Fiber.join(early)
          assert.deepStrictEqual(where(first.items), ["a/default/Deployment/web"])
          assert.strictEqual(first.clusters[0]?.ageMs, 1_000, "its rows are as old as its list")
        })
    )
  )

  it.effect("gives the same rows as the cache", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        const owner = { apiVersion: "acme.io/v1", kind: "Rollout", name: "roll", uid: "roll" }
        fleet
          .server("a")
          .put("ReplicaSet", object("ReplicaSet", "roll-1", { namespace: "default", uid: "rs", owner }))
          .put(
            "Pod",
            pod("roll-1-a", { owner: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "roll-1", uid: "rs" } }),
            pod("bare")
          )
      },
      () =>
        Effect.gen(function* () {
          const { items } = yield* list(workloadsOf(all("a")))
          assert.strictEqual(items.length, 3)
          assert.deepStrictEqual((yield* list(workloadsOf(all("a"), { page: { consistency: "live" } }))).items, items)
          const custom = workloadsOf(all("a"), { filter: { kind: ["Rollout"] }, page: { consistency: "live" } })
          assert.deepStrictEqual(yield* found(custom), ["a/default/Rollout/roll"])
        })
    )
  )

  it.effect("makes the same list once for all who ask at the same time", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").duringList = Effect.sleep("1 second")
      },
      (fleet) =>
        Effect.gen(function* () {
          const query = workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency: "live" } })
          const lists = () => fleet.server("a").calls.filter((call) => call === "list Deployment").length
          yield* timed(Effect.all([list(query), list(query), list(query)], { concurrency: 3 }))
          assert.strictEqual(lists(), 1)
          yield* timed(list(query))
          assert.strictEqual(lists(), 2)
        })
    )
  )

  it.effect("asks a cluster for four kinds at a time", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").duringList = Effect.never
      },
      (fleet) =>
        Effect.gen(function* () {
          const lists = () => fleet.server("a").calls.filter((call) => call.startsWith("list")).length
          const query = workloadsOf(all("a"), { page: { consistency: "live" } })
          const fiber = yield* Effect.forkChild(Effect.all([list(query), list(query)], { concurrency: 2 }))
          yield* settles("the lists are under way", () => lists() === 4)
          yield* TestClock.adjust("1 second")
          assert.strictEqual(lists(), 4)
          yield* Fiber.interrupt(fiber)
        })
    )
  )
})
