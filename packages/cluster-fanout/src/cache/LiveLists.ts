/**
 * Lists whole collections of clusters now, for answers that must not come from the cache.
 */
import { Context, Effect, type Scope, Semaphore } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import * as Interner from "../projection/Interner.ts"
import * as CoalescedRuns from "./CoalescedRuns.ts"
import * as FairLanes from "./FairLanes.ts"
import * as FiberRoster from "./FiberRoster.ts"
import * as LaneLease from "./LaneLease.ts"
import * as Kind from "../projection/Kind.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import type { Waiting } from "../kube/Transport.ts"
import { TurnBudget } from "../kube/TurnBudget.ts"
import * as Projection from "../projection/Projection.ts"

/** Live lists of one cluster at the same time, whoever asks. */
export const LiveLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/LiveLists/LiveLanes", {
  defaultValue: () => 4
})

/**
 * Bounds the live lists under way for the whole process, which must hold, parse and project what arrives while it
 * answers others.
 *
 * **Shape** `asked` lists may wait for their answers at the same time, and `lanes` are taken in; of an answer that begins
 * while no lane is free, no more than its first 64 KiB are read until there is one. The others wait within their requests'
 * own deadlines: the requests in turn, and within one its clusters in the order asked. A list that has heard nothing for
 * `quietMs` no longer counts among those asked, and one that stops for `stallMs` in the middle of its answer waits outside
 * of the lanes until it is heard of again, so that clusters that do not answer hold up nobody. What those that stopped have
 * taken in stays in memory, so there are at most `stalled` of them: beyond, the one that stopped first ends as
 * `ClusterTimeout`.
 */
export const LiveLimits = Context.Reference("@quarterdeck/cluster-fanout/LiveLists/LiveLimits", {
  defaultValue: () => ({ asked: 128, lanes: 16, quietMs: 100, stallMs: 500, stalled: 16 })
})

/** A whole collection, projected. */
export interface Listed<K extends Kind.Kind> {
  readonly records: ReadonlyArray<Projection.RecordOf[K]>
  /** When the list began, by `steadyClock`: what was written until then is in it. */
  readonly askedAt: number
}

export interface LiveLists {
  /** Lists a kind in its turn. **Limits** `LiveLimits`; shared by those who ask for it before it begins. */
  readonly list: <K extends Kind.Kind>(
    cluster: Cluster,
    kind: K,
    turn: FairLanes.Turn
  ) => Effect.Effect<Listed<K>, ClusterError>
}

type Runs = { readonly [K in Kind.Kind]: CoalescedRuns.CoalescedRuns<Cluster, Listed<K>, ClusterError> }

export const make: Effect.Effect<LiveLists, never, KubeApi | Scope.Scope> = Effect.gen(function* () {
  const api = yield* KubeApi
  const inClusterLane = makeClusterLanes(yield* LiveLanes)
  const { asked, lanes, ...limits } = yield* LiveLimits
  const leases = LaneLease.make(FairLanes.make(lanes), limits)
  yield* LaneLease.watch(leases)
  const asking = FairLanes.make(asked)
  const fibers = yield* FiberRoster.make
  const runsOf = <K extends Kind.Kind>() => CoalescedRuns.make<Cluster, Listed<K>, ClusterError>(asking, fibers)
  const runs: Runs = {
    Namespace: runsOf<"Namespace">(),
    Deployment: runsOf<"Deployment">(),
    StatefulSet: runsOf<"StatefulSet">(),
    DaemonSet: runsOf<"DaemonSet">(),
    ReplicaSet: runsOf<"ReplicaSet">(),
    Job: runsOf<"Job">(),
    CronJob: runsOf<"CronJob">(),
    Node: runsOf<"Node">(),
    Pod: runsOf<"Pod">(),
    Event: runsOf<"Event">()
  }

  const list: LiveLists["list"] = <K extends Kind.Kind>(cluster: Cluster, kind: K, turn: FairLanes.Turn) => {
    const ofKind: CoalescedRuns.CoalescedRuns<Cluster, Listed<K>, ClusterError> = runs[kind]
    return ofKind.run(cluster, turn, ({ cut, lane }) => {
      const claim = { turn, asking: lane, cut: () => cut(stalled(cluster, limits.stallMs)) }
      const lease = new LaneLease.LaneLease(leases, claim)
      return Effect.ensuring(inClusterLane(cluster, read(api, cluster, kind, lease.waiting)), lease.end)
    })
  }
  return { list }
})

const stalled = ({ name }: Cluster, timeoutMs: number) =>
  new ClusterError({ cluster: name, reason: new ClusterTimeout({ timeoutMs }) })

const read = Effect.fnUntraced(function* <K extends Kind.Kind>(
  api: KubeApi["Service"],
  cluster: Cluster,
  kind: K,
  waiting: Waiting
) {
  const place = { cluster: cluster.name, interner: Interner.none }
  const turns = yield* TurnBudget
  const askedAt = yield* steadyClock.now
  let first: ReadonlyArray<Projection.RecordOf[K]> | undefined
  /** Of several pages: an object that moved from one to another between them counts once. */
  let byUid: Map<string, Projection.RecordOf[K]> | undefined
  yield* api.listEach(cluster, { resource: Kind.resources[kind] }, { waiting }, (page, isAnew) =>
    Effect.map(
      turns.map(page, (object) => Projection.project(kind, object, place)),
      (projected) => {
        if (isAnew) {
          first = undefined
          byUid = undefined
          return
        }
        if (first === undefined) {
          first = projected
          return
        }
        byUid ??= new Map(first.map((record) => [record.uid, record]))
        for (const record of projected) byUid.set(record.uid, record)
      }
    )
  )
  const listed: Listed<K> = { records: byUid === undefined ? (first ?? []) : [...byUid.values()], askedAt }
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
