/**
 * Where following one collection stands, and what each outcome of a list or watch makes of that.
 */
import type { WatchEvent } from "./KubeObject.ts"
import type { ListProgress } from "./ListProgress.ts"
import * as versions from "./ResourceVersion.ts"

/** What is done next. */
export type Phase<Watch> =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Page"; readonly progress: ListProgress }
  /** `checked`: the version to resume from is known to be the server's own. */
  | { readonly _tag: "Resume"; readonly checked: boolean }
  | { readonly _tag: "Read"; readonly initial: boolean; readonly watch: Watch }

/** How long a watch waits before it tries again, and how often it lets a server throttle it; times in milliseconds. */
export interface ListWatchPatience {
  /** Waits that a throttling server asks for are kept up to this long and this often in a row; others fail. */
  readonly maxThrottleMs: number
  readonly maxThrottles: number
  /** A connection that told something or lived so long is no reason to wait before the next. */
  readonly usefulMs: number
  readonly firstBackoffMs: number
  readonly maxBackoffMs: number
}

export interface ListWatchState<Watch> {
  readonly phase: Phase<Watch>
  /** The version that a watch resumes from. */
  readonly resourceVersion: string
  readonly offersWatchList: boolean
  /** How many tries in a row brought nothing. */
  readonly futile: number
  /** How many watches in a row ended as soon as they had begun, and told nothing. */
  readonly deaf: number
  /** How often in a row the server throttled. */
  readonly throttles: number
  /** Whether the watch broke since it last brought something: a second time fails. */
  readonly isMended: boolean
  /** What is to be caught up with: of a view that is resumed after an outage, until then. */
  readonly behind: Behind | undefined
}

/** **Shape** `newest` is the version that the server had when it was asked, before the watch was. */
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

/** Resumes a view that was whole at this version, after an outage. */
export const from = <Watch>(state: ListWatchState<Watch>, resourceVersion: string): ListWatchState<Watch> => ({
  ...state,
  resourceVersion,
  phase: { _tag: "Resume", checked: false },
  behind: { newest: undefined }
})

/** Begins anew with a list, after a wait. */
export const restarted = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Begin" },
  futile: Math.max(state.futile, 1),
  behind: undefined
})

/**
 * Turns a 410 that a list or the beginning of a watch is answered with into a new list: the version to go on from is too
 * old for the server. One inside of a watch's stream is a {@link restarted}, after as long a wait.
 */
export const expired = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> =>
  restarted({ ...state, futile: state.futile + 1 })

/** Lists in pages, as the server has no watch-list. */
export const withoutWatchList = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  offersWatchList: false
})

/**
 * Lists instead of a watch whose head is held back, by a proxy that passes on only what is whole. The wait for the head was the
 * wait before this list.
 */
export const heldBack = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...withoutWatchList(restarted(state)),
  futile: 1
})

/** Goes on with a page of the list. */
export const listing = <Watch>(state: ListWatchState<Watch>, progress: ListProgress): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Page", progress }
})

/** Watches from the version of a list that is whole. */
export const listed = <Watch>(state: ListWatchState<Watch>, resourceVersion: string): ListWatchState<Watch> => ({
  ...state,
  resourceVersion,
  phase: { _tag: "Resume", checked: true }
})

/**
 * Watches from the version that is held, now that the server's newest one is known not to be earlier.
 */
export const checked = <Watch>(state: ListWatchState<Watch>, newest: string): ListWatchState<Watch> => ({
  ...listed(state, state.resourceVersion),
  behind: state.behind && { newest }
})

/** Notes that the view has all that happened in the outage. */
export const caughtUp = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  behind: undefined
})

/** The server answered: it throttles no more. */
export const answered = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({ ...state, throttles: 0 })

/** Reads a watch that was opened. */
export const reading = <Watch>(
  state: ListWatchState<Watch>,
  watch: Watch,
  initial: boolean
): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Read", initial, watch }
})

/** Notes how long a connection lived that was closed. */
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

/** Whether watches end so soon, one after the other, that nothing of what happens is heard. */
export const isDeaf = ({ deaf }: ListWatchState<unknown>): boolean => deaf >= DEAF_AFTER

/** Resumes a watch that ended, once the server's version is seen not to be earlier. */
export const ended = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...state,
  phase: { _tag: "Resume", checked: false }
})

/** Resumes a watch that broke; the next break fails unless it brought something in between. */
export const broken = <Watch>(state: ListWatchState<Watch>): ListWatchState<Watch> => ({
  ...ended(state),
  isMended: true
})

/** Notes what a watch told. */
export const received = <Watch>(
  state: ListWatchState<Watch>,
  { events, isInitial, resourceVersion }: Received
): ListWatchState<Watch> => {
  const brings = events.length > 0 && !isInitial
  const behind = hasReached(state.behind, resourceVersion) ? undefined : state.behind
  return { ...state, resourceVersion, behind, ...(brings && { futile: 0, deaf: 0, isMended: false }) }
}

/** Notes what a watch told before the error that ended it: it was heard, and yet the next one waits as after any other failure. */
export const cutShort = <Watch>(
  state: ListWatchState<Watch>,
  { events, isInitial, resourceVersion }: Received
): ListWatchState<Watch> => ({ ...state, resourceVersion, ...(events.length > 0 && !isInitial && { deaf: 0 }) })

/** Whether a view at this version has all that happened in the outage. **Shape** never where it is not known what did. */
export const hasReached = (behind: Behind | undefined, resourceVersion: string): boolean =>
  behind?.newest !== undefined && (versions.compare(resourceVersion, behind.newest) ?? -1) >= 0

/** What a piece of a watch told. **Shape** `isInitial` while the initial state is not whole. */
export interface Received {
  readonly events: ReadonlyArray<WatchEvent>
  readonly isInitial: boolean
  readonly resourceVersion: string
}

/**
 * Waits as long as a throttling server asks, or not at all: then the following fails. What happens meanwhile is asked for anew by
 * a view that is resumed after an outage.
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

/** Gives the longest wait before the next try. **Units** milliseconds. */
export const backoffCeilingMs = (
  { futile }: ListWatchState<unknown>,
  { firstBackoffMs, maxBackoffMs }: ListWatchPatience
): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(futile, 16))
