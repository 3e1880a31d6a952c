import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf, everyNamespace, type NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as LabelSelector from "../../src/list/LabelSelector.ts"
import { CursorInvalid } from "../../src/list/ListError.ts"
import type { NamespaceSort, Page } from "../../src/list/ListQuery.ts"
import { type NamespaceListFilter, Namespaces } from "../../src/list/Namespaces.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { namespace } from "../fixture/KubeObjects.ts"
import { all, onFleet, pageOf } from "../fixture/Service.ts"

const fill = (fleet: FakeFleet) => {
  fleet.server("a").put("Namespace", namespace("default"), namespace("shop", { team: "a" }), namespace("ops"))
  fleet.server("b").put("Namespace", namespace("default", { team: "a" }), namespace("shop"))
}
const list = (
  change: {
    readonly namespaces?: NamespaceFilter
    readonly filter?: NamespaceListFilter
    readonly page?: Partial<Page<NamespaceSort>>
    readonly cursorBinding?: string
  } = {}
) =>
  Effect.flatMap(Namespaces, (namespaces) =>
    namespaces.list({
      target: all("a", "b"),
      namespaces: change.namespaces ?? everyNamespace,
      filter: change.filter ?? {},
      page: pageOf("name", change.page),
      cursorBinding: change.cursorBinding ?? "key-1"
    })
  )
const found = (change: Parameters<typeof list>[0] = {}) =>
  Effect.map(list(change), ({ items }) => items.map((row) => `${row.cluster}/${row.name}`))

describe("Namespaces", () => {
  it.effect("lists the namespaces of several clusters as one", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const { clusters, items } = yield* list()
        assert.deepStrictEqual(
          items.map((row) => `${row.cluster}/${row.name}`),
          ["a/default", "b/default", "a/ops", "a/shop", "b/shop"]
        )
        assert.deepStrictEqual(items[3], {
          id: "Namespace//shop",
          cluster: ClusterName.make("a"),
          name: "shop",
          labels: { team: "a" },
          phase: "Active",
          createdAt: "2026-01-01T00:00:00Z"
        })
        assert.deepStrictEqual(
          clusters.map(({ count }) => count),
          [3, 2]
        )
      })
    )
  )

  it.effect("filters, sorts and pages", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* found({ filter: { name: "o" } }), ["a/ops", "a/shop", "b/shop"])
        const labelSelector = Result.getOrThrow(LabelSelector.parse("team=a"))
        assert.deepStrictEqual(yield* found({ filter: { labelSelector } }), ["b/default", "a/shop"])
        assert.deepStrictEqual(yield* found({ page: { sort: "cluster", order: "desc" } }), [
          "b/default",
          "b/shop",
          "a/default",
          "a/ops",
          "a/shop"
        ])
        const { nextCursor: cursor = "" } = yield* list({ page: { limit: 2 } })
        assert.deepStrictEqual(yield* found({ page: { limit: 2, cursor } }), ["a/ops", "a/shop"])
        assert.instanceOf(yield* Effect.flip(list({ page: { cursor }, cursorBinding: "key-2" })), CursorInvalid)
      })
    )
  )

  it.effect.each(["cache", "live"] as const)(
    "shows those in scope alone, by each cluster's labels: %s",
    (consistency) =>
      onFleet(["a", "b"], fill, () =>
        Effect.gen(function* () {
          const teamA = { namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }
          const page = { consistency }
          assert.deepStrictEqual(yield* found({ page, namespaces: anyOf([teamA]) }), ["b/default", "a/shop"])
          assert.deepStrictEqual(yield* found({ page, namespaces: anyOf([teamA, { namespaceNames: ["ops"] }]) }), [
            "b/default",
            "a/ops",
            "a/shop"
          ])
        })
      )
  )
})
