/** Where reading a list page by page stands, and when it is given up: a list may have no end. */

/**
 * How large a list may be, and how long it may take.
 *
 * **Units** objects of one kind in one cluster; milliseconds; bytes of one page.
 */
export interface ListBounds {
  readonly maxObjects: number
  readonly listMs: number
  readonly pageBytes: number
}

/** Objects asked for in one page: few bytes are held for a page, and a list needs few pages. */
export const PAGE_SIZE = 500

/** More pages in a row without an object than any server sends that has an end. */
const MAX_EMPTY_PAGES = 100

/** **Shape** `limit` is absent when the whole list is asked for at once. `startedAt` is by `steadyClock`. */
export interface ListProgress {
  readonly startedAt: number
  readonly limit: number | undefined
  readonly continueToken: string | undefined
  readonly objects: number
  readonly emptyPages: number
  readonly cycle: Cycle
}

/**
 * An earlier token, and how many came since. **Source** Brent's algorithm: a token that comes again meets its earlier self
 * within three times the pages of the cycle, and two tokens are held at most.
 */
interface Cycle {
  readonly earlier: string | undefined
  readonly steps: number
  readonly nextAfter: number
}

export const begin = (startedAt: number, limit = PAGE_SIZE): ListProgress => ({
  startedAt,
  limit,
  continueToken: undefined,
  objects: 0,
  emptyPages: 0,
  cycle: { earlier: undefined, steps: 0, nextAfter: 1 }
})

/** Asks for the whole list at once: its pages expire before they are read. **Source** `ListPager` of client-go */
export const whole = ({ startedAt }: ListProgress): ListProgress => ({ ...begin(startedAt), limit: undefined })

/** Asks for the same page with half of its objects. **Shape** `undefined` when it cannot be smaller. */
export const halved = (progress: ListProgress): ListProgress | undefined =>
  progress.limit === undefined || progress.limit <= 1
    ? undefined
    : { ...progress, limit: Math.floor(progress.limit / 2) }

/** What a page was. **Shape** `continueToken` is absent on the last one. */
export interface PageRead {
  readonly objects: number
  readonly bytes: number
  readonly continueToken?: string
}

/**
 * Goes on after a page.
 *
 * **Shape** `Last` after the last page, else `Next`; `TooMany` and `Endless` when the list is to be given up. A page that was
 * halved before grows again where its bytes leave room for that.
 */
export type Step =
  | { readonly _tag: "Last" }
  | { readonly _tag: "Next"; readonly progress: ListProgress }
  | { readonly _tag: "TooMany" }
  | { readonly _tag: "Endless" }

export const after = (progress: ListProgress, page: PageRead, bounds: ListBounds): Step => {
  const objects = progress.objects + page.objects
  if (objects > bounds.maxObjects) return { _tag: "TooMany" }
  const { continueToken } = page
  if (continueToken === undefined) return { _tag: "Last" }
  const emptyPages = page.objects === 0 ? progress.emptyPages + 1 : 0
  if (emptyPages > MAX_EMPTY_PAGES || continueToken === progress.cycle.earlier) return { _tag: "Endless" }
  const limit = grown(progress.limit, page.bytes, bounds)
  return {
    _tag: "Next",
    progress: { ...progress, objects, emptyPages, continueToken, limit, cycle: moved(progress.cycle, continueToken) }
  }
}

const grown = (limit: number | undefined, bytes: number, { pageBytes }: ListBounds): number | undefined =>
  limit === undefined || bytes * 4 > pageBytes ? limit : Math.min(PAGE_SIZE, limit * 2)

const moved = ({ earlier, nextAfter, steps }: Cycle, token: string): Cycle =>
  steps + 1 >= nextAfter
    ? { earlier: token, steps: 0, nextAfter: nextAfter * 2 }
    : { earlier, steps: steps + 1, nextAfter }
