/**
 * Follows every registered cluster and caches its objects.
 *
 * Each cluster has its own heartbeat, watches and store. They start when the cluster is registered, restart when its
 * connection changes, and end when the cluster is removed. Its rows are removed with it.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Context, Effect, Exit, FiberSet, Layer, Queue, Scope, Semaphore, Stream } from "effect"
import { type Breaker, Breakers } from "../kube/Breaker.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import { CurrentDataEpoch, type DataEpoch } from "../kube/DataEpoch.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterRegistry, type RegistrySnapshot } from "../registry/ClusterRegistry.ts"
import * as CacheMetrics from "./CacheMetrics.ts"
import { ClusterStore } from "./ClusterStore.ts"
import * as Follower from "./Follower.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Interner from "../projection/Interner.ts"
import { Signal } from "../kube/Signal.ts"
import { Accelerators } from "../projection/Accelerators.ts"
import * as Kind from "../projection/Kind.ts"
import { isTooLarge } from "./KindTable.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import * as FollowWhileWanted from "./FollowWhileWanted.ts"
import * as LabelProof from "./LabelProof.ts"
import { SameCluster } from "./SameCluster.ts"
import { SortAllowance } from "./IncrementalSort.ts"
import { TurnBudget } from "../kube/TurnBudget.ts"

/** Initial syncs that run at the same time, per cluster and in total. */
export const SyncLimits = Context.Reference("@quarterdeck/cluster-fanout/ClusterCache/SyncLimits", {
  defaultValue: () => ({ perCluster: 2, total: 16 })
})

/** Rows sorted within one turn of the event loop, over all clusters: a few milliseconds' work. */
const MAX_SORTED_PER_TURN = 4_096

/** One followed cluster. */
export interface Member {
  readonly store: ClusterStore
  readonly breaker: Breaker
  /** Lists the namespaces to confirm their cached labels, unless the labels were confirmed within the last 30 s. */
  readonly proveLabels: Effect.Effect<void>
  /** Requests the events of the cluster: starts or prolongs their watch. */
  readonly wantEvents: FollowWhileWanted.Want
}

/**
 * Returns whether waiting longer for a kind is useless.
 *
 * **Shape** true if the kind has synced, may not be read or is too large. Also true if the cluster rejects the
 * service's credential or certificate, or does not answer.
 */
export const isSettled = ({ breaker, store }: Member, kind: Kind.Kind): boolean => {
  const { sync } = store.table(kind)
  if (sync._tag !== "Pending" || breaker.refusal() !== undefined) return true
  return isTooLarge(sync.error) || isRefusal(sync.error) || isRefusal(store.health.error)
}

const isRefusal = (error: ClusterError | undefined): boolean =>
  error?.reason._tag === "ClusterUnauthorized"
  || error?.reason._tag === "ClusterCredentialUnavailable"
  || error?.reason._tag === "ClusterCertificateInvalid"

const areSettled = (member: Member): boolean => Kind.kinds.every((kind) => isSettled(member, kind))

interface Running extends Member {
  readonly scope: Scope.Closeable
}

/** The followed clusters, and the services used to follow them. */
interface Following {
  readonly api: KubeApi["Service"]
  readonly breakers: Breakers["Service"]
  readonly epoch: DataEpoch
  readonly limits: { readonly perCluster: number }
  /** Limits the initial syncs of all clusters together. */
  readonly lanes: Semaphore.Semaphore
  readonly scope: Scope.Scope
  /** Notified of every change of the fields below. */
  readonly signal: Signal
  /** Budget of sorted rows per turn, shared by all clusters. */
  readonly sorting: SortAllowance
  readonly running: Map<ClusterName, Running>
  readonly sameCluster: SameCluster
  /** Cluster names in the registry's order. */
  order: ReadonlyArray<ClusterName>
  areLabelsRequired: boolean
}

