/**
 * Lists whole collections live, for answers that must not come from the cache.
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

/** Concurrent live lists of one cluster, over all callers. */
export const LiveLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/LiveLists/LiveLanes", {
  defaultValue: () => 4
})

/**
 * Limits of the live lists of the whole process, which must buffer, parse and project them while it answers requests.
 *
 * **Shape** at most `asked` lists wait for their answers at the same time, and at most `lanes` answers are received. If
 * no lane is free when an answer begins, only its first 64 KiB are read. Waiting counts towards the request's
 * deadline. Requests take turns (round robin). Within one request, lists begin in the order of its clusters.
 *
 * Unresponsive clusters do not block others. A list without data for `quietMs` stops counting against `asked`. A list
 * that stops for `stallMs` in the middle of its answer gives up its lane until data arrives again. At most `stalled`
 * such lists keep their data in memory. Beyond that, the longest stalled list ends with `ClusterTimeout`.
 */
export const LiveLimits = Context.Reference("@quarterdeck/cluster-fanout/LiveLists/LiveLimits", {
  defaultValue: () => ({ asked: 128, lanes: 16, quietMs: 100, stallMs: 500, stalled: 16 })
})

/** A whole collection, projected. */
export interface Listed<K extends Kind.Kind> {
  readonly records: ReadonlyArray<Projection.RecordOf[K]>
  /** Time at which the list began, by `steadyClock`. The list includes all earlier writes. */
  readonly askedAt: number
}

export interface LiveLists {
  /**
   * Waits in the queue, in the order of `turn`, then lists a kind. Callers that ask for the same list before it begins
   * share it. **Limits** `LiveLimits`.
   */
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
  const requestedLanes = FairLanes.make(asked)
  const fibers = yield* FiberRoster.make
  const runsOf = <K extends Kind.Kind>() => CoalescedRuns.make<Cluster, Listed<K>, ClusterError>(requestedLanes, fibers)
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
    const kindRuns: CoalescedRuns.CoalescedRuns<Cluster, Listed<K>, ClusterError> = runs[kind]
    return kindRuns.run(cluster, turn, ({ cut, lane }) => {
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
  /** Records of several pages by uid: an object that moved between two pages counts once. */
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

/** Keeps a semaphore for each cluster while it is in use. */
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
