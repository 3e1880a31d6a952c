import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ClusterCache } from "../../src/cache/ClusterCache.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { clusterOf, type FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment, namespace, node } from "../fixture/KubeObjects.ts"
import { all, list, onFleet, workloadsOf } from "../fixture/Service.ts"
import { becomes, comesTrue, settles } from "../fixture/Settling.ts"

const fill = (fleet: FakeFleet) => {
  for (const server of fleet.servers.values()) {
    server
      .put("Namespace", namespace("default"))
      .put("Deployment", deployment("web"))
      .put("Node", node("n1", "4", "8Gi"))
  }
}
const names = Effect.map(list(workloadsOf(all("a"))), ({ items }) => items.map((row) => row.name))
const coverage = Effect.map(list(workloadsOf(all("a"))), ({ clusters }) => clusters[0])
const follows = (fleet: FakeFleet, name: string, kind: string) =>
  fleet.server(name).calls.filter((call) => call === `follow ${kind}`).length

describe("ClusterCache", () => {
  it.effect("shows what a watch tells at once", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* names, ["web"])
        fleet.server("a").put("Deployment", deployment("api"))
        yield* becomes(names, ["api", "web"])
        fleet.server("a").delete("Deployment", "Deployment/default/web")
        yield* becomes(names, ["api"])
      })
    )
  )

  it.effect("keeps rows while a watch is down, and makes them right when it is back", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        assert.deepStrictEqual(yield* names, ["web"])
        server.drop("Deployment")
        yield* settles("the watch has ended", () => !server.isWatching("Deployment"))
        server.putUnseen("Deployment", deployment("new"))
        server.deleteUnseen("Deployment", "Deployment/default/web")
        assert.deepStrictEqual(yield* names, ["web"])
        yield* comesTrue("the watch is back", () => server.isWatching("Deployment"))
        yield* becomes(names, ["new"])
      })
    )
  )

  it.effect("replaces the rows when history is lost", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        assert.deepStrictEqual(yield* names, ["web"])
        server.deleteUnseen("Deployment", "Deployment/default/web")
        server.putUnseen("Deployment", deployment("new"))
        server.expire("Deployment")
        yield* becomes(names, ["new"])
        assert.strictEqual(follows(fleet, "a", "Deployment"), 1)
      })
    )
  )

  it.effect("waits longer and longer before it begins again, but never more than half a minute", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        yield* names
        const breaking = yield* Effect.forkChild(
          Effect.forever(
            Effect.gen(function* () {
              server.drop("Deployment")
              yield* Effect.sleep("100 millis")
            })
          )
        )
        yield* TestClock.adjust("2 minutes")
        yield* Fiber.interrupt(breaking)
        const tries = follows(fleet, "a", "Deployment")
        assert.isAtLeast(tries, 5)
        assert.isAtMost(tries, 40)
        yield* comesTrue("the watch is back", () => server.isWatching("Deployment"), 31)
      })
    )
  )

  it.effect("serves the rows of a dead cluster as stale, and comes back by itself", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        const cache = yield* ClusterCache
        const member = yield* cache.member(clusterOf("a"))
        assert.strictEqual((yield* coverage)?.status, "ok")
        server.kill()
        yield* comesTrue("the breaker is open", () => member.breaker.refusal() !== undefined, 10)
        assert.deepStrictEqual(yield* names, ["web"])
        const stale = yield* coverage
        assert.deepStrictEqual([stale?.status, stale?.error?.code], ["stale", "cluster_unreachable"])
        assert.strictEqual(server.watches, 0)

        server.put("Deployment", deployment("later"))
        server.revive()
        yield* comesTrue("every watch is back", () => server.watches === Kind.kinds.length)
        yield* becomes(names, ["later", "web"])
        assert.strictEqual((yield* coverage)?.status, "ok")
      })
    )
  )

  it.effect("asks a dead cluster by a probe a second, and by nothing else", () =>
    onFleet(
      ["a"],
      (fleet) => fleet.server("a").kill(),
      (fleet) =>
        Effect.gen(function* () {
          const server = fleet.server("a")
          yield* TestClock.adjust("10 minutes")
          assert.isTrue(server.calls.every((call) => call === "probe Namespace"))
          assert.isAtMost(server.calls.length, 700)
          assert.isAtLeast(server.calls.length, 590)
        })
    )
  )

  it.effect("calls rows stale when a quiet watch has had no proof for 90 seconds", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        yield* names
        server.trouble = "unauthorized"
        server.drop("Deployment")
        yield* TestClock.adjust("80 seconds")
        assert.strictEqual((yield* coverage)?.status, "ok")
        yield* TestClock.adjust("10 seconds")
        const found = yield* coverage
        assert.strictEqual(found?.status, "stale")
        assert.isAtLeast(found?.ageMs ?? 0, 90_000)
      })
    )
  )

  it.effect("keeps a quiet cluster fresh by probing it, without ever reconnecting its watches", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* names
        yield* TestClock.adjust("5 minutes")
        const found = yield* coverage
        assert.strictEqual(found?.status, "ok")
        assert.strictEqual(found?.ageMs, 300_000, "a probe proves no row")
        fleet.server("a").bookmark("Deployment")
        yield* becomes(
          Effect.map(
            list(workloadsOf(all("a"), { filter: { kind: ["Deployment"] } })),
            ({ clusters }) => clusters[0]?.ageMs
          ),
          0
        )
        assert.strictEqual(
          fleet.server("a").calls.filter((call) => call.startsWith("follow")).length,
          Kind.kinds.length
        )
      })
    )
  )

  it.effect("reports a kind that it may not read, and reads it once it may", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fill(fleet)
        fleet.server("a").forbidden.add("CronJob")
      },
      (fleet) =>
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* coverage)?.missingKinds, ["CronJob"])
          yield* TestClock.adjust("10 minutes")
          assert.isAtMost(follows(fleet, "a", "CronJob"), 12)
          fleet.server("a").forbidden.clear()
          yield* comesTrue("the kind is followed", () => fleet.server("a").isWatching("CronJob"), 301)
          yield* becomes(
            Effect.map(coverage, (found) => found?.missingKinds),
            undefined
          )
        })
    )
  )

  it.effect("no longer shows rows of a kind that it may no longer read", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        assert.deepStrictEqual(yield* names, ["web"])
        server.forbidden.add("Deployment")
        server.drop("Deployment")
        const asked = follows(fleet, "a", "Deployment")
        const cache = yield* ClusterCache
        const [member] = yield* cache.members
        yield* comesTrue("the refusal counts", () => member?.store.table("Deployment").sync._tag === "Missing", 15)
        assert.deepStrictEqual(yield* names, [])
        assert.deepStrictEqual((yield* coverage)?.missingKinds, ["Deployment"])
        assert.isAbove(follows(fleet, "a", "Deployment"), asked + 1)
      })
    )
  )

  it.effect("keeps rows while a server that has just started refuses what its rules allow", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        const server = fleet.server("a")
        assert.deepStrictEqual(yield* names, ["web"])
        server.forbidden.add("Deployment")
        server.drop("Deployment")
        const before = follows(fleet, "a", "Deployment")
        yield* comesTrue("it was refused twice", () => follows(fleet, "a", "Deployment") > before + 1, 4)
        assert.deepStrictEqual(yield* names, ["web"])
        assert.isUndefined((yield* coverage)?.missingKinds)
        server.forbidden.delete("Deployment")
        yield* comesTrue("the watch is back", () => server.isWatching("Deployment"))
        assert.deepStrictEqual(yield* names, ["web"])
      })
    )
  )

  it.effect("is settled once every cluster has been read, refuses the service or does not answer", () =>
    onFleet(
      ["a", "b", "c"],
      (fleet) => {
        fill(fleet)
        fleet.server("a").stuck.add("Pod")
        fleet.server("b").trouble = "unauthorized"
        fleet.server("c").trouble = "hanging"
      },
      (fleet) =>
        Effect.gen(function* () {
          const cache = yield* ClusterCache
          let isSettled = false
          yield* Effect.forkChild(
            Effect.map(cache.settled, () => {
              isSettled = true
            })
          )
          yield* TestClock.adjust("2 minutes")
          assert.isFalse(isSettled)
          fleet.server("a").stuck.clear()
          fleet.server("a").expire("Pod")
          yield* settles("a has been read", () => isSettled)
        })
    )
  )

  it.effect("follows a cluster that is registered later, and forgets one that is dropped", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* names
        yield* fleet.register(clusterOf("b"))
        yield* settles("the watches of a are closed", () => fleet.server("a").watches === 0)
        const cache = yield* ClusterCache
        assert.deepStrictEqual(
          (yield* cache.members).map((member) => member.store.cluster.name),
          [ClusterName.make("b")]
        )

        yield* fleet.register(clusterOf("b"), clusterOf("a"))
        yield* settles("a is followed again", () => fleet.server("a").watches === Kind.kinds.length)
        assert.deepStrictEqual(yield* names, ["web"])
      })
    )
  )

  it.effect("begins anew when a cluster's connection changes, and only then", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* names
        const cache = yield* ClusterCache
        const before = yield* cache.member(clusterOf("a"))
        yield* fleet.register(clusterOf("a", { labels: { tier: "prod" } }))
        yield* settles("the labels are known", () => before.store.cluster.labels["tier"] === "prod")
        assert.strictEqual(yield* cache.member(clusterOf("a")), before)

        yield* fleet.register(clusterOf("a", { generation: "2" }))
        const after = yield* cache.member(clusterOf("a", { generation: "2" }))
        assert.notStrictEqual(after, before)
        yield* settles("it is followed by the new one", () => fleet.server("a").watches === Kind.kinds.length)
      })
    )
  )

  it.effect("ends every watch with its scope", () =>
    Effect.gen(function* () {
      const seen: Array<FakeFleet> = []
      yield* onFleet(["a"], fill, (fleet) =>
        Effect.gen(function* () {
          seen.push(fleet)
          yield* settles("it is followed", () => fleet.server("a").watches === Kind.kinds.length)
        })
      )
      assert.deepStrictEqual(
        seen.map((fleet) => fleet.server("a").watches),
        [0]
      )
    })
  )
})