export class ClusterCache extends Context.Service<
  ClusterCache,
  {
    /** Waits until a registered cluster is followed with its current connection. **Limits** no I/O. */
    readonly member: (cluster: Cluster) => Effect.Effect<Member>
    /** Finds a registered cluster that is already followed with its current connection. */
    readonly find: (cluster: Cluster) => Member | undefined
    /** Returns the followed clusters, in the registry's order. */
    readonly members: Effect.Effect<ReadonlyArray<Member>>
    /**
     * Returns the other registered names of a cluster: those whose `kube-system` namespace has the same uid.
     *
     * **Shape** sorted; all registered names. The caller removes those outside its scope. **Limits** no I/O.
     */
    readonly sameCluster: (name: ClusterName) => ReadonlyArray<ClusterName>
    /**
     * Waits until `isSettled` is true for every kind of every followed cluster at the same time. **Limits** no I/O, no
     * deadline.
     */
    readonly settled: Effect.Effect<void>
    /**
     * Sets whether any key's rights depend on namespace labels. While true, the labels are compared with each cluster
     * at the interval of `LabelProofLimits`.
     */
    readonly requireLabelProof: (isRequired: boolean) => Effect.Effect<void>
  }
>()("@quarterdeck/cluster-fanout/ClusterCache") {
  static readonly layer = Layer.effect(
    ClusterCache,
    Effect.gen(function* () {
      const registry = yield* ClusterRegistry
      const limits = yield* SyncLimits
      const groups = yield* Queue.unbounded<ReadonlyArray<ClusterName>>()
      const following: Following = {
        api: yield* KubeApi,
        breakers: yield* Breakers,
        epoch: yield* CurrentDataEpoch,
        limits,
        lanes: yield* Semaphore.make(limits.total),
        scope: yield* Effect.scope,
        signal: new Signal(),
        sorting: new SortAllowance(MAX_SORTED_PER_TURN),
        running: new Map(),
        sameCluster: new SameCluster((names) => void Queue.offerUnsafe(groups, names)),
        order: [],
        areLabelsRequired: false
      }
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(groups), warnOfGroup)))
      yield* applySnapshot(following, yield* registry.snapshot)
      yield* Effect.forkScoped(Stream.runForEach(registry.changes, (snapshot) => applySnapshot(following, snapshot)))

      return ClusterCache.of({
        member: (cluster) => awaitMember(following, cluster),
        find: (cluster) => findMember(following, cluster),
        settled: awaitSettled(following),
        members: Effect.sync(() => membersOf(following)),
        sameCluster: (name) => following.sameCluster.othersOf(name),
        requireLabelProof: (isRequired) =>
          Effect.sync(() => {
            following.areLabelsRequired = isRequired
            following.signal.notify()
          })
      })
    })
  )
}

/** Warns that several registered names refer to one cluster. Reads of all clusters count it once for each name. */
const warnOfGroup = (names: ReadonlyArray<ClusterName>) =>
  Effect.logWarning(
    `clusters ${names.join(", ")} are the same cluster: reads of all clusters count it ${names.length} times; register it under one name`
  )

/** Starts to follow a cluster with its current connection. */
const start = Effect.fnUntraced(function* (following: Following, cluster: Cluster) {
  const { api, breakers, epoch, lanes, limits, running, signal, sorting } = following
  const scope = yield* Scope.fork(following.scope)
  const breaker = yield* breakers.of(cluster)
  const turns = yield* TurnBudget
  const runLater = yield* Effect.provideService(FiberSet.makeRuntime<never>(), Scope.Scope, scope)
  const store = new ClusterStore(cluster, {
    isNow: (rows) => sorting.take(rows),
    later: (step) => void runLater(Effect.catchDefect(turns.repeat(step), (defect) => logSortDefect(cluster, defect)))
  })
  raiseWith(epoch, store)
  store.signal.listen(() => following.sameCluster.note(cluster.name, store.systemNamespace.uid))
  const interner = Interner.make()
  const syncLanes = [yield* Semaphore.make(limits.perCluster), lanes]
  const wanted = signal.until(() => following.areLabelsRequired)
  const proof = yield* LabelProof.make(cluster, { api, breaker, store, interner, wanted })
  const others = () => following.sameCluster.othersOf(cluster.name).length
  yield* Scope.provide(CacheMetrics.show(store, breaker, others), scope)
  yield* Effect.forkIn(Heartbeat.run(cluster, { api, breaker, store }), scope)
  yield* Effect.forkIn(proof.keep, scope)
  const accelerators = yield* Accelerators
  const parts: Follower.Parts = { accelerators, cluster, api, breaker, store, interner, lanes: syncLanes }
  for (const kind of Kind.kinds) yield* Effect.forkIn(Follower.run(kind, parts), scope)
  const wantEvents = FollowWhileWanted.make(
    (effect) => void runLater(effect),
    Follower.run("Event", { ...parts, interner: Interner.make() }),
    () => store.forget("Event")
  )
  running.set(cluster.name, { store, breaker, proveLabels: proof.prove, wantEvents, scope })
})

