import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as Kind from "../../src/projection/Kind.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import { Transport } from "../../src/kube/Transport.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { pod } from "../fixture/KubeObjects.ts"

const PAGES = 20
const body = Buffer.from(JSON.stringify({ metadata: { resourceVersion: "5" }, items: [pod("a")] }))

describe("pages of lists", () => {
  it.live("that arrive together are read one by one, and others have their turn after each", () =>
    Effect.gen(function* () {
      const api = yield* KubeApi
      let turns = 0
      const others = Effect.forever(Effect.map(Effect.yieldNow, () => void turns++))
      const lists = Effect.forEach(
        Array.from({ length: PAGES }, (_, index) => clusterOf(`c${index}`)),
        (cluster) => Stream.runCollect(api.list(cluster, { resource: Kind.resources.Pod })),
        { concurrency: "unbounded" }
      )
      const all = yield* Effect.raceFirst(lists, others)
      assert.strictEqual(all.length, PAGES)
      assert.isAtLeast(turns, PAGES)
    }).pipe(
      Effect.provide(
        KubeApi.layerNoDeps.pipe(
          Layer.provide(
            Layer.mock(Transport, {
              call: () => Effect.succeed({ status: 200, contentType: "application/json", body })
            })
          )
        )
      )
    )
  )
})
