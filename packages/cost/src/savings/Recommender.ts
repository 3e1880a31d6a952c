/**
 * Computes recommendations from usage, hour by hour, like the Vertical Pod Autoscaler.
 *
 * Each closed hour is added to the usage histories of its workloads, and the resulting recommendations are stored. Reports only
 * read them. The method is documented in `docs/cost-model/savings.md`.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender`.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Result, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { ContainerUsage, HourUsage } from "./HourUsage.ts"
import { type Recommendation, RecommendationPolicy, workloadKey } from "./Recommendation.ts"
import { type KeptWorkload, RecommendationStore } from "./RecommendationStore.ts"
import * as Checkpoint from "./Checkpoint.ts"
import * as Rightsizing from "./Rightsizing.ts"
import * as WorkloadHistory from "./WorkloadHistory.ts"
import { HOUR_MS } from "../hour/Units.ts"

/** Number of workloads that are processed before the fiber yields: about a millisecond of work. */
const WORKLOADS_AT_ONCE = 250
/** Number of rows that are grouped by workload before the fiber yields. */
const ROWS_AT_ONCE = 2_000

/** The usage histories of a cluster's workloads, by workload key. */
interface Histories {
  foldedToMs: number
  /** Keys of stored checkpoints that could not be decoded. */
  unreadable: ReadonlyArray<string>
  readonly byKey: Map<string, WorkloadHistory.WorkloadHistory>
}

/**
 * Keeps the recommendations of clusters current.
 *
 * **Limits** the histories of clusters to which `fold` added an hour stay in memory until `release`. A workload with
 * one container and three replicas takes about 1.5 KiB; a container with all buckets and replicas in use about 7 KiB.
 */
export class Recommender extends Context.Service<
  Recommender,
  {
    /**
     * Adds one hour of a cluster.
     *
     * Hours must ascend; gaps are allowed. An hour that was already added is ignored, so a failed call can be repeated.
     * Histories without usage in the last eight days are deleted.
     *
     * **Errors** those of the store; the hour is not added then.
     *
     * **Limits** processes one hour of a cluster at a time, and yields to other fibers.
     */
    readonly fold: (usage: HourUsage) => Effect.Effect<void, CostError>
    /** Drops a cluster's histories from memory. The store keeps them. */
    readonly release: (cluster: ClusterName) => Effect.Effect<void>
  }
>()("@quarterdeck/cost/Recommender") {
  /**
   * Only one process at a time may add hours of a cluster. If another process has added some, call `release`, so that
   * the histories are read from the store again.
   */
  static readonly layer: Layer.Layer<Recommender, never, RecommendationStore> = Layer.effect(
    this,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* RecommendationStore
  const policy = yield* RecommendationPolicy
  const clusters = new Map<ClusterName, Histories>()
  /** Caches workload keys, because the same workload objects usually recur every hour. */
  const keys = new WeakMap<ContainerUsage["workload"], string>()
  const lanes = new Map<ClusterName, Semaphore.Semaphore>()

  const laneOf = (cluster: ClusterName): Semaphore.Semaphore => {
    const lane = lanes.get(cluster) ?? Semaphore.makeUnsafe(1)
    lanes.set(cluster, lane)
    return lane
  }

  const historiesOf = Effect.fnUntraced(function* (cluster: ClusterName) {
    const known = clusters.get(cluster)
    if (known !== undefined) return known
    const { foldedToMs, workloads } = yield* store.load(cluster)
    const byKey: Histories["byKey"] = new Map()
    const unreadable: Array<string> = []
    for (const [index, { checkpoint, key }] of workloads.entries()) {
      const read = Checkpoint.decode(checkpoint)
      if (Result.isSuccess(read)) byKey.set(key, read.success)
      else unreadable.push(key)
      if (index % WORKLOADS_AT_ONCE === WORKLOADS_AT_ONCE - 1) yield* Effect.yieldNow
    }
    if (unreadable.length > 0) {
      yield* Effect.logWarning("cannot read the usage history of some workloads; starting new ones", {
        cluster,
        workloads: unreadable.length
      })
    }
    const histories: Histories = { foldedToMs, unreadable, byKey }
    clusters.set(cluster, histories)
    return histories
  })

  const addHour = Effect.fnUntraced(function* ({ cluster, containers, startMs }: HourUsage) {
    const histories = yield* historiesOf(cluster)
    const foldedToMs = startMs + HOUR_MS
    if (foldedToMs <= histories.foldedToMs) return
    const hour = startMs / HOUR_MS
    const changed: Array<{ key: string; from: number; to: number; recommendation: Recommendation }> = []
    const writer = Checkpoint.writer()
    for (const [key, rows] of yield* byWorkload(containers, keys)) {
      let history = histories.byKey.get(key)
      if (history === undefined) {
        history = WorkloadHistory.make(hour)
        histories.byKey.set(key, history)
      }
      WorkloadHistory.fold(history, hour, rows)
      const from = writer.at
      Checkpoint.write(writer, history)
      changed.push({ key, from, to: writer.at, recommendation: Rightsizing.fromHistory(history, policy) })
      if (changed.length % WORKLOADS_AT_ONCE === 0) yield* Effect.yieldNow
    }
    const ended = [...histories.unreadable]
    histories.unreadable = []
    for (const [key, history] of histories.byKey) if (WorkloadHistory.isPast(history, hour)) ended.push(key)
    for (const key of ended) histories.byKey.delete(key)
    histories.foldedToMs = foldedToMs
    yield* store.save({
      cluster,
      foldedToMs,
      changed: changed.map(({ from, key, recommendation, to }): KeptWorkload => {
        return { key, checkpoint: writer.bytes.subarray(from, to), recommendation }
      }),
      ended
    })
  })

  const fold = Effect.fn("Recommender.fold")(
    function* (usage: HourUsage) {
      yield* Effect.annotateCurrentSpan({ cluster: usage.cluster })
      // After a failure, the histories in memory may already include the hour. A repeated call would count the hour twice.
      yield* Effect.onError(addHour(usage), () => Effect.sync(() => clusters.delete(usage.cluster)))
    },
    (run, { cluster }) => laneOf(cluster).withPermit(run)
  )

  const release = (cluster: ClusterName) => laneOf(cluster).withPermit(Effect.sync(() => void clusters.delete(cluster)))

  return Recommender.of({ fold, release })
})

const byWorkload = Effect.fnUntraced(function* (
  containers: ReadonlyArray<ContainerUsage>,
  keys: WeakMap<ContainerUsage["workload"], string>
) {
  const rowsOf = new Map<string, Array<ContainerUsage>>()
  let workload: ContainerUsage["workload"] | undefined
  let rows: Array<ContainerUsage> = []
  for (const [index, usage] of containers.entries()) {
    // Rows of one workload are usually adjacent, so most need no lookup.
    if (usage.workload !== workload) {
      workload = usage.workload
      let key = keys.get(workload)
      if (key === undefined) {
        key = workloadKey(workload)
        keys.set(workload, key)
      }
      rows = rowsOf.get(key) ?? []
      if (rows.length === 0) rowsOf.set(key, rows)
    }
    rows.push(usage)
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield* Effect.yieldNow
  }
  return rowsOf
})
