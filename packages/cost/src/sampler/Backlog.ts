/**
 * The hours of a cluster that must be back-filled, as pure arithmetic on windows of whole hours.
 */
import { HOUR_MS } from "../hour/Units.ts"
import { hoursIn, type Window } from "../hour/Window.ts"

/**
 * The past hours of a cluster that are not filled yet. `left` has their windows.
 *
 * Windows ascend and do not overlap. Hours before `untilMs` that are in no window need no back-fill. `knownFromMs` is the first
 * hour for which the source ever had data; absent if there was none.
 */
export interface Backlog {
  readonly untilMs: number
  readonly left: ReadonlyArray<Window>
  readonly knownFromMs?: number
}

/** Removes a filled hour from the backlog, and records that the source has data for it. */
export const filled = (backlog: Backlog, startMs: number): Backlog => ({
  ...knowing(backlog, startMs),
  left: without(backlog.left, { startMs, endMs: startMs + HOUR_MS })
})

/** Records an hour for which the source has data. */
export const knowing = (backlog: Backlog, startMs: number): Backlog => ({
  ...backlog,
  knownFromMs: Math.min(backlog.knownFromMs ?? startMs, startMs)
})

/** Removes the hours before an instant from the backlog. */
export const since = (backlog: Backlog, fromMs: number): Backlog => ({
  ...backlog,
  left: within(backlog.left, { startMs: fromMs, endMs: Infinity })
})

/** Removes the hours of `cut` from windows. */
export const without = (windows: ReadonlyArray<Window>, cut: Window): ReadonlyArray<Window> => [
  ...within(windows, { startMs: -Infinity, endMs: cut.startMs }),
  ...within(windows, { startMs: cut.endMs, endMs: Infinity })
]

/** Rotates windows, so that the parts from `fromMs` on come first. */
export const startingAt = (windows: ReadonlyArray<Window>, fromMs: number): ReadonlyArray<Window> => [
  ...within(windows, { startMs: fromMs, endMs: Infinity }),
  ...within(windows, { startMs: -Infinity, endMs: fromMs })
]

const within = (windows: ReadonlyArray<Window>, { endMs, startMs }: Window): ReadonlyArray<Window> =>
  windows
    .map((window) => ({ startMs: Math.max(window.startMs, startMs), endMs: Math.min(window.endMs, endMs) }))
    .filter((window) => window.startMs < window.endMs)

/** Returns the number of hours in some windows. */
export const hoursOf = (windows: ReadonlyArray<Window>): number =>
  windows.reduce((sum, window) => sum + hoursIn(window), 0)

/**
 * Splits the hours that are still to fill at the first hour for which the source has data.
 *
 * **Shape** `older` has the hours before that first hour, whose data the source has lost or never had. `missing` has
 * the others, or all hours if the source has no data.
 */
export const parts = ({ knownFromMs = -Infinity, left }: Backlog) => ({
  older: within(left, { startMs: -Infinity, endMs: knownFromMs }),
  missing: within(left, { startMs: knownFromMs, endMs: Infinity })
})
