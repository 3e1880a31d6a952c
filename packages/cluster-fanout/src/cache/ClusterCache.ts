/**
 * Follows every registered cluster and holds what it tells, ready to be read.
 *
 * Each cluster has a life of its own: a heartbeat, a watch for each kind, and a store. It begins when the cluster is
 * registered, begins anew when its connection changes, and ends, rows and all, when it is dropped.
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
import { SortAllowance } from "./SortAllowance.ts"
import { TurnBudget } from "../kube/TurnBudget.ts"

/** How many initial syncs run at the same time: of one cluster, and of all together. */
export const SyncLimits = Context.Reference("@quarterdeck/cluster-fanout/ClusterCache/SyncLimits", {
  defaultValue: () => ({ perCluster: 2, total: 16 })
})

/** Rows of all clusters that are sorted within one turn: some milliseconds' work. */
const SORTED_AT_ONCE = 4_096

/** One followed cluster. */
export interface Member {
  readonly store: ClusterStore
  readonly breaker: Breaker
  /** Proves the namespace labels now, if they are not; a failure leaves them without proof. */
  readonly proveLabels: Effect.Effect<void>
  /** Has the events followed from now on, as long as somebody asks for them. */
  readonly wantEvents: FollowWhileWanted.Want
}

/**
 * Tells whether waiting longer for a kind would not help: it synced, may not be read, is too large, or its cluster refuses
 * the service or does not answer at all.
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

/** What is followed now, and what all of it is followed with. */
interface Following {
  readonly api: KubeApi["Service"]
  readonly breakers: Breakers["Service"]
  readonly epoch: DataEpoch
  readonly limits: { readonly perCluster: number }
  /** Lanes of the initial syncs of all clusters together. */
  readonly lanes: Semaphore.Semaphore
  readonly scope: Scope.Scope
  /** Is notified of every change of the fields below. */
  readonly signal: Signal
  /** Of all clusters together. */
  readonly sorting: SortAllowance
  readonly running: Map<ClusterName, Running>
  readonly sameCluster: SameCluster
  /** As the registry has them. */
  order: ReadonlyArray<ClusterName>
  areLabelsRequired: boolean
}

