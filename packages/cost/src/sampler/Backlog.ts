/**
 * What is still to be filled in of a cluster's past: pure arithmetic on windows of whole hours.
 */
import { HOUR_MS } from "../hour/Units.ts"
import { hoursIn, type Window } from "../hour/Window.ts"

/**
 * The open part of a cluster's past.
 *
 * Windows that rise and do not overlap; an hour before `untilMs` is in one of them, or needs nothing any more.
 * `knownFromMs` is the first hour of which the source was ever found to know anything; absent until there is one.
 */
export interface Backlog {
  readonly untilMs: number
  readonly left: ReadonlyArray<Window>
  readonly knownFromMs?: number
}

/** Closes an hour that was filled in, which the source therefore knows. */
export const filled = (backlog: Backlog, startMs: number): Backlog => ({
  ...knowing(backlog, startMs),
  left: without(backlog.left, { startMs, endMs: startMs + HOUR_MS })
})

/** Notes an hour that the source knows. */
export const knowing = (backlog: Backlog, startMs: number): Backlog => ({
  ...backlog,
  knownFromMs: Math.min(backlog.knownFromMs ?? startMs, startMs)
})

/** Gives up what is older than an instant. */
export const since = (backlog: Backlog, fromMs: number): Backlog => ({
  ...backlog,
  left: within(backlog.left, { startMs: fromMs, endMs: Infinity })
})

/** Cuts a window out of others. */
export const without = (windows: ReadonlyArray<Window>, cut: Window): ReadonlyArray<Window> => [
  ...within(windows, { startMs: -Infinity, endMs: cut.startMs }),
  ...within(windows, { startMs: cut.endMs, endMs: Infinity })
]

/** Puts those from an instant on before the others; a window that holds it is cut there. */
export const startingAt = (windows: ReadonlyArray<Window>, fromMs: number): ReadonlyArray<Window> => [
  ...within(windows, { startMs: fromMs, endMs: Infinity }),
  ...within(windows, { startMs: -Infinity, endMs: fromMs })
]

const within = (windows: ReadonlyArray<Window>, { endMs, startMs }: Window): ReadonlyArray<Window> =>
  windows
    .map((window) => ({ startMs: Math.max(window.startMs, startMs), endMs: Math.min(window.endMs, endMs) }))
    .filter((window) => window.startMs < window.endMs)

/** Tells how many hours some windows have. */
export const hoursOf = (windows: ReadonlyArray<Window>): number =>
  windows.reduce((sum, window) => sum + hoursIn(window), 0)

/**
 * Parts what is open at the first hour that the source knows.
 *
 * **Shape** `older` lies before it, and is what the source has forgotten or never saw; `missing` is the rest: all, while it
 * knows no hour.
 */
export const parts = ({ knownFromMs = -Infinity, left }: Backlog) => ({
  older: within(left, { startMs: -Infinity, endMs: knownFromMs }),
  missing: within(left, { startMs: knownFromMs, endMs: Infinity })
})
