import { NodeServices } from "@effect/platform-node"
import { inRealTime } from "@quarterdeck/embedded-cluster/RealTime"
import { Fault } from "@quarterdeck/harness"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as Follower from "../../src/cache/Follower.ts"
import { Breakers } from "../../src/kube/Breaker.ts"
import { FollowLimits, KubeApi } from "../../src/kube/KubeApi.ts"
import * as Interner from "../../src/projection/Interner.ts"
import { EmbeddedCluster, type FaultyCluster } from "../fixture/EmbeddedCluster.ts"
import { change, present, remove } from "../fixture/Following.ts"
import { eventually } from "../fixture/Waiting.ts"

const PODS = 501

/** The pods of a cluster as a follower keeps them. **Shape** `reads` counts the reads of whole lists, by pages or by a watch. */
const kept = Effect.fnUntraced(function* (
  server: FaultyCluster,
  { isThere = true, ...limits }: Partial<Follower.FollowerLimits & { readonly isThere: boolean }> = {}
) {
  const cluster = server.entered()
  const store = new ClusterStore(cluster)
  store.probed({ answered: true }, 0)
  const parts: Follower.Parts = {
    cluster,
    api: yield* KubeApi,
    breaker: yield* (yield* Breakers).of(cluster),
    store,
    interner: Interner.make(),
    lanes: []
  }
  const patience = { ...Follower.FollowerLimits.defaultValue(), minBackoffMs: 20, maxBackoffMs: 40, ...limits }
  yield* Effect.forkScoped(
    inRealTime(Effect.provideService(Follower.run("Pod", parts), Follower.FollowerLimits, patience))
  )
  const isLive = Effect.sync(() => {
    const { sync } = store.table("Pod")
    return sync._tag === "Synced" && sync.live
  })
  const becomes = (live: boolean) => eventually(isLive, (is) => is === live)
  if (isThere) yield* becomes(true)
  const reads = () => server.requests.filter(({ query }) => query.has("sendInitialEvents")).length
  /** Waits until it is current, while the server's clock goes on. */
  const catchesUp = Effect.gen(function* () {
    const passing = yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(TestClock.adjust("500 millis"), inRealTime(Effect.sleep("10 millis"))))
    )
    yield* becomes(true)
    yield* Fiber.interrupt(passing)
  })
  return { becomes, catchesUp, reads, store }
})

/** The pods that are kept, and those that are there. */
const compared = Effect.fnUntraced(function* (server: FaultyCluster, store: ClusterStore) {
  const there = (yield* present(server)).items.map(
    ({ metadata }) => `${metadata.name} ${metadata.labels?.["app"] ?? ""}`
  )
  const shown = [...store.table("Pod").records.values()].map(({ labels, name }) => `${name} ${labels["app"] ?? ""}`)
  return { shown: shown.toSorted(), there: there.toSorted() }
})

/** Follows the pods of the block's cluster through an API of its own. */
const onCluster = <A, E>(test: (server: FaultyCluster) => Effect.Effect<A, E, KubeApi | Breakers | Scope.Scope>) =>
  Effect.gen(function* () {
    const { anew } = yield* EmbeddedCluster
    const server = yield* anew
    const kube = Layer.fresh(KubeApi.layer).pipe(
      Layer.provide(NodeServices.layer),
      Layer.provide(Layer.succeed(FollowLimits, { ...FollowLimits.defaultValue(), catchUpMs: 1_000 })),
      Layer.merge(Breakers.layer)
    )
    return yield* Effect.scoped(test(server)).pipe(Effect.provide(kube))
  })

/** What happens to pods while nobody hears of it. */
const happen = Effect.fnUntraced(function* (server: FaultyCluster) {
  const { items } = yield* present(server)
  const [gone, changed] = [items[3] ?? assert.fail(), items[5] ?? assert.fail()]
  yield* remove(server, gone)
  const { name = "", namespace = "" } = changed.metadata
  const ref = { apiVersion: "v1", kind: "Pod", namespace, name }
  yield* Effect.orDie(server.objects.patch(ref, { metadata: { labels: { app: "changed" } } }))
})

/** Something happens that is no pod's. */
const elsewhere = ({ objects }: FaultyCluster) =>
  Effect.orDie(objects.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } }))

