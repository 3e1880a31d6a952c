import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as LabelSelector from "../../src/list/LabelSelector.ts"
import { NamespaceForbidden } from "../../src/list/ListError.ts"
import type { WorkloadSort } from "../../src/list/ListQuery.ts"
import type { WorkloadFilter } from "../../src/list/WorkloadFilter.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, fillOne, fillTwo, found, list, onFleet, where, workloadsOf } from "../fixture/Service.ts"
import { becomes, comesTrue } from "../fixture/Settling.ts"

const both = all("a", "b")
const selector = (text: string) => Result.getOrThrow(LabelSelector.parse(text))
const shopByName = anyOf([{ namespaceNames: ["shop"] }])
const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])

describe("Workloads", () => {
  it.effect("lists the workloads of several clusters as one, sorted, with each cluster's coverage", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        const { clusters, items, nextCursor, partial } = yield* list(workloadsOf(both))
        assert.deepStrictEqual(where(items), [
          "b/shop/Deployment/api",
          "a/default/Pod/bare",
          "a/shop/Deployment/cart",
          "a/default/Deployment/web",
          "b/default/Deployment/web"
        ])
        assert.deepStrictEqual(
          clusters.map(({ count, name, source, status }) => ({ count, name: String(name), source, status })),
          [
            { count: 3, name: "a", source: "cache", status: "ok" },
            { count: 2, name: "b", source: "cache", status: "ok" }
          ]
        )
        assert.isFalse(partial)
        assert.isUndefined(nextCursor)
      })
    )
  )

  it.effect.each<[string, WorkloadFilter, ReadonlyArray<string>]>([
    ["a namespace", { namespace: ["shop"] }, ["b/shop/Deployment/api", "a/shop/Deployment/cart"]],
    ["a kind", { kind: ["Pod"] }, ["a/default/Pod/bare"]],
    ["a part of the name", { name: "a" }, ["b/shop/Deployment/api", "a/default/Pod/bare", "a/shop/Deployment/cart"]],
    ["labels", { labelSelector: selector("app=web") }, ["a/default/Deployment/web"]],
    [
      "all of them",
      { namespace: ["shop"], kind: ["Deployment"], name: "ar", labelSelector: selector("!app") },
      ["a/shop/Deployment/cart"]
    ],
    ["a namespace that does not exist", { namespace: ["nowhere"] }, []]
  ])("filters by %s", ([, filter, expected]) =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* found(workloadsOf(both, { filter })), expected)
      })
    )
  )

  it.effect.each<[WorkloadSort, "asc" | "desc", string]>([
    ["cpuRequestMillis", "desc", "cart"],
    ["memoryRequestBytes", "asc", "web"],
    ["cluster", "desc", "api"],
    ["kind", "desc", "bare"],
    ["namespace", "asc", "web"],
    ["status", "asc", "web"],
    ["createdAt", "asc", "web"]
  ])("sorts by %s %s", ([sort, order, first]) =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        const { items } = yield* list(workloadsOf(both, { page: { sort, order } }))
        const values = items.map((row) => row[sort])
        const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
        assert.deepStrictEqual(values, order === "asc" ? sorted : sorted.toReversed())
        assert.include(
          items.filter((row) => row[sort] === values[0]).map((row) => row.name),
          first
        )
      })
    )
  )

  it.effect("counts a cluster's matches before paging", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        const { clusters, items, nextCursor } = yield* list(workloadsOf(both, { page: { limit: 1 } }))
        assert.strictEqual(items.length, 1)
        assert.isDefined(nextCursor)
        assert.deepStrictEqual(
          clusters.map(({ count }) => count),
          [3, 2]
        )
      })
    )
  )

  describe("namespace scope", () => {
    it.effect("shows what the key's namespaces hold, by name", () =>
      onFleet(["a", "b"], fillTwo, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: shopByName })), [
            "b/shop/Deployment/api",
            "a/shop/Deployment/cart"
          ])
        })
      )
    )

    it.effect("decides labels by each cluster's own namespaces", () =>
      onFleet(["a", "b"], fillTwo, () =>
        Effect.gen(function* () {
          const expected = ["a/shop/Deployment/cart", "b/default/Deployment/web"]
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: teamA })), expected)
          const { clusters } = yield* list(workloadsOf(both, { namespaces: teamA }))
          assert.deepStrictEqual(
            clusters.map(({ count }) => count),
            [1, 1]
          )
          assert.deepStrictEqual(
            yield* found(workloadsOf(both, { namespaces: teamA, page: { consistency: "live" } })),
            expected
          )
        })
      )
    )

    it.effect("403 for a namespace asked for by name that is out of scope everywhere, whether it exists or not", () =>
      onFleet(["a", "b"], fillTwo, () =>
        Effect.gen(function* () {
          for (const [namespaces, name] of [
            [shopByName, "default"],
            [shopByName, "nowhere"],
            [teamA, "nowhere"]
          ] as const) {
            for (const consistency of ["cache", "live"] as const) {
              const query = workloadsOf(both, { namespaces, filter: { namespace: [name] }, page: { consistency } })
              const error = yield* Effect.flip(list(query))
              assert.instanceOf(error, NamespaceForbidden)
              assert.strictEqual(error.namespace, name)
            }
          }
        })
      )
    )

    it.effect("shows a namespace asked for by name where it is in scope", () =>
      onFleet(["a", "b"], fillTwo, () =>
        Effect.gen(function* () {
          const filter = { namespace: ["shop"] }
          assert.deepStrictEqual(yield* found(workloadsOf(both, { namespaces: teamA, filter })), [
            "a/shop/Deployment/cart"
          ])
          const only = yield* Effect.flip(list(workloadsOf(all("b"), { namespaces: teamA, filter })))
          assert.instanceOf(only, NamespaceForbidden)
        })
      )
    )
  })

  it.effect("serves a cluster that was just registered once it has synced", () =>
    onFleet(["a", "b"], fillOne, (fleet) =>
      Effect.gen(function* () {
        fleet.server("b").put("Deployment", deployment("late"))
        yield* fleet.register(clusterOf("a"))
        yield* becomes(found(workloadsOf(all("a"))), ["a/default/Deployment/web"])
        yield* fleet.register(clusterOf("a"), clusterOf("b"))
        yield* becomes(found(workloadsOf({ mode: "Named", clusters: [ClusterName.make("b")] })), [
          "b/default/Deployment/late"
        ])
        yield* comesTrue("it is followed", () => fleet.server("b").isWatching("Pod"))
      })
    )
  )
})
