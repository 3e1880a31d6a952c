/** Observes a cluster from outside: whether it responds, how many objects it has, how many requests it received. */
import { Effect } from "effect"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { KindRef } from "../client/KubeObject.ts"

export interface ClusterState {
  readonly name: string
  readonly server: string
  readonly isReady: boolean
  /** Number of objects of common kinds. Absent while the cluster does not respond. */
  readonly objects?: number
  /**
   * Requests since the start of the server, including those of this check. Absent if the server does not count them.
   */
  readonly requests?: number
}

const TIMEOUT = "3 seconds"

const KINDS: ReadonlyArray<KindRef> = [
  ...["Namespace", "Node", "Pod", "Service", "ConfigMap", "Secret", "ServiceAccount", "Event"].map((kind) => ({
    apiVersion: "v1",
    kind
  })),
  ...["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind })),
  ...["Job", "CronJob"].map((kind) => ({ apiVersion: "batch/v1", kind }))
]

/** A request counter in the server's metrics: name, labels, value. */
const REQUESTS = /^apiserver_request_total(?:\{[^}]*\})? ([0-9.e+]+)$/gm

/**
 * Returns the present state of a cluster. `counted` returns the number of its requests, if the server's metrics lack
 * that number.
 *
 * **Limits** about 15 small requests. A cluster that takes longer than 3 s counts as not ready.
 */
export const stateOf = (cluster: FleetCluster, counted?: Effect.Effect<number>): Effect.Effect<ClusterState> => {
  const { name, server } = cluster
  return Effect.gen(function* () {
    const ready = yield* cluster.api.request({ method: "GET", path: "/readyz" })
    if (ready.status !== 200) return { name, server, isReady: false }
    const counts = yield* Effect.forEach(KINDS, (kind) => count(cluster, kind), { concurrency: 4 })
    const requests = yield* counted ?? requestsOf(cluster)
    return {
      name,
      server,
      isReady: true,
      objects: counts.reduce((sum, each) => sum + each, 0),
      ...(requests === undefined ? {} : { requests })
    }
  }).pipe(
    Effect.timeout(TIMEOUT),
    Effect.orElseSucceed(() => ({ name, server, isReady: false }))
  )
}

/**
 * Counts the objects of a kind. Lists only one object, because the response includes the number of the remaining ones.
 */
const count = (cluster: FleetCluster, kind: KindRef) =>
  Effect.map(
    cluster.api.list({ ...kind, limit: 1 }),
    ({ items, remainingItemCount }) => items.length + (remainingItemCount ?? 0)
  )

const requestsOf = (cluster: FleetCluster) =>
  Effect.map(cluster.api.request({ method: "GET", path: "/metrics" }), ({ status, text }) => {
    const values = status === 200 ? [...text.matchAll(REQUESTS)] : []
    return values.length === 0 ? undefined : values.reduce((sum, [, value]) => sum + Number(value), 0)
  })