layer(EmbeddedCluster.layer({ pods: PODS }))("a kind of many objects", (it) => {
  it.effect("goes on where it was after an outage, with what happened meanwhile", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server)
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* happen(server)
        assert.strictEqual(store.table("Pod").records.size, PODS, "what is known is shown")
        yield* heal
        yield* becomes(true)
        const { shown, there } = yield* compared(server, store)
        assert.deepStrictEqual(shown, there)
        assert.strictEqual(reads(), 1)
      })
    )
  )

  it.effect("is current again at once when nothing happened", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server)
        const { provenAt } = store.table("Pod")
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* heal
        yield* becomes(true)
        assert.isAbove(store.table("Pod").provenAt ?? 0, provenAt ?? 0)
        assert.strictEqual(reads(), 1)
      })
    )
  )

  it.effect("is current again when the server says that what happened was elsewhere", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, catchesUp, reads } = yield* kept(server)
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* elsewhere(server)
        yield* heal
        yield* catchesUp
        assert.strictEqual(reads(), 1)
      })
    )
  )

  it.effect("is read whole when the server no longer tells what happened", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server)
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* happen(server)
        yield* server.inject(Fault.expiredWatch({ match: { verbs: ["watch"], next: 1 } }))
        yield* heal
        yield* becomes(true)
        const { shown, there } = yield* compared(server, store)
        assert.deepStrictEqual(shown, there)
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("is read whole when the server never says that this was all", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, catchesUp, reads } = yield* kept(server)
        yield* server.inject(Fault.lostBookmarks({ match: { next: 1 } }))
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* elsewhere(server)
        yield* heal
        yield* catchesUp
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("is read whole when what is between keeps back what the server says", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads } = yield* kept(server)
        yield* server.inject(Fault.slowReply({ match: { verbs: ["watch"], next: 1 }, bodyAfterMs: 60_000 }))
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* elsewhere(server)
        yield* heal
        yield* becomes(true)
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("is read whole at once when what the server says of it cannot be read", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server)
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* happen(server)
        yield* server.inject(Fault.malformedJson({ match: { verbs: ["watch"], next: 1 } }))
        yield* heal
        yield* becomes(true)
        const { shown, there } = yield* compared(server, store)
        assert.deepStrictEqual(shown, there)
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("is read whole after an outage in which a backup could have been restored", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server, { resumedWithinMs: 1 })
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* happen(server)
        yield* heal
        yield* becomes(true)
        const { shown, there } = yield* compared(server, store)
        assert.deepStrictEqual(shown, there)
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("hears of each change of many short outages", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, store } = yield* kept(server)
        for (let outage = 0; outage < 5; outage++) {
          const heal = yield* server.begin(Fault.cut)
          yield* becomes(false)
          yield* happen(server)
          const [first] = (yield* present(server)).items
          if (first !== undefined) yield* change(server, first, String(outage))
          yield* heal
          yield* becomes(true)
          const { shown, there } = yield* compared(server, store)
          assert.deepStrictEqual(shown, there)
        }
      })
    )
  )
})

layer(EmbeddedCluster.layer({ pods: PODS }))("a kind of many objects", (it) => {
  it.effect("is read whole when the server has gone back to an earlier state", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const { becomes, reads, store } = yield* kept(server)
        const heal = yield* server.begin(Fault.cut)
        yield* becomes(false)
        yield* server.embedded.restartEmpty.pipe(Effect.orDie)
        yield* heal
        yield* becomes(true)
        const { shown, there } = yield* compared(server, store)
        assert.deepStrictEqual(shown, there)
        assert.strictEqual(reads(), 2)
      })
    )
  )

  it.effect("waits and says why when its server answers 410 for all it is asked", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        yield* server.inject(Fault.fixedReply({ match: { path: "/version" }, status: 410, body: "{}" }))
        const { store } = yield* kept(server, { isThere: false })
        const { sync } = yield* eventually(
          Effect.sync(() => store.table("Pod")),
          ({ sync: { _tag } }) => _tag === "Pending" && store.table("Pod").sync.error !== undefined
        )
        assert.strictEqual(sync._tag === "Pending" ? sync.error?.reason._tag : "", "ClusterExpired")
      })
    )
  )
})
