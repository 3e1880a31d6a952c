import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ClusterCache } from "../../src/cache/ClusterCache.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment, namespace } from "../fixture/KubeObjects.ts"
import { all, fillOne, list, onFleet, workloadsOf } from "../fixture/Service.ts"
import { becomes, settles } from "../fixture/Settling.ts"

const names = Effect.map(list(workloadsOf(all("a"))), ({ items }) => items.map((row) => row.name))
const teamA = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
const namesOfTeamA = Effect.map(list(workloadsOf(all("a"), { namespaces: teamA })), ({ clusters, items }) => ({
  names: items.map((row) => row.name),
  missingKinds: clusters[0]?.missingKinds
}))

describe("ClusterCache, namespace labels", () => {
  const labelled = (fleet: FakeFleet) => {
    fillOne(fleet)
    fleet
      .server("a")
      .put("Namespace", namespace("shop", { team: "a" }))
      .put("Deployment", deployment("cart", { namespace: "shop" }))
  }

  it.effect("a namespace that loses its label is out of sight at once", () =>
    onFleet(["a"], labelled, (fleet) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* namesOfTeamA).names, ["cart"])
        fleet.server("a").put("Namespace", namespace("shop", {}))
        yield* becomes(
          Effect.map(namesOfTeamA, (found) => found.names),
          []
        )
      })
    )
  )

  it.effect("match nothing without proof, and the answer says so", () =>
    onFleet(["a"], labelled, (fleet) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* namesOfTeamA, { names: ["cart"], missingKinds: undefined })
        fleet.server("a").forbidden.add("Namespace")
        yield* TestClock.adjust("31 seconds")
        assert.deepStrictEqual(yield* namesOfTeamA, { names: [], missingKinds: ["Namespace"] })
        assert.deepStrictEqual(yield* names, ["cart", "web"])
      })
    )
  )

  it.effect("are not proven for longer by a clock that is set back", () =>
    TestClock.setTime(Date.parse("2026-06-01T12:00:00Z")).pipe(
      Effect.andThen(
        onFleet(["a"], labelled, (fleet) =>
          Effect.gen(function* () {
            assert.deepStrictEqual((yield* namesOfTeamA).names, ["cart"])
            fleet.server("a").forbidden.add("Namespace")
            yield* TestClock.setTime(Date.parse("2026-06-01T11:00:00Z"))
            yield* TestClock.adjust("31 seconds")
            assert.deepStrictEqual(yield* namesOfTeamA, { names: [], missingKinds: ["Namespace"] })
          })
        )
      )
    )
  )

  it.effect("are proven by a list when a question needs them and the watch is quiet", () =>
    onFleet(["a"], labelled, (fleet) =>
      Effect.gen(function* () {
        yield* namesOfTeamA
        yield* TestClock.adjust("5 minutes")
        assert.deepStrictEqual(yield* namesOfTeamA, { names: ["cart"], missingKinds: undefined })
        assert.strictEqual(fleet.server("a").calls.filter((call) => call === "list Namespace").length, 1)
      })
    )
  )

  it.effect("are listed every 15 seconds while keys need them, and corrected where the watch was silent", () =>
    onFleet(["a"], labelled, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        const lists = () => server.calls.filter((call) => call === "list Namespace").length
        const cache = yield* ClusterCache
        yield* names
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(lists(), 0)
        yield* cache.requireLabelProof(true)
        yield* settles("the first list is made", () => lists() === 1)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(lists(), 5)

        server.putUnseen("Namespace", namespace("shop", {}))
        yield* TestClock.adjust("15 seconds")
        assert.deepStrictEqual((yield* namesOfTeamA).names, [])
        yield* cache.requireLabelProof(false)
        yield* TestClock.adjust("1 minute")
        assert.isAtMost(lists(), 6)
      })
    )
  )

  it.effect("are what the watch says when an event overtakes the list", () =>
    onFleet(["a"], labelled, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        yield* namesOfTeamA
        yield* TestClock.adjust("1 minute")
        server.duringList = Effect.gen(function* () {
          server.put("Namespace", namespace("shop", {}))
          yield* Effect.yieldNow
        })
        assert.deepStrictEqual((yield* namesOfTeamA).names, [])
      })
    )
  )
})
