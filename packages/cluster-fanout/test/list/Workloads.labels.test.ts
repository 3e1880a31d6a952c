/** Lists at once, for keys whose namespaces are selected by label. */
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Workloads, type WorkloadQuery } from "../../src/list/Workloads.ts"
import { namespace } from "../fixture/KubeObjects.ts"
import { all, fillTwo, found, list, onFleet, where, workloadsOf } from "../fixture/Service.ts"
import { becomes } from "../fixture/Settling.ts"

const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
const queryOf = (filter: WorkloadQuery["filter"] = {}) =>
  workloadsOf(all("a", "b"), { namespaces: teamA, filter, page: { limit: 1 } })
const listNow = (query: WorkloadQuery) => Effect.map(Workloads, (workloads) => workloads.listNow(query))
const foundNow = (query: WorkloadQuery) => Effect.map(listNow(query), (page) => page && where(page.items))
/** The matching rows of each cluster. */
const countsNow = (query: WorkloadQuery) =>
  Effect.map(listNow(query), (page) => page?.clusters.map(({ count }) => count))

describe("workloads at once, by namespace labels", () => {
  it.effect("are those that a list shows, page by page", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        for (const filter of [{}, { name: "a" }, { namespace: ["shop"] }, { kind: ["Deployment"], name: "web" }]) {
          const query = queryOf(filter)
          const listed = yield* list(query)
          const { cursorAfter: _after, ...page } = (yield* listNow(query)) ?? listed
          const { cursorAfter: _same, ...expected } = listed
          assert.isDefined(yield* listNow(query))
          assert.deepStrictEqual(
            { ...page, nextCursor: page.nextCursor !== undefined },
            { ...expected, nextCursor: expected.nextCursor !== undefined }
          )
        }
      })
    )
  )

  it.effect("a label that moves to another namespace moves the rows and their counts at once", () =>
    onFleet(["a", "b"], fillTwo, (fleet) =>
      Effect.gen(function* () {
        const query = queryOf({ name: "a" })
        yield* found(query)
        assert.deepStrictEqual(yield* foundNow(query), ["a/shop/Deployment/cart"])
        assert.deepStrictEqual(yield* countsNow(query), [1, 0])
        // The rows stay the same. Only the namespaces change.
        fleet.server("a").put("Namespace", namespace("shop", {}))
        yield* becomes(foundNow(query), [])
        assert.deepStrictEqual(yield* countsNow(query), [0, 0])
        fleet.server("b").put("Namespace", namespace("shop", { team: "a" }))
        yield* becomes(foundNow(query), ["b/shop/Deployment/api"])
        assert.deepStrictEqual(yield* countsNow(query), [0, 1])
      })
    )
  )

  it.effect("are not listed without proof of the labels in each cluster", () =>
    onFleet(["a", "b"], fillTwo, (fleet) =>
      Effect.gen(function* () {
        yield* found(queryOf())
        assert.isDefined(yield* listNow(queryOf()))
        fleet.server("a").forbidden.add("Namespace")
        yield* TestClock.adjust("31 seconds")
        assert.isUndefined(yield* listNow(queryOf()))
      })
    )
  )

  it.effect("a requested namespace that no cluster's labels select is left to the list, which refuses it", () =>
    onFleet(["a", "b"], fillTwo, () =>
      Effect.gen(function* () {
        yield* found(queryOf())
        assert.isUndefined(yield* listNow(queryOf({ namespace: ["ops"] })))
        assert.isUndefined(yield* listNow(queryOf({ namespace: ["shop", "ops"] })))
        assert.strictEqual((yield* Effect.flip(list(queryOf({ namespace: ["ops"] }))))._tag, "NamespaceForbidden")
        assert.deepStrictEqual(yield* foundNow(queryOf({ namespace: ["shop"] })), ["a/shop/Deployment/cart"])
      })
    )
  )
})
