/**
 * Compares the cached labels of a cluster's namespaces with a fresh list. The labels decide access, and a silent watch
 * does not show that they are current.
 */
import { Context, Effect, Metric, Semaphore, Stream } from "effect"
import type { Breaker } from "../kube/Breaker.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import type { ClusterStore } from "./ClusterStore.ts"
import type { Interner } from "../projection/Interner.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { KubeApi } from "../kube/KubeApi.ts"
import * as Projection from "../projection/Projection.ts"

/** Interval and timeout of label comparisons, in milliseconds. */
export const LabelProofLimits = Context.Reference("@quarterdeck/cluster-fanout/LabelProof/LabelProofLimits", {
  defaultValue: () => ({ intervalMs: 15_000, timeoutMs: 10_000 })
})

export interface LabelProof {
  /**
   * Lists the namespaces now and corrects the cached ones, unless the cached labels are proven: confirmed as current
   * within the last 30 s (`Freshness.provesLabels`). Concurrent callers share one list. If the list fails, the labels
   * stay unproven.
   */
  readonly prove: Effect.Effect<void>
  /**
   * Waits for `wanted`, lists the namespaces and corrects the cached ones; then again after each interval. Runs until
   * interrupted.
   */
  readonly keep: Effect.Effect<never>
}

const corrected = Metric.counter("quarterdeck_namespace_corrections_total", {
  description: "Cached namespaces that a fresh list corrected, because the watch had missed a change",
  incremental: true
})

export const make = Effect.fnUntraced(function* (
  cluster: Cluster,
  parts: {
    readonly api: KubeApi["Service"]
    readonly breaker: Breaker
    readonly store: ClusterStore
    readonly interner: Interner
    /** Waits until the access of at least one key depends on namespace labels. */
    readonly wanted: Effect.Effect<void>
  }
) {
  const { api, breaker, interner, store, wanted } = parts
  const limits = yield* LabelProofLimits
  const turn = yield* Semaphore.make(1)
  const table = store.table("Namespace")
  const place = { cluster: cluster.name, interner }

  const list = Effect.gen(function* () {
    const askedAt = yield* steadyClock.now
    table.beginComparison()
    const listed = yield* api.list(cluster, { resource: Kind.resources.Namespace }, { metadataOnly: true }).pipe(
      Stream.runFold(
        () => new Map<string, Projection.NamespaceRecord>(),
        (found, page) => {
          for (const object of page) {
            const record = Projection.project("Namespace", object, place)
            // Metadata alone does not contain the phase.
            found.set(record.uid, { ...record, phase: table.records.get(record.uid)?.phase ?? record.phase })
          }
          return found
        }
      )
    )
    return table.endComparison(listed, askedAt)
  }).pipe(
    Effect.timeoutOrElse({
      duration: limits.timeoutMs,
      orElse: () =>
        Effect.fail(
          new ClusterError({ cluster: cluster.name, reason: new ClusterTimeout({ timeoutMs: limits.timeoutMs }) })
        )
    }),
    Effect.ensuring(Effect.sync(() => table.abandonComparison()))
  )

  const compare = Effect.gen(function* () {
    // Only a complete view can be compared. An unreachable cluster is probed by its heartbeat only.
    if (table.sync._tag !== "Synced" || breaker.refusal() !== undefined) return
    const corrections = yield* list
    if (corrections === undefined || corrections === 0) return
    yield* Metric.update(corrected, corrections)
    yield* Effect.logWarning(
      `cluster ${cluster.name}: a list corrected ${corrections} namespaces whose changes the watch had missed`
    )
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        breaker.suspect,
        Effect.logWarning(
          `cluster ${cluster.name}: the namespace labels could not be checked against a list: ${error.message}`
        )
      )
    ),
    Effect.withSpan("LabelProof.compare", { attributes: { cluster: cluster.name } })
  )

  const prove = turn.withPermit(
    Effect.gen(function* () {
      if (store.provesLabels(yield* steadyClock.now)) return
      yield* compare
    })
  )

  const keep = Effect.forever(
    Effect.gen(function* () {
      yield* wanted
      yield* turn.withPermit(compare)
      yield* Effect.sleep(limits.intervalMs)
    })
  )

  return { prove, keep } satisfies LabelProof
})
