/**
 * Hours that count in the total of their day alone, because damage took them.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Window } from "../hour/Window.ts"

/**
 * Hours of one cluster and day that are lost.
 *
 * **Shape** `startMs` is where the UTC day starts; `seconds` how much of it is lost, as far as the cluster was seen.
 */
export interface LostHours {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly seconds: number
}

/** Tells how long a cluster was seen in a window, by what reports are made of: they count the total of a whole day. */
export const knownSeconds = (
  store: CostStore["Service"],
  cluster: ClusterName,
  window: Window
): Effect.Effect<number, CostError> =>
  Effect.scoped(
    Effect.map(store.sums([cluster], window), (sums) => sums.reduce((sum, { knownSeconds }) => sum + knownSeconds, 0))
  )
