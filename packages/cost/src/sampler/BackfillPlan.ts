/**
 * Finds the hours of a cluster that must be back-filled.
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
 * Returns the hours before the start of the back-fill (`endMs`) that are not stored.
 *
 * Joins the recorded backlog with the gap before that start. The gap begins at the end of the last stored hour or of
 * the recorded backlog, whichever is later.
 */
export const remaining = Effect.fnUntraced(function* (
  { cluster, journal, store }: Parts,
  { endMs, startMs }: Window
): Effect.fn.Return<Backlog.Backlog, CostError> {
  // The extent is read first, because hours that close later would hide the gap before them.
  const extent = (yield* store.extents).find((candidate) => candidate.cluster === cluster)
  const noted = Option.getOrElse(yield* journal.backfill(cluster), (): Backlog.Backlog => {
    const untilMs = extent?.fromMs ?? endMs
    return { untilMs, left: [{ startMs, endMs: untilMs }] }
  })
  const gap = { startMs: Math.max(extent?.toMs ?? 0, noted.untilMs, startMs), endMs }
  return { ...noted, untilMs: endMs, left: [...noted.left, gap].filter((window) => window.startMs < window.endMs) }
})

/**
 * Returns all hours of a window that the store lacks. Ignores the recorded list of hours to back-fill.
 *
 * **Limits** reads one day of closed hours at a time.
 */
export const rebuilt = Effect.fnUntraced(function* (
  { cluster, store }: Parts,
  window: Window
): Effect.fn.Return<Backlog.Backlog, CostError> {
  let left: ReadonlyArray<Window> = [window]
  for (let dayMs = dayOf(window.startMs); dayMs < window.endMs; dayMs += DAY_MS) {
    const day = { startMs: dayMs, endMs: dayMs + DAY_MS }
    const hours = yield* store.hours(cluster, day)
    for (const { startMs } of hours) left = Backlog.without(left, { startMs, endMs: startMs + HOUR_MS })
    // The store rejects hours of a day that is kept only as a daily total.
    if (hours.length === 0 && (yield* hasDailySumOnly(store, cluster, day))) left = Backlog.without(left, day)
  }
  return { untilMs: window.endMs, left }
})

const hasDailySumOnly = (
  store: CostStore["Service"],
  cluster: ClusterName,
  day: Window
): Effect.Effect<boolean, CostError> =>
  Effect.scoped(Effect.map(store.sums([cluster], day), (sums) => sums.some(({ knownSeconds }) => knownSeconds > 0)))
