import { NodeServices } from "@effect/platform-node"
import { inRealTime } from "@quarterdeck/embedded-cluster/Machine"
import { Fault } from "@quarterdeck/harness"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, type Scope } from "effect"
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
    accelerators: [],
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
  // The server keeps the test's clock, by which it ends watches; the waiting is by the real one.
  const clock = yield* Clock.Clock
  const pass = Effect.provideService(TestClock.adjust("500 millis"), Clock.Clock, clock)
  /** Waits until it is current, while the server's clock goes on. */
  const catchesUp = eventually(Effect.andThen(pass, isLive), (is) => is)
  return { becomes, catchesUp, reads, store }
})

type Kept = Effect.Success<ReturnType<typeof kept>>

/** Cuts the connection, and heals it once something has happened. */
const outage = Effect.fnUntraced(function* <E, R>(
  server: FaultyCluster,
  { becomes }: Pick<Kept, "becomes">,
  meanwhile: Effect.Effect<unknown, E, R> = Effect.void
) {
  const heal = yield* server.begin(Fault.cut)
  yield* becomes(false)
  yield* meanwhile
  yield* heal
})

/** Compares the pods that are kept with those that are there. */
const holdsAll = Effect.fnUntraced(function* (server: FaultyCluster, { store }: Pick<Kept, "store">) {
  const there = (yield* present(server)).items.map(
    ({ metadata }) => `${metadata.name} ${metadata.labels?.["app"] ?? ""}`
  )
  const shown = [...store.table("Pod").records.values()].map(({ labels, name }) => `${name} ${labels["app"] ?? ""}`)
  assert.deepStrictEqual(shown.toSorted(), there.toSorted())
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

/** Changes of pods while the watch is lost. */
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

/** An outage, and what a kind is to make of it. **Shape** `by` says whether the server's clock must go on for that. */
interface Case {
  readonly title: string
  readonly fault?: Fault.Fault
  readonly meanwhile: (server: FaultyCluster) => Effect.Effect<unknown>
  readonly by?: "server" | "clock"
  readonly limits?: Partial<Follower.FollowerLimits>
}

const nextWatch = { verbs: ["watch"], next: 1 } as const

const GOES_ON: ReadonlyArray<Case> = [
  { title: "with what happened meanwhile", meanwhile: happen },
  { title: "at once when nothing happened", meanwhile: () => Effect.void },
  {
    title: "when nothing happened and the server asks for patience before it watches",
    fault: Fault.tooManyRequests({ match: nextWatch, retryAfterSeconds: 0 }),
    meanwhile: () => Effect.void
  },
  {
    title: "when the server asks for patience, with what happens until it watches",
    fault: Fault.tooManyRequests({ match: nextWatch, retryAfterSeconds: 0 }),
    meanwhile: happen
  },
  { title: "when the server says that what happened was elsewhere", meanwhile: elsewhere, by: "clock" }
]

const READ_WHOLE: ReadonlyArray<Case> = [
  {
    title: "the server no longer tells what happened",
    fault: Fault.expiredWatch({ match: nextWatch }),
    meanwhile: happen
  },
  {
    title: "the server never says that this was all",
    fault: Fault.lostBookmarks({ match: { next: 1 } }),
    meanwhile: elsewhere,
    by: "clock"
  },
  {
    title: "what is between keeps back what the server says",
    fault: Fault.slowReply({ match: nextWatch, bodyAfterMs: 60_000 }),
    meanwhile: elsewhere
  },
  {
    title: "what the server says of it cannot be read",
    fault: Fault.malformedJson({ match: nextWatch }),
    meanwhile: happen
  },
  { title: "a backup could have been restored meanwhile", meanwhile: happen, limits: { resumedWithinMs: 1 } }
]

/** Lets a case happen, and gives how often the kind was read whole. */
const readsOf = ({ by = "server", fault, limits, meanwhile }: Case) =>
  onCluster((server) =>
    Effect.gen(function* () {
      const pods = yield* kept(server, limits)
      const { provenAt } = pods.store.table("Pod")
      const faulty = fault === undefined ? Effect.void : server.inject(fault)
      yield* outage(server, pods, Effect.andThen(meanwhile(server), faulty))
      yield* by === "clock" ? pods.catchesUp : pods.becomes(true)
      yield* holdsAll(server, pods)
      assert.isAbove(pods.store.table("Pod").provenAt ?? 0, provenAt ?? 0)
      return pods.reads()
    })
  )

layer(EmbeddedCluster.layer({ pods: PODS }))("a kind of many objects", (it) => {
  for (const one of GOES_ON) {
    it.effect(`goes on where it was after an outage, ${one.title}`, () =>
      Effect.map(readsOf(one), (reads) => assert.strictEqual(reads, 1))
    )
  }

  for (const one of READ_WHOLE) {
    it.effect(`is read whole after an outage when ${one.title}`, () =>
      Effect.map(readsOf(one), (reads) => assert.strictEqual(reads, 2))
    )
  }

  it.effect("shows during an outage what is known", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const pods = yield* kept(server)
        const size = Effect.sync(() => assert.strictEqual(pods.store.table("Pod").records.size, PODS))
        yield* outage(server, pods, Effect.andThen(happen(server), size))
      })
    )
  )

  it.effect("hears of each change of many short outages", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const pods = yield* kept(server)
        for (let time = 0; time < 5; time++) {
          const changed = Effect.gen(function* () {
            yield* happen(server)
            const [first] = (yield* present(server)).items
            if (first !== undefined) yield* change(server, first, String(time))
          })
          yield* outage(server, pods, changed)
          yield* pods.becomes(true)
          yield* holdsAll(server, pods)
        }
      })
    )
  )
})

layer(EmbeddedCluster.layer({ pods: PODS }))("a kind of many objects", (it) => {
  it.effect("is read whole when the server has gone back to an earlier state", () =>
    onCluster((server) =>
      Effect.gen(function* () {
        const pods = yield* kept(server)
        yield* outage(server, pods, Effect.orDie(server.embedded.restartEmpty))
        yield* pods.becomes(true)
        yield* holdsAll(server, pods)
        assert.strictEqual(pods.reads(), 2)
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
