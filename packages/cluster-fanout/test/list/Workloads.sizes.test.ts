import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { FanOutFailed } from "../../src/list/ListError.ts"
import { MaxObjects } from "../../src/kube/ListPages.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, fillOne, fillTwo, list, onFleet, timed, where, workloadsOf } from "../fixture/Service.ts"
import { comesTrue } from "../fixture/Settling.ts"

const both = all("a", "b")

describe("Workloads, when a cluster has too much of a kind", () => {
  it.effect.each(["cache", "live"] as const)("the cluster has an error, at once, and no row: %s", (consistency) =>
    onFleet(
      ["a", "b"],
      (fleet) => {
        fillTwo(fleet)
        fleet.server("b").tooLarge.add("Deployment")
      },
      () =>
        Effect.gen(function* () {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(both, { page: { consistency } })))
          assert.strictEqual(items.length, 3)
          assert.isTrue(partial)
          assert.deepInclude(clusters[1], {
            status: "error",
            error: { code: "cluster_too_large", message: "cluster b sends a list of Deployment that does not end" }
          })
          assert.isBelow(clusters[1]?.latencyMs ?? Infinity, 1_500)
        })
    )
  )

  it.effect("other kinds of it are listed when they are asked for alone", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").tooLarge.add("Pod")
      },
      () =>
        Effect.gen(function* () {
          const query = workloadsOf(all("a"), { filter: { kind: ["Deployment"] } })
          const { clusters, items } = yield* timed(list(query))
          assert.deepStrictEqual(where(items), ["a/default/Deployment/web"])
          assert.strictEqual(clusters[0]?.status, "ok")
          const page = { consistency: "live" } as const
          const live = yield* timed(list(workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page })))
          assert.deepStrictEqual(where(live.items), ["a/default/Deployment/web"])
          assert.deepStrictEqual(live.clusters[0]?.missingKinds, ["Pod"], "its pods may add to the rows")
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a")))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.coverages[0]?.error?.code, "cluster_too_large")
        })
    )
  )

  it.effect("a live list of one kind stands where the server cannot read the pods that add to it", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").unreadable.add("Pod")
      },
      () =>
        Effect.gen(function* () {
          for (const consistency of ["cache", "live"] as const) {
            const query = workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency } })
            const { clusters, items, partial } = yield* timed(list(query))
            assert.deepStrictEqual(where(items), ["a/default/Deployment/web"])
            assert.deepStrictEqual(clusters[0]?.missingKinds, ["Pod"])
            assert.isTrue(partial)
          }
        })
    )
  )

  it.effect("old rows stay as stale ones, with the error, until it can be read again", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        const answer = timed(list(workloadsOf(all("a"))))
        assert.strictEqual((yield* answer).clusters[0]?.status, "ok")
        server.tooLarge.add("Deployment")
        server.drop("Deployment")
        const follows = () => server.calls.filter((call) => call === "follow Deployment").length
        yield* comesTrue("it was followed again", () => follows() > 1)
        const { clusters, items, partial } = yield* answer
        assert.deepStrictEqual(where(items), ["a/default/Deployment/web"])
        assert.deepInclude(clusters[0], { status: "stale", count: 1 })
        assert.strictEqual(clusters[0]?.error?.code, "cluster_too_large")
        assert.isFalse(partial)
        server.tooLarge.clear()
        yield* comesTrue("it is followed", () => server.isWatching("Deployment"))
        assert.strictEqual((yield* answer).clusters[0]?.status, "ok")
      })
    )
  )

  it.effect("a kind that grows beyond the bound while it is followed is given up too", () =>
    onFleet(["a"], fillOne, (fleet) =>
      Effect.gen(function* () {
        const answer = timed(list(workloadsOf(all("a"))))
        yield* answer
        fleet.server("a").put("Deployment", deployment("one"), deployment("two"), deployment("three"))
        yield* comesTrue("it was given up", () => !fleet.server("a").isWatching("Deployment"))
        const { clusters } = yield* answer
        assert.strictEqual(clusters[0]?.status, "stale")
        assert.strictEqual(
          clusters[0]?.error?.message,
          "cluster a has more than 3 objects of deployments.apps (fanOut.maxObjects)"
        )
      })
    ).pipe(Effect.provideService(MaxObjects, 3))
  )

  it.effect("the log says so once, and it is asked for again after longer and longer waits", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    return onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").tooLarge.add("Deployment")
      },
      (fleet) =>
        Effect.gen(function* () {
          const follows = () => fleet.server("a").calls.filter((call) => call === "follow Deployment").length
          yield* comesTrue("it is followed", () => follows() > 0)
          yield* TestClock.adjust("5 minutes")
          assert.isAtLeast(follows(), 8)
          assert.isAtMost(follows(), 60)
          assert.deepStrictEqual(
            logged.flat().filter((message) => String(message).includes("does not end")),
            ["cluster a sends a list of Deployment that does not end"]
          )
        })
    ).pipe(Effect.provide(Logger.layer([logger])))
  })
})
