/**
 * Lists whole collections of clusters now, for answers that must not come from the cache.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Scope, Semaphore, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import * as Interner from "../projection/Interner.ts"
import * as SingleFlight from "../kube/SingleFlight.ts"
import * as Kind from "../projection/Kind.ts"
import { KubeApi } from "../kube/KubeApi.ts"
import * as Projection from "../projection/Projection.ts"

/** Live lists of one cluster at the same time, whoever asks. */
export const LiveLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/LiveLists/LiveLanes", {
  defaultValue: () => 4
})

/** A whole collection, projected, as a store takes it: every object, then the end of the initial state. */
type Listed<K extends Kind.Kind> = ReadonlyArray<Projection.Change<Projection.RecordOf[K]>>

export interface LiveLists {
  /** **Limits** a list that is under way is shared by those who ask for it meanwhile. */
  readonly list: <K extends Kind.Kind>(cluster: Cluster, kind: K) => Effect.Effect<Listed<K>, ClusterError>
}

type Flights = { readonly [K in Kind.Kind]: SingleFlight.SingleFlight<Listed<K>, ClusterError> }

export const make: Effect.Effect<LiveLists, never, KubeApi | Scope.Scope> = Effect.gen(function* () {
  const api = yield* KubeApi
  const inLane = makeLanes(yield* LiveLanes)
  const scope = yield* Effect.scope
  const flightsOf = <K extends Kind.Kind>() => SingleFlight.make<Listed<K>, ClusterError>(scope)
  const flights: Flights = {
    Namespace: flightsOf<"Namespace">(),
    Deployment: flightsOf<"Deployment">(),
    StatefulSet: flightsOf<"StatefulSet">(),
    DaemonSet: flightsOf<"DaemonSet">(),
    ReplicaSet: flightsOf<"ReplicaSet">(),
    Job: flightsOf<"Job">(),
    CronJob: flightsOf<"CronJob">(),
    Node: flightsOf<"Node">(),
    Pod: flightsOf<"Pod">()
  }

  const list: LiveLists["list"] = <K extends Kind.Kind>(cluster: Cluster, kind: K) => {
    const flight: SingleFlight.SingleFlight<Listed<K>, ClusterError> = flights[kind]
    return flight.run(`${cluster.name} ${cluster.generation}`, inLane(cluster, read(api, cluster, kind)))
  }
  return { list }
})

const read = <K extends Kind.Kind>(api: KubeApi["Service"], cluster: Cluster, kind: K) =>
  Effect.suspend(() => {
    const place = { cluster: cluster.name, interner: Interner.make() }
    const listed: Array<Projection.Change<Projection.RecordOf[K]>> = []
    return api.list(cluster, { resource: Kind.resources[kind] }).pipe(
      Stream.runForEach((page) =>
        Effect.map(Effect.yieldNow, () => {
          for (const object of page) listed.push({ _tag: "Put", record: Projection.project(kind, object, place) })
        })
      ),
      Effect.map((): Listed<K> => {
        listed.push({ _tag: "Synced" })
        return listed
      })
    )
  })

/** Keeps a semaphore for each cluster while somebody uses it. */
const makeLanes = (permits: number) => {
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
