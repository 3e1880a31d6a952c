/**
 * Hours that were lost to damage, so that only their daily sum is left.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Window } from "../hour/Window.ts"

/**
 * The hours of one cluster and day that were lost to damage.
 *
 * **Shape** `startMs` is the start of the UTC day. `seconds` is the observed time that is in the daily sum but in no
 * stored hour.
 */
export interface LostHours {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly seconds: number
}

/** Returns how long a cluster was observed in a window according to the report sums, which include the daily sums. */
export const knownSeconds = (
  store: CostStore["Service"],
  cluster: ClusterName,
  window: Window
): Effect.Effect<number, CostError> =>
  Effect.scoped(
    Effect.map(store.sums([cluster], window), (sums) => sums.reduce((sum, { knownSeconds }) => sum + knownSeconds, 0))
  )
