import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
})
