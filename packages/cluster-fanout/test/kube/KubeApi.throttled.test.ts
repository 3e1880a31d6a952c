import { assert, layer } from "@effect/vitest"
import { Fault, type KubeObject } from "@quarterdeck/harness"
import { Effect } from "effect"
import { EmbeddedCluster, pod } from "../fixture/EmbeddedCluster.ts"
import { change, firstEvents, following, onCluster, put, synced, watches } from "../fixture/Following.ts"

/** An object of which those who follow pods are not told. */
const elsewhere: KubeObject.KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "elsewhere", namespace: "default" }
}

layer(EmbeddedCluster.layer())("follow a server that asks for patience", (it) => {
  it.effect("a short wait that the server asks for is kept, a long one fails as throttled", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const a = yield* server.objects.create(pod("a"))
        const throttled = (retryAfterSeconds: number) =>
          Fault.tooManyRequests({ match: { verbs: ["watch"], next: 1 }, retryAfterSeconds })
        yield* server.inject(throttled(0))
        assert.deepStrictEqual(yield* firstEvents(server.entered(), 2), [put(a), synced(a)])
        assert.strictEqual(watches(server).length, 2)
        yield* server.inject(throttled(60))
        const error = yield* Effect.flip(firstEvents(server.entered(), 1))
        assert.include(error.reason, { _tag: "ClusterThrottled", retryAfterMs: 60_000 })
      })
    )
  )

  it.effect("what a watch told before the server asks for patience in it is kept", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const a = yield* server.objects.create(pod("a"))
        const { first } = yield* following(server.entered())
        yield* first(2)
        const { resourceVersion } = (yield* server.objects.create(elsewhere)).metadata
        const told = { type: "ADDED", object: { metadata: { name: "b", uid: "b", resourceVersion } } }
        const busy = { type: "ERROR", object: { kind: "Status", code: 429, reason: "TooManyRequests" } }
        const body = `${JSON.stringify(told)}\n${JSON.stringify(busy)}\n`
        yield* server.inject(Fault.fixedReply({ match: { verbs: ["watch"], next: 1 }, body }))
        yield* server.inject(Fault.watchCutEvery("1 milli", { match: { next: 1 } }))
        yield* first(3)
        const changed = yield* change(server, a)
        assert.deepStrictEqual(yield* first(4), [put(a), synced(a), `Put b@${resourceVersion}`, put(changed)])
      })
    )
  )
})
