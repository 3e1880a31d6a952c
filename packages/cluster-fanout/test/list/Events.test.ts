import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf, everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type EventQuery, Events } from "../../src/list/Events.ts"
import { FanOutFailed } from "../../src/list/ListError.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { namespace, object } from "../fixture/KubeObjects.ts"
import { all, onFleet, pageOf, timed } from "../fixture/Service.ts"
import { becomes, comesTrue } from "../fixture/Settling.ts"

const event = (name: string, fields: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  ...object("Event", name, { namespace: "shop" }),
  involvedObject: { kind: "Pod", namespace: "shop", name: "web", uid: "web-uid" },
  type: "Warning",
  reason: "BackOff",
  message: name,
  ...fields
})

const fill = (fleet: FakeFleet): void => {
  fleet
    .server("a")
    .put("Namespace", namespace("shop"))
    .put("Event", event("one", { lastTimestamp: "2026-01-02T00:00:00Z" }))
}

const list = (change: Partial<EventQuery> = {}) =>
  Effect.flatMap(Events, (events) =>
    events.list({
      target: all("a"),
      namespaces: everyNamespace,
      filter: {},
      page: pageOf("lastSeenAt", { order: "desc" }),
      cursorBinding: "key-1",
      ...change
    })
  )

const messages = (change: Partial<EventQuery> = {}) =>
  Effect.map(list(change), ({ items }) => items.map(({ message }) => message))
const follows = (fleet: FakeFleet) => fleet.server("a").calls.filter((call) => call === "follow Event").length

describe("Events", () => {
  it.effect("are followed from the first request on, and dropped after ten minutes without a request", () =>
    onFleet(["a"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* comesTrue("the cluster is followed", () => fleet.server("a").calls.includes("follow Pod"))
        assert.strictEqual(follows(fleet), 0)
        assert.deepStrictEqual(yield* timed(messages()), ["one"])
        fleet.server("a").put("Event", event("two", { lastTimestamp: "2026-01-02T00:00:01Z" }))
        yield* becomes(messages(), ["two", "one"])
        yield* TestClock.adjust("9 minutes")
        assert.deepStrictEqual(yield* messages(), ["two", "one"])
        yield* TestClock.adjust("9 minutes")
        assert.deepStrictEqual(yield* messages(), ["two", "one"])
        assert.strictEqual(follows(fleet), 1)
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual(yield* timed(messages()), ["two", "one"])
        assert.strictEqual(follows(fleet), 2)
      })
    )
  )

  it.effect("a cluster whose credential may not list them is reported as forbidden", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fill(fleet)
        fleet.server("a").forbidden.add("Event")
      },
      () =>
        Effect.gen(function* () {
          const failed = yield* Effect.flip(timed(list()))
          assert.instanceOf(failed, FanOutFailed)
          assert.deepInclude(failed.coverages[0], { name: ClusterName.make("a"), status: "forbidden", count: 0 })
        })
    )
  )

  it.effect("what a report leaves out is filled from what it has, and a namespace of the object decides", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fleet.server("a").put("Namespace", namespace("shop"))
        fleet.server("a").put(
          "Event",
          event("bare", { involvedObject: { kind: "Node", name: "node-1", uid: "" } }),
          event("times", { firstTimestamp: null, lastTimestamp: null, eventTime: "2026-01-03T00:00:00.5Z" }),
          event("series", {
            eventTime: "2026-01-04T00:00:00Z",
            count: 2,
            series: { count: 12, lastObservedTime: "2026-01-05T00:00:00Z" },
            source: { component: "scheduler" }
          })
        )
      },
      () =>
        Effect.gen(function* () {
          const { items } = yield* timed(list())
          assert.deepStrictEqual(
            items.map(({ count, firstSeenAt, lastSeenAt, message, namespace: where, reportedBy }) => [
              message,
              where,
              count,
              firstSeenAt,
              lastSeenAt,
              reportedBy
            ]),
            [
              ["series", "shop", 12, "2026-01-04T00:00:00.000Z", "2026-01-05T00:00:00.000Z", "scheduler"],
              ["times", "shop", 1, "2026-01-03T00:00:00.500Z", "2026-01-03T00:00:00.500Z", ""],
              ["bare", null, 1, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", ""]
            ]
          )
          assert.deepStrictEqual(items[2]?.regarding, { kind: "Node", name: "node-1" })
          const ofShop = anyOf([{ namespaceNames: ["shop"] }])
          assert.deepStrictEqual(yield* messages({ namespaces: ofShop }), ["series", "times"])
          assert.deepStrictEqual(yield* messages({ filter: { namespace: ["shop"] } }), ["series", "times"])
        })
    )
  )
})
