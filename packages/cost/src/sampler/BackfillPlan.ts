/**
 * Finds what is to be filled in of a cluster's past.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import { DAY_MS, HOUR_MS, dayOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"
import * as Backlog from "./Backlog.ts"
import type { HourJournal } from "./HourJournal.ts"

export interface Parts {
  readonly cluster: ClusterName
  readonly store: CostStore["Service"]
  readonly journal: HourJournal["Service"]
}

/**
 * Finds what is open of the time up to the start.
 *
 * What was noted, and what lies between the last closed hour, or all that was noted, and the start.
 */
export const remaining = Effect.fnUntraced(function* (
  { cluster, journal, store }: Parts,
  { endMs, startMs }: Window
): Effect.fn.Return<Backlog.Backlog, CostError> {
  // First of all: hours that are closed from now on would hide the gap before them.
  const extent = (yield* store.extents).find((one) => one.cluster === cluster)
  const noted = Option.getOrElse(yield* journal.backfill(cluster), (): Backlog.Backlog => {
    const untilMs = extent?.fromMs ?? endMs
    return { untilMs, left: [{ startMs, endMs: untilMs }] }
  })
  const gap = { startMs: Math.max(extent?.toMs ?? 0, noted.untilMs, startMs), endMs }
  return { ...noted, untilMs: endMs, left: [...noted.left, gap].filter((window) => window.startMs < window.endMs) }
})

/**
 * Opens all of a window that the store does not have, whatever was noted.
 *
 * **Limits** reads the closed hours of a day at a time.
 */
export const anew = Effect.fnUntraced(function* (
  { cluster, store }: Parts,
  window: Window
): Effect.fn.Return<Backlog.Backlog, CostError> {
  let left: ReadonlyArray<Window> = [window]
  for (let dayMs = dayOf(window.startMs); dayMs < window.endMs; dayMs += DAY_MS) {
    const day = { startMs: dayMs, endMs: dayMs + DAY_MS }
    const hours = yield* store.hours(cluster, day)
    for (const { startMs } of hours) left = Backlog.without(left, { startMs, endMs: startMs + HOUR_MS })
    // A day that is kept as a whole alone takes no hour any more.
    if (hours.length === 0 && (yield* isKeptWhole(store, cluster, day))) left = Backlog.without(left, day)
  }
  return { untilMs: window.endMs, left }
})

const isKeptWhole = (
  store: CostStore["Service"],
  cluster: ClusterName,
  day: Window
): Effect.Effect<boolean, CostError> =>
  Effect.scoped(Effect.map(store.sums([cluster], day), (sums) => sums.some(({ knownSeconds }) => knownSeconds > 0)))
