/**
 * Draws recommendations from usage, hour by hour, the way the Vertical Pod Autoscaler does.
 *
 * Each closed hour is taken into the histories of its workloads and what they recommend is kept, so that a report only
 * reads. How it counts stands in `docs/cost-model/savings.md`.
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

/** Workloads that are taken in before others get their turn: about a millisecond. */
const WORKLOADS_AT_ONCE = 250
/** Rows that are sorted by workload before others get their turn: less than that. */
const ROWS_AT_ONCE = 2_000

/** What is known of a cluster's workloads, by key. */
interface Histories {
  foldedToMs: number
  /** Keys of those in the store that cannot be read. */
  unreadable: ReadonlyArray<string>
  readonly byKey: Map<string, WorkloadHistory.WorkloadHistory>
}

/**
 * Keeps the recommendations of clusters current.
 *
 * **Limits** histories of the clusters that were folded stay in memory: a workload with one container and three replicas
 * takes about 1.5 KiB there, a container with all buckets and replicas in use about 7 KiB.
 */
export class Recommender extends Context.Service<
  Recommender,
  {
    /**
     * Takes in one hour of a cluster.
     *
     * Hours come in rising order, with gaps where there are any; one that does not end after all that were taken
     * in is left out, so that the same hour may be given again after a failure. Histories older than eight days are
     * forgotten.
     *
     * **Errors** those of the store; nothing was taken in then.
     *
     * **Limits** one hour of a cluster at a time. Leaves the event loop to others.
     */
    readonly fold: (usage: HourUsage) => Effect.Effect<void, CostError>
    /** Lets go of a cluster that another program goes on with, or nobody. The store keeps what it has. */
    readonly release: (cluster: ClusterName) => Effect.Effect<void>
  }
>()("@quarterdeck/cost/Recommender") {
  /** Folds into the store, one program a cluster: another's hours are seen only after a release. */
  static readonly layer: Layer.Layer<Recommender, never, RecommendationStore> = Layer.effect(
    this,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* RecommendationStore
  const policy = yield* RecommendationPolicy
  const clusters = new Map<ClusterName, Histories>()
  /** The same objects may come again each hour, and need no key then. */
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
      yield* Effect.logWarning("the usage of some workloads is learnt anew: their checkpoints cannot be read", {
        cluster,
        workloads: unreadable.length
      })
    }
    const histories: Histories = { foldedToMs, unreadable, byKey }
    clusters.set(cluster, histories)
    return histories
  })

  const takeIn = Effect.fnUntraced(function* ({ cluster, containers, startMs }: HourUsage) {
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
      // A history that was taken further than the store is worth nothing: it would count the hour twice.
      yield* Effect.onError(takeIn(usage), () => Effect.sync(() => clusters.delete(usage.cluster)))
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
    // Rows of one workload mostly follow each other, and then need no key.
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
