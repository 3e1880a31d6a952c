import { assert, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect, Stream } from "effect"
import { inRealTime } from "@quarterdeck/embedded-cluster/Machine"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import { EmbeddedCluster, type FaultyCluster, pod } from "../fixture/EmbeddedCluster.ts"
import { firstEvents, onCluster, present, put, release, scope, synced, watches } from "../fixture/Following.ts"

/** What a server or a proxy says that ends a watch as soon as it has begun. */
const endedWatch = (next?: number) =>
  Fault.fixedReply({ match: { verbs: ["watch"], ...(next !== undefined && { next }) }, body: "" })

layer(EmbeddedCluster.layer())("follow a server that ends watches at once", (it) => {
  it.effect("fails where one after the other does, for nothing of what happens would be heard", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.inject(release("v1.33.5"))
        yield* server.inject(endedWatch())
        yield* server.objects.create(pod("a"))
        const error = yield* Effect.flip(firstEvents(server.entered(), 3))
        assert.include(error.reason, { _tag: "ClusterUnreachable", code: "WATCH_ENDED" })
        assert.isAtMost(watches(server).length, 4)
      })
    )
  )

  it.effect("goes on where each told what happened before it was throttled", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { metadata } = yield* server.objects.create(pod("a"))
        const told = { type: "MODIFIED", object: { apiVersion: "v1", kind: "Pod", metadata } }
        const busy = {
          type: "ERROR",
          object: { kind: "Status", status: "Failure", reason: "TooManyRequests", code: 429 }
        }
        const body = `${JSON.stringify(told)}\n${JSON.stringify(busy)}\n`
        yield* server.inject(release("v1.33.5"))
        yield* server.inject(Fault.fixedReply({ match: { verbs: ["watch"] }, body }))
        const events = yield* firstEvents(server.entered(), 3 + 6)
        assert.lengthOf(
          events.slice(3).filter((event) => event.startsWith("Put a@")),
          6
        )
      })
    )
  )

  it.effect("lists where a watch-list ends before it is whole", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.inject(endedWatch(1))
        const a = yield* server.objects.create(pod("a"))
        assert.deepStrictEqual(yield* firstEvents(server.entered(), 3), ["Restart", put(a), synced(a)])
        assert.deepStrictEqual(
          watches(server).map((query) => query.has("sendInitialEvents")),
          [true]
        )
      })
    )
  )
})

layer(EmbeddedCluster.layer())("going on from a version", (it) => {
  /** The first event of following the pods from the version that they have now. */
  const firstFrom = (server: FaultyCluster) =>
    Effect.gen(function* () {
      const { resourceVersion } = yield* present(server)
      const api = yield* KubeApi
      return yield* Stream.runHead(api.follow(server.entered(), scope, resourceVersion)).pipe(
        Effect.flatMap(Effect.fromOption),
        Effect.map(([event]) => event?._tag),
        inRealTime
      )
    })

  it.effect("needs no list where nothing happened", () =>
    onCluster((server) =>
      Effect.map(firstFrom(server), (first) => {
        assert.strictEqual(first, "Resumed")
      })
    )
  )

  it.effect("is given up for a list where the server takes long to open the watch", () =>
    onCluster(
      (server) =>
        Effect.map(firstFrom(server), (first) => {
          assert.strictEqual(first, "Restart")
        }),
      // However soon it is, it took longer.
      { openedWithinMs: -1 }
    )
  )

  it.effect("is given up for a list where the server takes long to say what it has", () =>
    onCluster(
      (server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.slowReply({ match: { verbs: ["list"], path: "/api/v1/pods" }, bodyAfterMs: 700 }))
          assert.strictEqual(yield* firstFrom(server), "Restart")
        }),
      { openedWithinMs: 600 }
    )
  )
})
