/**
 * Simulated usage of a cluster's workloads: CPU, memory and network, in every form that clusters report it.
 *
 * The curves of each container derive from a seed and its workload's name, or from annotations of its pod. They are
 * defined at every instant and integrate exactly, so a test can compute the expected result of a report over any
 * window.
 */
import { Effect, type Scope, Stream } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { NotYet } from "../../machine/Eventually.ts"
import type { ApiCluster } from "../../client/ApiCluster.ts"
import { HarnessError, type MachineRefused } from "../../machine/HarnessError.ts"
import { inRealTime } from "../../machine/Machine.ts"
import * as Cadvisor from "./Cadvisor.ts"
import * as Exporter from "./Exporter.ts"
import { history as lines, type Labels } from "./Family.ts"
import * as Inventory from "./Inventory.ts"
import * as KubeState from "./KubeState.ts"
import * as MetricsServer from "./MetricsServer.ts"

export { NODE_OVERHEAD } from "./Cadvisor.ts"
export { at, average, type Curve, flat, highest, integral, scale } from "./Curve.ts"
export { parse, print } from "./CurveText.ts"
export {
  Annotation,
  assign,
  type Behaviour,
  behaviourOf,
  type Bounds,
  type ContainerUsage,
  type Identity
} from "./Profile.ts"

export interface UsageOptions {
  /** The same number returns the same curves (default 1). */
  readonly seed?: number
}

export interface ServeOptions extends UsageOptions {
  /**
   * Name or address by which the cluster's API server reaches this process (default: from the driver, otherwise
   * `localhost`). With an address, this process listens only there. With another name, it listens on every address,
   * without authentication.
   */
  readonly reachedAt?: string
}

const SEED = 1

/**
 * Makes a cluster serve `metrics.k8s.io`, for `kubectl top`, autoscalers and other readers of present usage.
 *
 * Like metrics-server it returns the mean of the last 15 s for every running container. A node's usage is the sum of
 * its pods and `NODE_OVERHEAD`. Closing the scope unregisters it.
 *
 * **Errors** `ApiError`; `NotYet` if the cluster does not reach this process within 90 s. A cluster in a container
 * needs `reachedAt`, a non-loopback address of this machine, unless its driver knows one.
 *
 * **Limits** eight watches and about 1 KB per pod. Responses are computed on request.
 *
 * **Example**
 *
 * ```ts
 * yield* Usage.serve(yield* fleet.cluster("eu")) // kubectl --context eu top pods -A
 * ```
 */
export const serve = (
  cluster: ApiCluster,
  options: ServeOptions = {}
): Effect.Effect<void, ApiError | HarnessError | NotYet, Scope.Scope> =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.live(cluster.api)
    const { reachedAt = cluster.hostAddress ?? MetricsServer.LOCAL, seed = SEED } = options
    const port = yield* MetricsServer.listen({ seed, inventory }, reachedAt).pipe(refusedBy(cluster))
    yield* MetricsServer.register(cluster.api, port, reachedAt)
  }).pipe(inRealTime, Effect.withSpan("Usage.serve", { attributes: { cluster: cluster.name } }))

/** Addresses of a cluster's metrics for Prometheus. */
export interface ExporterAddress {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All metrics. */
  readonly metrics: "/metrics"
  readonly cadvisor: "/metrics/cadvisor"
  readonly kubeState: "/metrics/kube-state"
}

/**
 * Serves a cluster's metrics to Prometheus, like the kubelets' cAdvisor and kube-state-metrics.
 *
 * **Shape** text format 0.0.4. Names, labels and cAdvisor's timestamps match the real exporters. The label `node` on
 * cAdvisor's series is added here; in reality scraping adds it.
 *
 * **Limits** eight watches and about 1 KB per pod. Scrapes are streamed. Listens on 127.0.0.1 until the scope closes.
 */
export const exporter = (
  cluster: ApiCluster,
  options: UsageOptions = {}
): Effect.Effect<ExporterAddress, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.live(cluster.api)
    const seed = options.seed ?? SEED
    const cadvisor = () => Cadvisor.families(seed, inventory)
    const kubeState = () => KubeState.families(inventory)
    const url = yield* Exporter.listen({
      [PATHS.metrics]: () => [...cadvisor(), ...kubeState()],
      [PATHS.cadvisor]: cadvisor,
      [PATHS.kubeState]: kubeState
    }).pipe(refusedBy(cluster))
    return { url, ...PATHS }
  }).pipe(inRealTime, Effect.withSpan("Usage.exporter", { attributes: { cluster: cluster.name } }))

const PATHS = { metrics: "/metrics", cadvisor: "/metrics/cadvisor", kubeState: "/metrics/kube-state" } as const

export interface HistoryOptions extends UsageOptions {
  /** First instant, in milliseconds since 1970. */
  readonly fromMs: number
  /** Last instant, in milliseconds since 1970. */
  readonly toMs: number
  /** Milliseconds between two samples (default one minute). */
  readonly stepMs?: number
  /** Labels to add to every series, as scraping would: `[["cluster", "eu"]]`. */
  readonly labels?: Labels
  /** Treats running containers as running since `fromMs` (default true) instead of since their start. */
  readonly backdated?: boolean
}

const STEP_MS = 60_000

/**
 * Streams a cluster's history in OpenMetrics, for `promtool tsdb create-blocks-from openmetrics`.
 *
 * **Shape** chunks of one file. The objects are those that the cluster has now.
 *
 * **Errors** `ApiError` while reading the objects. **Limits** series by series, so memory does not grow with the length
 * of the history. One day at one-minute steps is about 100 KB per series.
 *
 * **Example**
 *
 * ```ts
 * yield* Stream.run(Stream.encodeText(Usage.history(eu, { fromMs: nowMs - 7 * DAY_MS, toMs: nowMs })), files.sink("h.txt"))
 * ```
 */
export const history = (cluster: ApiCluster, options: HistoryOptions): Stream.Stream<string, ApiError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { fromMs, labels = [], stepMs = STEP_MS, toMs } = options
      const present = yield* Inventory.read(cluster.api)
      const inventory = options.backdated === false ? present : Inventory.since(present, fromMs)
      const families = [...Cadvisor.families(options.seed ?? SEED, inventory), ...KubeState.families(inventory)]
      return Stream.fromIterable(Exporter.chunked(lines(families, { fromMs, toMs, stepMs }, labels)))
    })
  )

const refusedBy =
  (cluster: ApiCluster) =>
  <A, R>(effect: Effect.Effect<A, MachineRefused, R>): Effect.Effect<A, HarnessError, R> =>
    Effect.mapError(effect, (reason) => new HarnessError({ cluster: cluster.name, reason }))
