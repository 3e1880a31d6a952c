/**
 * State of following one collection, and its transitions for each result of a list or watch.
 */
import type { WatchEvent } from "./KubeObject.ts"
import type { ListProgress } from "./ListProgress.ts"
import * as versions from "./ResourceVersion.ts"

/** The next step. */
export type Phase<Watch> =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Page"; readonly progress: ListProgress }
  /** `checked`: the server's own version is known to be no older than the version to resume from. */
  | { readonly _tag: "Resume"; readonly checked: boolean }
  | { readonly _tag: "Read"; readonly initial: boolean; readonly watch: Watch }

/** Backoff of a watch, and limits of throttling; times in milliseconds. */
export interface ListWatchPatience {
  /**
   * Longest wait that is observed when a throttling server asks for it, and the maximum number of such waits in a row.
   * Beyond either, the follow fails.
   */
  readonly maxThrottleMs: number
  readonly maxThrottles: number
  /** A watch that delivered an event, or lasted at least this long, is reopened without backoff. */
  readonly usefulMs: number
  readonly firstBackoffMs: number
  readonly maxBackoffMs: number
}

export interface ListWatchState<Watch> {
  readonly phase: Phase<Watch>
  /** The version that a watch resumes from. */
  readonly resourceVersion: string
  readonly offersWatchList: boolean
  /** Attempts in a row without any result. */
  readonly futile: number
  /** Watches in a row that ended immediately without an event. */
  readonly deaf: number
  /** Throttled answers in a row. */
  readonly throttles: number
  /** True if the watch broke since its last event. If it breaks again, following the collection fails. */
  readonly isMended: boolean
  /** Set until a view that is resumed after an outage has caught up. */
  readonly behind: Behind | undefined
}

/** **Shape** `newest` is the server's version at the time of the check, before the watch was opened. */
export interface Behind {
  readonly newest: string | undefined
}

/** The state before the first list. */
export const make = <Watch>(offersWatchList: boolean): ListWatchState<Watch> => ({
  phase: { _tag: "Begin" },
  resourceVersion: "",
  offersWatchList,
  futile: 0,
  deaf: 0,
  throttles: 0,
  isMended: false,
  behind: undefined
})

/** Resumes a view that was complete at this version, after an outage. */
export const from = <Watch>(state: ListWatchState<Watch>, resourceVersion: string): ListWatchState<Watch> => ({
  ...state,
  resourceVersion,
  phase: { _tag: "Resume", checked: false },
  behind: { newest: undefined }
})

/** Starts again with a list, after a wait. */
export const restarted = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Begin" },
  futile: Math.max(state.futile, 1),
  behind: undefined
})

/**
 * Handles a 410 answer to a list or to the start of a watch: the version to resume from is too old, so a new list
 * begins. A 410 inside a watch's stream leads to {@link restarted} instead.
 */
export const expired = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> =>
  restarted({ ...state, futile: state.futile + 1 })

/** Lists in pages, because the server has no watch-list. */
export const withoutWatchList = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  offersWatchList: false
})

/**
 * Lists after a watch whose response headers were withheld by a buffering proxy. The wait for the headers replaces the
 * backoff.
 */
export const heldBack = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...withoutWatchList(restarted(state)),
  futile: 1
})

/** Continues with a page of the list. */
export const listing = <Watch>(state: ListWatchState<Watch>, progress: ListProgress): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Page", progress }
})

/** Watches from the version of a complete list. */
export const listed = <Watch>(state: ListWatchState<Watch>, resourceVersion: string): ListWatchState<Watch> => ({
  ...state,
  resourceVersion,
  phase: { _tag: "Resume", checked: true }
})

/** Watches from the current version, now that the server's newest version is known to be no older. */
export const checked = <Watch>(state: ListWatchState<Watch>, newest: string): ListWatchState<Watch> => ({
  ...listed(state, state.resourceVersion),
  behind: state.behind && { newest }
})

/** Records that the view has caught up after the outage. */
export const caughtUp = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  behind: undefined
})

/** Records an answer, which ends throttling. */
export const answered = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({ ...state, throttles: 0 })

/** Starts to read an opened watch. */
export const reading = <Watch>(
  state: ListWatchState<Watch>,
  watch: Watch,
  initial: boolean
): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Read", initial, watch }
})

/** Records a closed connection and its lifetime. */
export const closed = <Watch>(
  state: ListWatchState<Watch>,
  livedMs: number,
  { usefulMs }: ListWatchPatience
): ListWatchState<Watch> => ({
  ...state,
  futile: livedMs >= usefulMs ? 0 : state.futile + 1,
  deaf: livedMs >= DEAF_MS ? 0 : state.deaf + 1
})

const DEAF_AFTER = 4
const DEAF_MS = 1_000

/** Returns whether watches keep ending immediately, so that no events arrive. */
export const isDeaf = ({ deaf }: ListWatchState<unknown>): boolean => deaf >= DEAF_AFTER

/** Resumes a watch that ended, after checking the server's version. */
export const ended = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Resume", checked: false }
})

/** Resumes a watch that broke. If it breaks again before a new event arrives, following the collection fails. */
export const broken = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...ended(state),
  isMended: true
})

/** Records the events of a watch. */
export const received = <Watch>(
  state: ListWatchState<Watch>,
  { events, isInitial, resourceVersion }: Received
): ListWatchState<Watch> => {
  const brings = events.length > 0 && !isInitial
  const behind = hasReached(state.behind, resourceVersion) ? undefined : state.behind
  return { ...state, resourceVersion, behind, ...(brings && { futile: 0, deaf: 0, isMended: false }) }
}

/** Records the events before an error that ended the watch. The next watch waits as after any other failure. */
export const cutShort = <Watch>(
  state: ListWatchState<Watch>,
  { events, isInitial, resourceVersion }: Received
): ListWatchState<Watch> => ({ ...state, resourceVersion, ...(events.length > 0 && !isInitial && { deaf: 0 }) })

/** Returns whether a view at this version has caught up. **Shape** false if the server's version is not known. */
export const hasReached = (behind: Behind | undefined, resourceVersion: string): boolean =>
  behind?.newest !== undefined && (versions.compare(resourceVersion, behind.newest) ?? -1) >= 0

/** Events of one chunk of a watch. **Shape** `isInitial` while the initial state is incomplete. */
export interface Received {
  readonly events: ReadonlyArray<WatchEvent>
  readonly isInitial: boolean
  readonly resourceVersion: string
}

/**
 * Returns the wait that a throttling server asks for, or `undefined` if following should fail. A resumed view checks
 * the server's version again after the wait.
 */
export const throttled = <Watch>(
  state: ListWatchState<Watch>,
  retryAfterMs: number | undefined,
  { firstBackoffMs, maxThrottleMs, maxThrottles }: ListWatchPatience
): { readonly state: ListWatchState<Watch>; readonly waitMs: number } | undefined => {
  const waitMs = retryAfterMs ?? firstBackoffMs
  const throttles = state.throttles + 1
  if (waitMs > maxThrottleMs || throttles > maxThrottles) return undefined
  return { state: { ...(state.behind === undefined ? state : ended(state)), throttles }, waitMs }
}

/** Returns the upper bound of the wait before the next attempt. **Units** milliseconds. */
export const backoffCeilingMs = (
  { futile }: ListWatchState<unknown>,
  { firstBackoffMs, maxBackoffMs }: ListWatchPatience
): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(futile, 16))
