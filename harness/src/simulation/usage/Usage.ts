/**
 * What the workloads of a cluster use: CPU, memory, network, served in every way in which clusters tell it.
 *
 * Each container has curves that follow from a number and its workload's name, or from an annotation of its pod. They are
 * known at every instant and integrate exactly, so a test can say what a report over any window must come to.
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
  /** The same number gives the same curves (default 1). */
  readonly seed?: number
}

export interface ServeOptions extends UsageOptions {
  /**
   * The name or address at which the cluster's API server reaches this process (default what its driver knows, else
   * `localhost`). On an address it listens there alone; for another name it listens on every address of this machine, for
   * whoever asks.
   */
  readonly reachedAt?: string
}

const SEED = 1

/**
 * Makes a cluster serve `metrics.k8s.io`, for `kubectl top`, autoscalers and all that ask for present usage.
 *
 * It says what metrics-server would: the mean of the last 15 s of every container that runs, and of every node the
 * sum of its pods and `NODE_OVERHEAD`. With the scope it is unregistered.
 *
 * **Errors** `ApiError`; `NotYet` when the cluster does not reach this process within 90 s: one in a container needs
 * `reachedAt`, an address of this machine that is not loopback, where its driver does not know one.
 *
 * **Limits** eight watches and about 1 KB a pod; answers are computed when asked for.
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

/** Where Prometheus finds a cluster's metrics. */
export interface ExporterAddress {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Everything at once. */
  readonly metrics: "/metrics"
  readonly cadvisor: "/metrics/cadvisor"
  readonly kubeState: "/metrics/kube-state"
}

/**
 * Serves a cluster's metrics to Prometheus, as the kubelets' cAdvisor and kube-state-metrics would.
 *
 * **Shape** text format 0.0.4. Names, labels and the instants on cAdvisor's samples are those of the real exporters; only
 * the label `node` of cAdvisor's is put on here, where scraping puts it on in reality.
 *
 * **Limits** eight watches and about 1 KB a pod; scrapes are streamed. It listens on 127.0.0.1 until the scope closes.
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
  /** The first instant, in milliseconds since 1970. */
  readonly fromMs: number
  /** The last instant. */
  readonly toMs: number
  /** From one sample to the next (default one minute). */
  readonly stepMs?: number
  /** Labels for every series, as scraping would put them on: `[["cluster", "eu"]]`. */
  readonly labels?: Labels
  /** Whether what runs now has been running since `fromMs` (default true), or only since it started. */
  readonly backdated?: boolean
}

const STEP_MS = 60_000

/**
 * Tells a cluster's past in OpenMetrics, for `promtool tsdb create-blocks-from openmetrics`.
 *
 * **Shape** pieces of text that together are the file; the objects are those that the cluster has now.
 *
 * **Errors** `ApiError` while the objects are read. **Limits** series by series, so memory does not grow with the time
 * that is told; a day of minutes is about 100 KB a series.
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
