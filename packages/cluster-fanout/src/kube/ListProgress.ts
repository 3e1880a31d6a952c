/** Progress of a paged list, and detection of lists without end. */

/**
 * Limits of a list.
 *
 * **Units** objects of one kind in one cluster; milliseconds; bytes of one page.
 */
export interface ListBounds {
  readonly maxObjects: number
  readonly listMs: number
  readonly pageBytes: number
}

/** Objects requested in one page: small enough to buffer, large enough to need few pages. */
export const PAGE_SIZE = 500

/** Empty pages in a row after which a list counts as endless. */
const MAX_EMPTY_PAGES = 100

/**
 * State of a list. **Shape** `limit` is absent when the whole list is requested at once. `startedAt` is by
 * `steadyClock`.
 */
export interface ListProgress {
  readonly startedAt: number
  readonly limit: number | undefined
  readonly continueToken: string | undefined
  readonly objects: number
  readonly emptyPages: number
  readonly cycle: Cycle
}

/**
 * Detects a repeated token: an earlier token, and the number of pages since. **Source** Brent's algorithm, which finds
 * a cycle within three times its length and stores two tokens.
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

/**
 * Requests the whole list at once, because its pages expire before they are read. **Source** `ListPager` of client-go
 */
export const whole = ({ startedAt }: ListProgress): ListProgress => ({ ...begin(startedAt), limit: undefined })

/** Requests the same page with half as many objects. **Shape** `undefined` if it cannot be smaller. */
export const halved = (progress: ListProgress): ListProgress | undefined =>
  progress.limit === undefined || progress.limit <= 1
    ? undefined
    : { ...progress, limit: Math.floor(progress.limit / 2) }

/** A page that was read. **Shape** `continueToken` is absent on the last page. */
export interface PageRead {
  readonly objects: number
  readonly bytes: number
  readonly continueToken?: string
}

/**
 * Result of a page.
 *
 * **Shape** `Last` after the last page, else `Next`. `TooMany` and `Endless` abort the list. After small pages, the
 * page size grows again up to `PAGE_SIZE`.
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
