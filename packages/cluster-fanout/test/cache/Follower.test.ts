import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as steadyClock from "../../src/kube/SteadyClock.ts"
import { ClusterCache } from "../../src/cache/ClusterCache.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, list, onFleet, workloadsOf } from "../fixture/Service.ts"
import { becomes, comesTrue } from "../fixture/Settling.ts"

const names = Effect.map(list(workloadsOf(all("a"))), ({ items }) => items.map((row) => row.name))

describe("Follower", () => {
  it.effect("reads a kind anew after a defect in what hears of it", () =>
    onFleet(
      ["a"],
      (fleet) => fleet.server("a").put("Deployment", deployment("web")),
      (fleet) =>
        Effect.gen(function* () {
          const server = fleet.server("a")
          assert.deepStrictEqual(yield* names, ["web"])
          const [member] = yield* (yield* ClusterCache).members
          let isBroken = true
          const fail = () => {
            if (isBroken) throw new RangeError("planted")
          }
          yield* member?.store.observe("Deployment", { put: fail, gone: fail, whole: () => {} }) ?? Effect.void
          server.put("Deployment", deployment("api"))
          yield* comesTrue(
            "the watch is back",
            () => server.calls.filter((call) => call === "follow Deployment").length === 2
          )
          isBroken = false
          server.put("Deployment", deployment("new"))
          yield* becomes(names, ["api", "new", "web"])
        })
    )
  )

  it.effect("waits longer each time where what it follows lives long and is never whole", () =>
    onFleet(
      ["a"],
      (fleet) => fleet.server("a").stuck.add("Deployment"),
      (fleet) =>
        Effect.gen(function* () {
          const server = fleet.server("a")
          let waitedMs = 0
          for (let drop = 0; drop < 10; drop++) {
            yield* comesTrue("it is followed", () => server.isWatching("Deployment"))
            yield* TestClock.adjust("40 seconds")
            server.drop("Deployment")
            yield* comesTrue("it is given up", () => !server.isWatching("Deployment"))
            const droppedAt = yield* steadyClock.now
            yield* comesTrue("it is followed again", () => server.isWatching("Deployment"))
            waitedMs += (yield* steadyClock.now) - droppedAt
          }
          // At the shortest wait each it would be half of this.
          assert.isAbove(waitedMs, 10_000)
        })
    )
  )
})