export class ClusterCache extends Context.Service<
  ClusterCache,
  {
    /** Waits until a registered cluster is followed by its present connection. **Limits** no I/O. */
    readonly member: (cluster: Cluster) => Effect.Effect<Member>
    /** Finds a registered cluster that is followed by its present connection already. */
    readonly find: (cluster: Cluster) => Member | undefined
    /** Gives the clusters that are followed now, in the registry's order. */
    readonly members: Effect.Effect<ReadonlyArray<Member>>
    /**
     * Returns the other registered names of a name's cluster: those whose `kube-system` namespace has the same uid.
     *
     * **Shape** sorted; of all registered names, which the caller narrows to its scope. **Limits** no I/O.
     */
    readonly sameCluster: (name: ClusterName) => ReadonlyArray<ClusterName>
    /** Waits until every kind of every followed cluster is settled at the same time. **Limits** no I/O, no deadline. */
    readonly settled: Effect.Effect<void>
    /**
     * Says whether keys exist whose rights depend on namespace labels; while they do, the labels are proven at every
     * interval of `LabelProofLimits`.
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
        sorting: new SortAllowance(SORTED_AT_ONCE),
        running: new Map(),
        sameCluster: new SameCluster((names) => void Queue.offerUnsafe(groups, names)),
        order: [],
        areLabelsRequired: false
      }
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(groups), warnOfGroup)))
      yield* take(following, yield* registry.snapshot)
      yield* Effect.forkScoped(Stream.runForEach(registry.changes, (snapshot) => take(following, snapshot)))

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

/** Warns of names that lead to one cluster: a report over all clusters counts it once for each of them. */
const warnOfGroup = (names: ReadonlyArray<ClusterName>) =>
  Effect.logWarning(
    `clusters ${names.join(", ")} are one and the same cluster: reads of all clusters count it ${names.length} times; register it under one name`
  )

/** Begins to follow a cluster by its present connection. */
const start = Effect.fnUntraced(function* (following: Following, cluster: Cluster) {
  const { api, breakers, epoch, lanes, limits, running, signal, sorting } = following
  const scope = yield* Scope.fork(following.scope)
  const breaker = yield* breakers.of(cluster)
  const turns = yield* TurnBudget
  const runLater = yield* Effect.provideService(FiberSet.makeRuntime<never>(), Scope.Scope, scope)
  const store = new ClusterStore(cluster, {
    isNow: (rows) => sorting.take(rows),
    later: (step) => void runLater(Effect.catchDefect(turns.repeat(step), (defect) => notSorted(cluster, defect)))
  })
  raiseWith(epoch, store)
  store.signal.listen(() => following.sameCluster.note(cluster.name, store.systemNamespace.uid))
  const interner = Interner.make()
  const ofBoth = [yield* Semaphore.make(limits.perCluster), lanes]
  const wanted = signal.until(() => following.areLabelsRequired)
  const proof = yield* LabelProof.make(cluster, { api, breaker, store, interner, wanted })
  const others = () => following.sameCluster.othersOf(cluster.name).length
  yield* Scope.provide(CacheMetrics.show(store, breaker, others), scope)
  yield* Effect.forkIn(Heartbeat.run(cluster, { api, breaker, store }), scope)
  yield* Effect.forkIn(proof.keep, scope)
  const accelerators = yield* Accelerators
  const parts: Follower.Parts = { accelerators, cluster, api, breaker, store, interner, lanes: ofBoth }
  for (const kind of Kind.kinds) yield* Effect.forkIn(Follower.run(kind, parts), scope)
  const wantEvents = FollowWhileWanted.make(
    (effect) => void runLater(effect),
    Follower.run("Event", { ...parts, interner: Interner.make() }),
    () => store.forget("Event")
  )
  running.set(cluster.name, { store, breaker, proveLabels: proof.prove, wantEvents, scope })
})

/** Rows that cannot be sorted beside other work are looked at one by one, or put into their places by who asks. */
const notSorted = ({ name }: Cluster, defect: unknown) =>
  Effect.logError(`ClusterCache: a defect while rows of cluster ${name} were sorted`, Cause.die(defect))

/** Has each change of what a store shows begin an epoch. */
const raiseWith = ({ raise }: DataEpoch, store: ClusterStore): void => {
  for (const kind of Kind.kinds) store.table(kind).observe({ put: raise, gone: raise, whole: raise })
  store.signal.listen(raise)
}

const stop = Effect.fnUntraced(function* ({ running, sameCluster }: Following, name: ClusterName, member: Running) {
  running.delete(name)
  yield* Scope.close(member.scope, Exit.void)
  sameCluster.note(name, undefined)
})

/** Follows the clusters of a snapshot, each by its present connection, and no other. */
const take = Effect.fnUntraced(function* (following: Following, { clusters }: RegistrySnapshot) {
  const { breakers, epoch, running, signal } = following
  const registered = new Map(clusters.map((cluster) => [cluster.name, cluster]))
  for (const [name, member] of [...running]) {
    const cluster = registered.get(name)
    if (cluster?.generation === member.store.cluster.generation) {
      // Its place in the fleet and its labels may change without its connection.
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

/** Finds what follows a cluster by its present connection. */
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
    const member = membersOf(following).find((each) => !areSettled(each))
    if (member === undefined) return Effect.void
    const isDone = Effect.raceAllFirst([
      member.store.signal.until(() => areSettled(member)),
      member.breaker.awaitOpen,
      // Dropped, or followed anew.
      signal.until(() => running.get(member.store.cluster.name) !== member)
    ])
    return Effect.andThen(isDone, awaitSettled(following))
  })
