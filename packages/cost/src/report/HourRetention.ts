/**
 * Finds the instant from which clusters still have hourly costs, because raising the retention setting restores no hours.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"

/** Returns the latest end of the days of some clusters that were reduced to daily sums. **Shape** `undefined` if none were. */
export type HoursFrom = (clusters: ReadonlyArray<ClusterName>) => Effect.Effect<number | undefined, CostError>

/** Pruning by this process is already covered by its own setting, so only other processes' pruning must be noticed. */
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
