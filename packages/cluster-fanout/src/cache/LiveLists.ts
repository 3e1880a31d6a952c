/**
 * Lists whole collections of clusters now, for answers that must not come from the cache.
 */
import { Context, Effect, Scope, Semaphore, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import * as Interner from "../projection/Interner.ts"
import * as CoalescedRuns from "./CoalescedRuns.ts"
import * as FairLanes from "./FairLanes.ts"
import * as Kind from "../projection/Kind.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import * as Projection from "../projection/Projection.ts"

/** Live lists of one cluster at the same time, whoever asks. */
export const LiveLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/LiveLists/LiveLanes", {
  defaultValue: () => 4
})

/**
 * Bounds the live lists under way for the whole process, which must hold, parse and project what arrives while it
 * answers others.
 *
 * **Shape** `lanes` lists at the same time. The others wait within their requests' own deadlines: the requests in turn,
 * and within one its clusters in the order asked. A list that has heard nothing for `quietMs` waits outside of the lanes
 * until its answer begins, so that clusters that do not answer hold up nobody.
 */
export const LiveLimits = Context.Reference("@quarterdeck/cluster-fanout/LiveLists/LiveLimits", {
  defaultValue: () => ({ lanes: 16, quietMs: 100 })
})

/** The request that a list is for, and the cluster's place in it. */
export const Turn = Context.Reference<FairLanes.Turn>("@quarterdeck/cluster-fanout/LiveLists/Turn", {
  defaultValue: () => ({ request: 0, place: 0 })
})

/** A whole collection, projected, as a store takes it: every object, then the end of the initial state. */
interface Listed<K extends Kind.Kind> {
  readonly changes: ReadonlyArray<Projection.Change<Projection.RecordOf[K]>>
  /** When the list began, by `steadyClock`: what was written until then is in it. */
  readonly askedAt: number
}

export interface LiveLists {
  /** **Limits** `LiveLimits`; shared by those who ask for it before it begins. */
  readonly list: <K extends Kind.Kind>(cluster: Cluster, kind: K) => Effect.Effect<Listed<K>, ClusterError>
}

type Runs = { readonly [K in Kind.Kind]: CoalescedRuns.CoalescedRuns<Listed<K>, ClusterError> }

export const make: Effect.Effect<LiveLists, never, KubeApi | Scope.Scope> = Effect.gen(function* () {
  const api = yield* KubeApi
  const inClusterLane = makeClusterLanes(yield* LiveLanes)
  const { lanes: count, quietMs } = yield* LiveLimits
  const lanes = FairLanes.make(count)
  const scope = yield* Effect.scope
  const runsOf = <K extends Kind.Kind>() => CoalescedRuns.make<Listed<K>, ClusterError>(lanes, scope)
  const runs: Runs = {
    Namespace: runsOf<"Namespace">(),
    Deployment: runsOf<"Deployment">(),
    StatefulSet: runsOf<"StatefulSet">(),
    DaemonSet: runsOf<"DaemonSet">(),
    ReplicaSet: runsOf<"ReplicaSet">(),
    Job: runsOf<"Job">(),
    CronJob: runsOf<"CronJob">(),
    Node: runsOf<"Node">(),
    Pod: runsOf<"Pod">()
  }

  const list: LiveLists["list"] = Effect.fnUntraced(function* <K extends Kind.Kind>(cluster: Cluster, kind: K) {
    const turn = yield* Turn
    const ofKind: CoalescedRuns.CoalescedRuns<Listed<K>, ClusterError> = runs[kind]
    return yield* ofKind.run(`${cluster.name} ${cluster.generation}`, turn, (lane) =>
      Effect.gen(function* () {
        const beforeBody = yield* leavingWhileQuiet(lane, { lanes, quietMs, turn })
        return yield* inClusterLane(cluster, read(api, cluster, kind, beforeBody))
      }).pipe(Effect.scoped)
    )
  })
  return { list }
})

/** Gives up the lane while there is nothing to take in. **Shape** gives what waits until there is a lane for the body. */
const leavingWhileQuiet = Effect.fnUntraced(function* (
  lane: FairLanes.Ticket,
  {
    lanes,
    quietMs,
    turn
  }: { readonly lanes: FairLanes.FairLanes; readonly quietMs: number; readonly turn: FairLanes.Turn }
) {
  const scope = yield* Effect.scope
  let hasBegun = false
  const leave = Effect.suspend(() => (hasBegun ? Effect.void : lane.leave))
  // What came while the process itself was busy is looked at first.
  const patience = Effect.andThen(Effect.sleep(quietMs), Effect.repeat(Effect.yieldNow, { times: 2 }))
  yield* Effect.forkScoped(Effect.andThen(patience, leave))
  return Effect.suspend(() => {
    if (hasBegun) return Effect.void
    hasBegun = true
    return lane.isAdmitted() ? Effect.void : Scope.provide(FairLanes.enter(lanes, turn), scope)
  })
})

const read = Effect.fnUntraced(function* <K extends Kind.Kind>(
  api: KubeApi["Service"],
  cluster: Cluster,
  kind: K,
  beforeBody: Effect.Effect<void>
) {
  const place = { cluster: cluster.name, interner: Interner.make() }
  const askedAt = yield* steadyClock.now
  const changes: Array<Projection.Change<Projection.RecordOf[K]>> = []
  yield* Stream.runForEach(api.list(cluster, { resource: Kind.resources[kind] }, { beforeBody }), (page) =>
    Effect.map(Effect.yieldNow, () => {
      for (const object of page) changes.push({ _tag: "Put", record: Projection.project(kind, object, place) })
    })
  )
  changes.push({ _tag: "Synced" })
  const listed: Listed<K> = { changes, askedAt }
  return listed
})

/** Keeps a semaphore for each cluster while somebody uses it. */
const makeClusterLanes = (permits: number) => {
  const lanes = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  const enter = (cluster: Cluster) =>
    Effect.sync(() => {
      const lane = lanes.get(cluster.name) ?? { semaphore: Semaphore.makeUnsafe(permits), users: 0 }
      lane.users++
      lanes.set(cluster.name, lane)
      return lane
    })
  return <A, E>(cluster: Cluster, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      enter(cluster),
      ({ semaphore }) => semaphore.withPermit(effect),
      (lane) =>
        Effect.sync(() => {
          lane.users--
          if (lane.users === 0) lanes.delete(cluster.name)
        })
    )
}
