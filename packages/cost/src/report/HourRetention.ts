/**
 * Finds the instant from which clusters have hourly costs.
 *
 * The retention setting alone does not determine it, because raising the setting does not restore hours.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"

/**
 * Returns the instant from which all given clusters have hourly costs: the end of the last day that was reduced to a daily sum.
 *
 * **Shape** `undefined` if no day was reduced.
 */
export type HoursFrom = (clusters: ReadonlyArray<ClusterName>) => Effect.Effect<number | undefined, CostError>

/**
 * Lifetime of the cached result of `store.extents`. It is read only to notice pruning by another process: this process
 * knows its own retention setting.
 */
const READ_EVERY_MS = 60_000

/**
 * Creates the lookup over a store.
 *
 * **Limits** reads the store at most once a minute, so pruning by another process is noticed within a minute.
 */
export const make = (store: Pick<CostStore["Service"], "extents">): HoursFrom => {
  let readAtMs = Number.NEGATIVE_INFINITY
  let known: ReadonlyMap<ClusterName, number | undefined> = new Map()

  return Effect.fnUntraced(function* (clusters) {
    const nowMs = yield* Clock.currentTimeMillis
    if (Math.abs(nowMs - readAtMs) >= READ_EVERY_MS) {
      known = new Map((yield* store.extents).map(({ cluster, hoursFromMs }) => [cluster, hoursFromMs]))
      readAtMs = nowMs
    }
    let latest: number | undefined
    for (const cluster of clusters) {
      const fromMs = known.get(cluster)
      if (fromMs !== undefined && (latest === undefined || fromMs > latest)) latest = fromMs
    }
    return latest
  })
}