/** Logs a defect. The rows stay unsorted, so that later requests scan or sort them themselves. */
const logSortDefect = ({ name }: Cluster, defect: unknown) =>
  Effect.logError(`ClusterCache: a defect while rows of cluster ${name} were sorted`, Cause.die(defect))

/** Raises the counter of data changes (`DataEpoch`) at each visible change of a store. */
const raiseWith = ({ raise }: DataEpoch, store: ClusterStore): void => {
  for (const kind of Kind.kinds) store.table(kind).observe({ put: raise, gone: raise, whole: raise })
  store.signal.listen(raise)
}

const stop = Effect.fnUntraced(function* ({ running, sameCluster }: Following, name: ClusterName, member: Running) {
  running.delete(name)
  yield* Scope.close(member.scope, Exit.void)
  sameCluster.note(name, undefined)
})

/** Follows exactly the clusters of a snapshot, each with its current connection. */
const applySnapshot = Effect.fnUntraced(function* (following: Following, { clusters }: RegistrySnapshot) {
  const { breakers, epoch, running, signal } = following
  const registered = new Map(clusters.map((cluster) => [cluster.name, cluster]))
  for (const [name, member] of [...running]) {
    const cluster = registered.get(name)
    if (cluster?.generation === member.store.cluster.generation) {
      // The role and the labels of a cluster may change without its connection.
      member.store.cluster = cluster
      continue
    }
    yield* stop(following, name, member)
    if (cluster === undefined) yield* breakers.forget(name)
  }
  for (const cluster of clusters) {
    if (!running.has(cluster.name)) yield* start(following, cluster)
  }
  following.order = clusters.map((cluster) => cluster.name)
  epoch.raise()
  signal.notify()
})

/** Finds the member that follows a cluster with its current connection. */
const findMember = ({ running }: Following, cluster: Cluster): Member | undefined => {
  const member = running.get(cluster.name)
  return member?.store.cluster.generation === cluster.generation ? member : undefined
}

const awaitMember = (following: Following, cluster: Cluster): Effect.Effect<Member> =>
  Effect.suspend(() => {
    const member = findMember(following, cluster)
    if (member !== undefined) return Effect.succeed(member)
    return Effect.andThen(
      following.signal.until(() => findMember(following, cluster) !== undefined),
      awaitMember(following, cluster)
    )
  })

const membersOf = ({ order, running }: Following): ReadonlyArray<Running> =>
  order.flatMap((name) => running.get(name) ?? [])

const awaitSettled = (following: Following): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { running, signal } = following
    const member = membersOf(following).find((candidate) => !areSettled(candidate))
    if (member === undefined) return Effect.void
    const isDone = Effect.raceAllFirst([
      member.store.signal.until(() => areSettled(member)),
      member.breaker.awaitOpen,
      // Removed from the registry, or followed again with another connection.
      signal.until(() => running.get(member.store.cluster.name) !== member)
    ])
    return Effect.andThen(isDone, awaitSettled(following))
  })
