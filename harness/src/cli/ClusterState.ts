/** What can be seen of a cluster from outside: whether it answers, and how much it holds and does. */
import { Effect } from "effect"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { KindRef } from "../client/KubeObject.ts"

export interface ClusterState {
  readonly name: string
  readonly server: string
  readonly isReady: boolean
  /** Objects of the kinds that people work with; absent while the cluster does not answer. */
  readonly objects?: number
  /** Requests since the start of the server, these looks among them; absent where the server does not count. */
  readonly requests?: number
}

const PATIENCE = "3 seconds"

const KINDS: ReadonlyArray<KindRef> = [
  ...["Namespace", "Node", "Pod", "Service", "ConfigMap", "Secret", "ServiceAccount", "Event"].map((kind) => ({
    apiVersion: "v1",
    kind
  })),
  ...["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind })),
  ...["Job", "CronJob"].map((kind) => ({ apiVersion: "batch/v1", kind }))
]

/** A line of the server's own metrics: name, labels, value. */
const REQUESTS = /^apiserver_request_total(?:\{[^}]*\})? ([0-9.e+]+)$/gm

/**
 * Looks at a cluster now; `counted` tells its requests where the server itself does not.
 *
 * **Limits** about 15 small requests; a cluster that needs longer than 3 s is not ready.
 */
export const look = (cluster: FleetCluster, counted?: Effect.Effect<number>): Effect.Effect<ClusterState> => {
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
    Effect.timeout(PATIENCE),
    Effect.orElseSucceed(() => ({ name, server, isReady: false }))
  )
}

/** One object and the server's word on how many remain tell them all. */
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
