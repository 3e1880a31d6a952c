/**
 * Brings the pods of clusters to life that have no kubelet.
 *
 * It is a client like any other: it watches nodes and pods of a cluster of any driver, makes the nodes ready, and reports
 * for each bound pod what a kubelet would: running, ready, over when its Job is, gone when it was deleted. Annotations of
 * the pod make it slow, make it fail, or let it end; see `docs/tasks/harness-life.md`.
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
  /** Also binds pods that have no node, for clusters without a scheduler (default false). */
  readonly schedule?: boolean
  /** Which nodes it keeps, as a label selector (default all). */
  readonly nodes?: string
  /** How long the containers of a Job's pod run whose annotations say nothing (default 0). */
  readonly jobDuration?: Duration.Input
  /** How often each node's lease is renewed (default 20 s; a node counts as lost after 50 s without). */
  readonly leaseInterval?: Duration.Input
  /** How many calls at once to a cluster (default 16). */
  readonly concurrency?: number
}

const CONCURRENCY = 16
const LEASE_INTERVAL: Duration.Input = "20 seconds"

const Version = Schema.fromJsonString(Schema.Struct({ gitVersion: Schema.String }))
const decodeVersion = Schema.decodeUnknownEffect(Version)

/**
 * Starts the kubelets of one cluster; they end with the scope, and what they reported stays.
 *
 * It survives outages of the cluster: pods are taken up where the server has them.
 *
 * **Errors** `ApiError` when the cluster does not answer at the start.
 *
 * **Limits** keeps about 1 KB for each pod whose life is not over; `concurrency` calls at once, two watches. Real time,
 * also under a test clock.
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
