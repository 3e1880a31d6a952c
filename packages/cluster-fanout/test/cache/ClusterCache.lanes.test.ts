import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SyncLimits } from "../../src/cache/ClusterCache.ts"
import * as Kind from "../../src/projection/Kind.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment, namespace, node } from "../fixture/KubeObjects.ts"
import { onFleet } from "../fixture/Service.ts"
import { comesTrue, settles } from "../fixture/Settling.ts"

const fill = (fleet: FakeFleet) => {
  for (const server of fleet.servers.values()) {
    server
      .put("Namespace", namespace("default"))
      .put("Deployment", deployment("web"))
      .put("Node", node("n1", "4", "8Gi"))
  }
}
describe("ClusterCache, initial syncs", () => {
  it.effect("syncs two kinds of a cluster at a time, and no more than the bound of all clusters", () =>
    onFleet(
      ["a", "b"],
      (fleet) => {
        fill(fleet)
        for (const server of fleet.servers.values()) for (const kind of Kind.kinds) server.stuck.add(kind)
      },
      (fleet) =>
        Effect.gen(function* () {
          const [a, b] = [fleet.server("a"), fleet.server("b")]
          yield* settles("as many as may have begun", () => a.watches + b.watches === 3)
          yield* TestClock.adjust("4 seconds")
          assert.isAtMost(a.watches, 2)
          assert.isAtMost(b.watches, 2)
          assert.strictEqual(a.watches + b.watches, 3)
        })
    ).pipe(Effect.provideService(SyncLimits, { perCluster: 2, total: 3 }))
  )

  it.effect("does not let a cluster that dies in the middle of a sync hold up the others", () =>
    onFleet(
      ["a", "b"],
      (fleet) => {
        fill(fleet)
        for (const kind of Kind.kinds) fleet.server("a").stuck.add(kind)
        fleet.server("b").trouble = "hanging"
      },
      (fleet) =>
        Effect.gen(function* () {
          const [a, b] = [fleet.server("a"), fleet.server("b")]
          yield* settles("a holds the lanes", () => a.watches === 2)
          a.trouble = "hanging"
          b.trouble = "none"
          yield* comesTrue("b is synced", () => b.watches === Kind.kinds.length, 60)
        })
    ).pipe(Effect.provideService(SyncLimits, { perCluster: 2, total: 2 }))
  )

  it.effect("does not let a cluster that lives and never ends a sync hold up the others", () =>
    onFleet(
      ["a", "b"],
      (fleet) => {
        fill(fleet)
        for (const kind of Kind.kinds) fleet.server("a").stuck.add(kind)
        fleet.server("b").trouble = "hanging"
      },
      (fleet) =>
        Effect.gen(function* () {
          const [a, b] = [fleet.server("a"), fleet.server("b")]
          yield* settles("a holds the lanes", () => a.watches === 2)
          b.trouble = "none"
          yield* comesTrue("b is synced", () => b.watches === Kind.kinds.length, 60)
          yield* comesTrue("every kind of a is followed too", () => a.watches === Kind.kinds.length)
        })
    ).pipe(Effect.provideService(SyncLimits, { perCluster: 2, total: 2 }))
  )
})
