/**
 * Follows every registered cluster and holds what it tells, ready to be read.
 *
 * Each cluster has a life of its own: a heartbeat, a watch for each kind, and a store. It begins when the cluster is
 * registered, begins anew when its connection changes, and ends, rows and all, when it is dropped.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Exit, Layer, Scope, Semaphore, Stream } from "effect"
import { type Breaker, Breakers } from "../kube/Breaker.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterRegistry, type RegistrySnapshot } from "../registry/ClusterRegistry.ts"
import { ClusterStore } from "./ClusterStore.ts"
import * as Follower from "./Follower.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Interner from "../projection/Interner.ts"
import { Signal } from "../kube/Signal.ts"
import * as Kind from "../projection/Kind.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import * as LabelProof from "./LabelProof.ts"

/** How many initial syncs run at the same time: of one cluster, and of all together. */
export const SyncLimits = Context.Reference("@quarterdeck/cluster-fanout/ClusterCache/SyncLimits", {
  defaultValue: () => ({ perCluster: 2, total: 16 })
})

/** One followed cluster. */
export interface Member {
  readonly store: ClusterStore
  readonly breaker: Breaker
  /** Proves the namespace labels now, if they are not; a failure leaves them without proof. */
  readonly proveLabels: Effect.Effect<void>
}

/**
 * Tells whether waiting longer for a kind would not help: it synced, may not be read, or its cluster refuses the
 * service or does not answer at all.
 */
export const isSettled = ({ breaker, store }: Member, kind: Kind.Kind): boolean => {
  const { sync } = store.table(kind)
  if (sync._tag !== "Pending" || breaker.refusal() !== undefined) return true
  return isRefusal(sync.error) || isRefusal(store.health.error)
}

const isRefusal = (error: ClusterError | undefined): boolean =>
  error?.reason._tag === "ClusterUnauthorized"
  || error?.reason._tag === "ClusterCredentialUnavailable"
  || error?.reason._tag === "ClusterCertificateInvalid"

const areSettled = (member: Member): boolean => Kind.kinds.every((kind) => isSettled(member, kind))

interface Running extends Member {
  readonly scope: Scope.Closeable
}

export class ClusterCache extends Context.Service<
  ClusterCache,
  {
    /** Waits until a registered cluster is followed by its present connection. **Limits** no I/O. */
    readonly member: (cluster: Cluster) => Effect.Effect<Member>
    /** Gives the clusters that are followed now, in the registry's order. */
    readonly members: Effect.Effect<ReadonlyArray<Member>>
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
      const api = yield* KubeApi
      const breakers = yield* Breakers
      const limits = yield* SyncLimits
      const ownScope = yield* Effect.scope
      const total = yield* Semaphore.make(limits.total)
      const signal = new Signal()
      const running = new Map<ClusterName, Running>()
      let order: ReadonlyArray<ClusterName> = []
      let labelsRequired = false

      const start = Effect.fnUntraced(function* (cluster: Cluster) {
        const scope = yield* Scope.fork(ownScope)
        const breaker = yield* breakers.of(cluster)
        const store = new ClusterStore(cluster)
        const interner = Interner.make()
        const lanes = [yield* Semaphore.make(limits.perCluster), total]
        const proof = yield* LabelProof.make(cluster, {
          api,
          breaker,
          store,
          interner,
          wanted: signal.until(() => labelsRequired)
        })
        yield* Effect.forkIn(Heartbeat.run(cluster, { api, breaker, store }), scope)
        yield* Effect.forkIn(proof.keep, scope)
        for (const kind of Kind.kinds) {
          yield* Effect.forkIn(Follower.run(kind, { cluster, api, breaker, store, interner, lanes }), scope)
        }
        running.set(cluster.name, { store, breaker, proveLabels: proof.prove, scope })
      })

      const stop = Effect.fnUntraced(function* (name: ClusterName, member: Running) {
        running.delete(name)
        yield* Scope.close(member.scope, Exit.void)
      })

      const take = Effect.fnUntraced(function* ({ clusters }: RegistrySnapshot) {
        const wanted = new Map(clusters.map((cluster) => [cluster.name, cluster]))
        for (const [name, member] of [...running]) {
          const cluster = wanted.get(name)
          if (cluster?.generation === member.store.cluster.generation) {
            // Its place in the fleet and its labels may change without its connection.
            member.store.cluster = cluster
            continue
          }
          yield* stop(name, member)
          if (cluster === undefined) yield* breakers.forget(name)
        }
        for (const cluster of clusters) {
          if (!running.has(cluster.name)) yield* start(cluster)
        }
        order = clusters.map((cluster) => cluster.name)
        signal.notify()
      })

      yield* take(yield* registry.snapshot)
      yield* Effect.forkScoped(Stream.runForEach(registry.changes, take))

      const isFollowed = (cluster: Cluster) =>
        running.get(cluster.name)?.store.cluster.generation === cluster.generation

      const member = (cluster: Cluster): Effect.Effect<Member> =>
        Effect.suspend(() => {
          const found = running.get(cluster.name)
          if (found !== undefined && isFollowed(cluster)) return Effect.succeed(found)
          return Effect.andThen(
            signal.until(() => isFollowed(cluster)),
            member(cluster)
          )
        })

      const unsettled = (): Running | undefined =>
        order.flatMap((name) => running.get(name) ?? []).find((member) => !areSettled(member))
      const settled: Effect.Effect<void> = Effect.suspend(() => {
        const member = unsettled()
        if (member === undefined) return Effect.void
        const isDone = Effect.raceAllFirst([
          member.store.signal.until(() => areSettled(member)),
          member.breaker.awaitOpen,
          // Dropped, or followed anew.
          signal.until(() => running.get(member.store.cluster.name) !== member)
        ])
        return Effect.andThen(isDone, settled)
      })

      return ClusterCache.of({
        member,
        settled,
        members: Effect.sync(() => order.flatMap((name) => running.get(name) ?? [])),
        requireLabelProof: (isRequired) =>
          Effect.sync(() => {
            labelsRequired = isRequired
            signal.notify()
          })
      })
    })
  )
}
