/**
 * Simulates the kubelets of a cluster that has none.
 *
 * It is an ordinary API client that watches nodes and pods. It makes the nodes ready, and reports each bound pod as a
 * kubelet would: running, ready, completed, or removed after a deletion. Annotations of a pod control delays, failures
 * and completion; see `docs/tasks/harness-simulation.md`.
 */
import { Duration, Effect, Schema, type Scope } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ApiCluster } from "../../client/ApiCluster.ts"
import { inRealTime } from "../../machine/Machine.ts"
import * as Addresses from "./Addresses.ts"
import * as Calls from "./Calls.ts"
import { follow } from "./Follow.ts"
import * as NodeKeeper from "./NodeKeeper.ts"
import * as PodKeeper from "./PodKeeper.ts"

export { Annotation, PREFIX } from "./PodScript.ts"
export { NODE_ANNOTATION } from "./NodeView.ts"

export interface FakeKubeletOptions {
  /** Also binds pods without a node, for clusters without a scheduler (default false). */
  readonly schedule?: boolean
  /** Label selector of the nodes that it serves (default all). */
  readonly nodes?: string
  /** Run time of a Job's containers without an annotation (default 0). */
  readonly jobDuration?: Duration.Input
  /**
   * Treats a pod's creation as its start, instead of the time at which the kubelet first sees the pod (default false).
   * For clusters that were filled under an earlier clock.
   */
  readonly startAtCreation?: boolean
  /** Interval for renewing each node's lease (default 20 s). A node counts as lost after 50 s without a renewal. */
  readonly leaseInterval?: Duration.Input
  /** Maximum number of parallel calls to a cluster (default 16). */
  readonly concurrency?: number
}

const CONCURRENCY = 16
const LEASE_INTERVAL: Duration.Input = "20 seconds"

const Version = Schema.fromJsonString(Schema.Struct({ gitVersion: Schema.String }))
const decodeVersion = Schema.decodeUnknownEffect(Version)

/**
 * Starts the kubelets of one cluster. Closing the scope stops them; reported statuses remain.
 *
 * It survives outages of the cluster and continues from the pods' state on the server.
 *
 * **Errors** `ApiError` if the cluster does not respond at the start.
 *
 * **Limits** about 1 KB for each pod that has not completed, `concurrency` parallel calls, two watches. Runs in real
 * time, also under a test clock.
 *
 * **Example**
 *
 * ```ts
 * yield* FakeKubelet.start(yield* fleet.cluster("eu"), { schedule: true })
 * ```
 */
export const start = (
  cluster: ApiCluster,
  options: FakeKubeletOptions = {}
): Effect.Effect<void, ApiError, Scope.Scope> =>
  Effect.gen(function* () {
    const { api } = cluster
    const { text } = yield* api.request({ method: "GET", path: "/version" })
    const { gitVersion } = yield* decodeVersion(text).pipe(Effect.orElseSucceed(() => ({ gitVersion: "v0.0.0" })))
    const calls = Calls.make(api)
    const addresses = Addresses.make()
    const nodes = NodeKeeper.make({
      api,
      calls,
      addresses,
      version: gitVersion,
      leaseInterval: options.leaseInterval ?? LEASE_INTERVAL,
      onNode: ({ name }) => pods.nodeCame(name)
    })
    const pods = PodKeeper.make({
      calls,
      addresses,
      nodes,
      defaults: { jobDurationMs: Duration.toMillis(options.jobDuration ?? 0) },
      schedule: options.schedule ?? false,
      startAtCreation: options.startAtCreation ?? false,
      concurrency: options.concurrency ?? CONCURRENCY
    })
    const selected = options.nodes === undefined ? {} : { labelSelector: options.nodes }
    const loops = [
      follow(api, { apiVersion: "v1", kind: "Node", ...selected }, nodes.follower),
      follow(api, { apiVersion: "v1", kind: "Pod" }, pods.follower),
      nodes.run,
      pods.run
    ]
    for (const loop of loops) yield* Effect.forkScoped(loop)
  }).pipe(inRealTime, Effect.annotateLogs({ cluster: cluster.name }), Effect.withSpan("FakeKubelet.start"))

/** Starts the kubelets of every cluster of a fleet. */
export const run = (
  fleet: { readonly clusters: ReadonlyArray<ApiCluster> },
  options: FakeKubeletOptions = {}
): Effect.Effect<void, ApiError, Scope.Scope> =>
  Effect.forEach(fleet.clusters, (cluster) => start(cluster, options), { concurrency: "unbounded", discard: true })
