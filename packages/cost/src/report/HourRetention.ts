/**
 * Tells where hours are kept, and not their days alone: a setting that was raised brings none back.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"

/** Gives where the last day of some clusters ends whose hours were forgotten. **Shape** `undefined` where there is none. */
export type HoursFrom = (clusters: ReadonlyArray<ClusterName>) => Effect.Effect<number | undefined, CostError>

/** Days that this program forgets lie before what its own setting allows to ask for; others change seldom. */
const ASKED_EVERY_MS = 60_000

/**
 * Makes it over a store.
 *
 * **Limits** asks the store once a minute at most: hours that another program forgets by a setting of its own are noticed
 * within that.
 */
export const make = (store: Pick<CostStore["Service"], "extents">): HoursFrom => {
  let askedMs = Number.NEGATIVE_INFINITY
  let known: ReadonlyMap<ClusterName, number | undefined> = new Map()

  return Effect.fnUntraced(function* (clusters) {
    const nowMs = yield* Clock.currentTimeMillis
    if (Math.abs(nowMs - askedMs) >= ASKED_EVERY_MS) {
      known = new Map((yield* store.extents).map(({ cluster, hoursFromMs }) => [cluster, hoursFromMs]))
      askedMs = nowMs
    }
    let latest: number | undefined
    for (const cluster of clusters) {
      const fromMs = known.get(cluster)
      if (fromMs !== undefined && (latest === undefined || fromMs > latest)) latest = fromMs
    }
    return latest
  })
}
