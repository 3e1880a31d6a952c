import { assert, describe, it } from "@effect/vitest"
import { anyOf, everyNamespace, type NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import { everyCluster } from "@quarterdeck/targeting/Target"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { ClusterRow } from "../../src/projection/Row.ts"
import { ClusterWatch } from "../../src/watch/ClusterWatch.ts"
import type { WatchEvent } from "../../src/watch/WatchEvent.ts"
import { clusterOf, type FakeFleet } from "../fixture/FakeFleet.ts"
import { namespace, pod } from "../fixture/KubeObjects.ts"
import { all, onFleet, timed } from "../fixture/Service.ts"
import { comesTrue } from "../fixture/Settling.ts"

const SHOP = anyOf([{ namespaceNames: ["shop"] }])

const fill = (fleet: FakeFleet): void => {
  for (const server of fleet.servers.values()) server.put("Namespace", namespace("default")).put("Pod", pod("web"))
}

/** A reader that records its events. */
const reading = Effect.fnUntraced(function* (
  lastEventId?: string,
  namespaces: NamespaceFilter = everyNamespace,
  hear: (event: WatchEvent<ClusterRow>) => void = () => {}
) {
  const events: Array<WatchEvent<ClusterRow>> = []
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const defects: Array<unknown> = []
  const push = (told: Iterable<WatchEvent<ClusterRow>>) => {
    for (const event of told) {
      events.push(event)
      hear(event)
    }
  }
  const watch = yield* ClusterWatch
  const query = {
    target: all("a", "b"),
    namespaces,
    clusters: everyCluster,
    binding: JSON.stringify(["key-1", namespaces]),
    lastEventId,
    timeoutMs: 3_000
  }
  const sink = { push, pushLater: push, pushMany: push, broken: (defect: unknown) => void defects.push(defect) }
  yield* timed(Scope.provide(watch.open(query, sink), scope))
  return {
    events,
    defects,
    close: Scope.close(scope, Exit.void),
    /** Everything in words: `row a`, `gone b`, `ready`. */
    words: () =>
      events.map((event) =>
        "row" in event ? `${event._tag.toLowerCase()} ${event.row.name}` : event._tag.toLowerCase()
      ),
    lastId: () => events.reduce((last, event) => ("id" in event ? event.id : last), ""),
    last: (name: string) => events.findLast((event) => "row" in event && event.row.name === name)
  }
})

const BEGUN = ["row a", "row b", "ready"]

describe("readers of clusters", () => {
  it.effect("hear nothing for an hour in which nothing happens", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const reader = yield* reading()
        assert.deepStrictEqual(reader.words(), BEGUN)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(reader.words(), BEGUN)
      })
    )
  )

  it.effect("a returning reader receives one event for each cluster that changed or left meanwhile", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        const first = yield* reading()
        yield* first.close
        for (const name of ["one", "two", "three"]) {
          fleet.server("a").put("Pod", pod(name))
          yield* TestClock.adjust("5 seconds")
        }
        yield* fleet.register(clusterOf("a", { role: "parent" }))
        yield* TestClock.adjust("5 seconds")
        const second = yield* reading(first.lastId())
        assert.deepStrictEqual(second.words(), ["row a", "gone b", "ready"])
        const third = yield* reading(second.lastId())
        assert.deepStrictEqual(third.words(), ["ready"])
      })
    )
  )

  it.effect.each<[string, number, ReadonlyArray<string>]>([
    ["goes on", 9, ["ready"]],
    ["begins anew", 11, ["reset", ...BEGUN]]
  ])("a reader that returns %s after %s minutes without a reader", ([, minutes, expected]) =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const first = yield* reading()
        yield* first.close
        yield* TestClock.adjust(`${minutes} minutes`)
        const second = yield* reading(first.lastId())
        assert.deepStrictEqual(second.words(), expected)
      })
    )
  )

  it.effect("of another namespace scope hear of their own pods alone", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        const everything = yield* reading()
        const shop = yield* reading(undefined, SHOP)
        fleet.server("a").put("Pod", pod("more"))
        yield* comesTrue("the pod is reported", () => everything.words().length > BEGUN.length)
        assert.deepStrictEqual(shop.words(), BEGUN)
        fleet.server("a").put("Pod", pod("cart", { namespace: "shop" }))
        yield* comesTrue("the pod is reported", () => shop.words().length > BEGUN.length)
        const told = shop.last("a")
        assert.isTrue(told?._tag === "Row" && told.row.pods === 1 && told.row.nodes === null)
      })
    )
  )

  it.effect("hear of a cluster that comes once it is read, and not before", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* fleet.register(clusterOf("a", { role: "parent" }))
        const reader = yield* reading()
        assert.deepStrictEqual(reader.words(), ["row a", "ready"])
        yield* fleet.register(clusterOf("a", { role: "parent" }), clusterOf("b"))
        yield* comesTrue("the cluster is reported", () => reader.words().includes("row b"))
        const told = reader.last("b")
        assert.isTrue(told?._tag === "Row" && told.row.coverage.status === "ok" && told.row.pods === 1)
        assert.deepStrictEqual(reader.words(), ["row a", "ready", "row b"])
      })
    )
  )

  it.effect("hear of a cluster that comes and is not read after as long as a list waits", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* fleet.register(clusterOf("a", { role: "parent" }))
        const reader = yield* reading()
        fleet.server("b").trouble = "hanging"
        yield* fleet.register(clusterOf("a", { role: "parent" }), clusterOf("b"))
        yield* TestClock.adjust("2 seconds")
        assert.notInclude(reader.words(), "row b")
        yield* comesTrue("the cluster is reported", () => reader.words().includes("row b"), 5)
        const told = reader.last("b")
        assert.isTrue(told?._tag === "Row" && !told.row.reachable && told.row.pods === null)
      })
    )
  )

  it.effect("32 namespace scopes are kept for who comes back, those that were left last", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const scopes = Array.from({ length: 34 }, (_, index) => anyOf([{ namespaceNames: [`team-${index}`] }]))
        const ids: Array<string> = []
        for (const scope of scopes) {
          const reader = yield* reading(undefined, scope)
          ids.push(reader.lastId())
          yield* reader.close
        }
        yield* TestClock.adjust("1 second")
        const again = (index: number) =>
          Effect.map(reading(ids[index], scopes[index]), (reader) => [index, ...reader.words()])
        assert.deepStrictEqual(yield* again(2), [2, "ready"])
        assert.deepStrictEqual(yield* again(33), [33, "ready"])
        assert.deepStrictEqual(yield* again(1), [1, "reset", ...BEGUN])
      })
    )
  )

  it.effect("one that breaks leaves the others as they are", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        let isBroken = false
        const broken = yield* reading(undefined, everyNamespace, () => {
          if (isBroken) throw new RangeError("a defect")
        })
        isBroken = true
        const other = yield* reading()
        for (const name of ["one", "two"]) {
          const told = other.words().length
          fleet.server("a").put("Pod", pod(name))
          yield* comesTrue("the pod is reported", () => other.words().length > told)
        }
        assert.lengthOf(broken.defects, 1)
      })
    )
  )
})
