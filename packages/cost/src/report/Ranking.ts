/**
 * The order of a report's rows: most expensive first, then by name.
 */
import { PageMerge, RowOrder } from "@quarterdeck/cluster-fanout"
import { Effect, Option, Stream } from "effect"
import type { Window } from "../hour/Window.ts"

/**
 * The rows or groups to rank, by index.
 *
 * **Shape** `totalNanos` has the cost of each in billionths. If it covers only a part of the report's window, `settled`
 * is that part: the hours that were closed when the first page was requested.
 */
export interface Ranked {
  readonly settled?: Window | undefined
  readonly size: number
  readonly totalNanos: Float64Array
  readonly nameOf: (place: number) => string
}

/**
 * Returns the order of the rows. A page cursor includes the hours that `totalNanos` covers, so that the next page ranks
 * by the same hours.
 */
export const orderOf = ({ nameOf, settled, totalNanos }: Ranked): RowOrder.RowOrder<number> =>
  RowOrder.make<number>(
    RowOrder.number((place) => totalNanos[place] ?? 0),
    "desc",
    [RowOrder.text(nameOf), RowOrder.number(() => settled?.startMs ?? 0), RowOrder.number(() => settled?.endMs ?? 0)]
  )

/** Sorts the rows of a page. */
export const sorted = (places: ReadonlyArray<number>, ranked: Ranked): ReadonlyArray<number> =>
  places.toSorted(orderOf(ranked).compare)

interface PageRequest {
  readonly after: RowOrder.Position | undefined
  readonly limit: number
}

/** One page of rows. **Shape** `places` are their indexes. `next` is the position after which the next page starts. */
export interface RankedPage {
  readonly places: ReadonlyArray<number>
  readonly next: RowOrder.Position | undefined
}

/** Costs compared before the fiber yields. */
const CHUNK = 32_768

/** Number of rows that are ranked before the fiber yields. Each takes one binary search over all costs. */
const RANKED_AT_ONCE = 8_192

/**
 * Streams all rows in order, in parts of about `size`.
 *
 * **Limits** sorts the costs once. Names are compared only among rows of equal cost. If more than `size` rows have the
 * same cost, they are sorted page by page.
 */
export const parts = (ranked: Ranked, size: number): Stream.Stream<ReadonlyArray<number>> =>
  Stream.unwrap(
    Effect.map(orderByCost(ranked), (byCost) =>
      Stream.fromIterable(cutsOf(byCost, size)).pipe(
        Stream.flatMap((cut) =>
          cut.to - cut.from > size
            ? paged(Array.from(byCost.order.subarray(cut.from, cut.to)), ranked, size)
            : Stream.sync(() => ordered(byCost, cut, ranked))
        )
      )
    )
  )

const paged = (places: ReadonlyArray<number>, ranked: Ranked, size: number): Stream.Stream<ReadonlyArray<number>> =>
  Stream.paginate<RowOrder.Position | undefined, ReadonlyArray<number>>(undefined, (after) =>
    Effect.map(pageIn(places, ranked, { after, limit: size }), ({ next, places }) => [
      [places],
      Option.fromUndefinedOr(next)
    ])
  )

/**
 * All rows, most expensive first.
 *
 * **Shape** At the position of the first row of each cost, `alike` has the number of rows with that cost.
 */
interface ByCost {
  readonly order: Int32Array
  readonly alike: Int32Array
}

/** Ranks rows by cost. **Limits** sorts plain numbers, which is faster than sorting rows with a comparator. */
const orderByCost = Effect.fnUntraced(function* ({ size, totalNanos }: Ranked) {
  const sorted = totalNanos.subarray(0, size).toSorted()
  yield* Effect.yieldNow
  const order = new Int32Array(size)
  const alike = new Int32Array(size)
  for (let from = 0; from < size; from += RANKED_AT_ONCE) {
    if (from > 0) yield* Effect.yieldNow
    for (let place = from; place < Math.min(size, from + RANKED_AT_ONCE); place++) {
      const first = size - upTo(sorted, totalNanos[place] ?? 0)
      const before = alike[first] ?? 0
      order[first + before] = place
      alike[first] = before + 1
    }
  }
  const byCost: ByCost = { order, alike }
  return byCost
})

/** Returns how many of the ascending values are at most `nanos`. */
const upTo = (sorted: Float64Array, nanos: number): number => {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) > nanos) to = middle
    else from = middle + 1
  }
  return from
}

interface Cut {
  readonly from: number
  readonly to: number
}

/**
 * Splits the order into parts. Rows of equal cost stay together. If more than `size` rows have the same cost, they are
 * a part of their own.
 */
const cutsOf = ({ alike, order }: ByCost, size: number): ReadonlyArray<Cut> => {
  const cuts: Array<Cut> = []
  let from = 0
  for (let at = 0; at < order.length;) {
    const to = at + Math.max(1, alike[at] ?? 1)
    if (to - from > size && at > from) {
      cuts.push({ from, to: at })
      from = at
    }
    at = to
  }
  if (from < order.length) cuts.push({ from, to: order.length })
  return cuts
}

/** Returns the rows of a part in order. Equally expensive rows are sorted by name. */
const ordered = ({ alike, order }: ByCost, { from, to }: Cut, { nameOf }: Ranked): ReadonlyArray<number> => {
  const places = Array.from(order.subarray(from, to))
  for (let at = from; at < to; at += Math.max(1, alike[at] ?? 1)) {
    const same = alike[at] ?? 1
    if (same <= 1) continue
    const named = places
      .slice(at - from, at - from + same)
      .map((place) => ({ place, name: nameOf(place) }))
      .toSorted((one, other) => RowOrder.compareText(one.name, other.name))
    for (const [index, { place }] of named.entries()) places[at - from + index] = place
  }
  return places
}

/**
 * Returns the first rows after a position. **Limits** linear in the number of rows; sorts only the page. Yields to
 * other fibers.
 */
export const pageOf = Effect.fnUntraced(function* (ranked: Ranked, { after, limit }: PageRequest) {
  const { size, totalNanos } = ranked
  const most = typeof after?.[0] === "number" ? after[0] : Number.POSITIVE_INFINITY
  const least = yield* leastOf(totalNanos.subarray(0, size), most, limit)
  const candidates: Array<number> = []
  for (let place = 0; place < size; place++) {
    const nanos = totalNanos[place] ?? 0
    if (nanos >= least && nanos <= most) candidates.push(place)
  }
  return yield* pageIn(candidates, ranked, { after, limit })
})

/** Returns the first page of the candidates that follow a position. */
const pageIn = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<number>,
  ranked: Ranked,
  { after, limit }: PageRequest
) {
  const order = orderOf(ranked)
  const { first } = yield* PageMerge.select(candidates, { matches: () => true, order, after, size: limit + 1 })
  const places = first.slice(0, limit)
  const last = places.at(-1)
  const page: RankedPage = {
    places,
    next: first.length > limit && last !== undefined ? order.position(last) : undefined
  }
  return page
})

/** Returns a lower bound of the costs on the next page: the `limit + 1`th highest cost below `most`. */
const leastOf = Effect.fnUntraced(function* (totals: Float64Array, most: number, limit: number) {
  const pageSize = limit + 1
  // Twice the page size: the buffer is sorted when full, and its lower half dropped.
  const taken = new Float64Array(Math.max(2 * pageSize, 1_024))
  let length = 0
  let least = Number.NEGATIVE_INFINITY
  for (let from = 0; from < totals.length; from += CHUNK) {
    if (from > 0) yield* Effect.yieldNow
    const end = Math.min(totals.length, from + CHUNK)
    for (let place = from; place < end; place++) {
      const nanos = totals[place] ?? 0
      if (nanos < least || nanos >= most) continue
      if (length === taken.length) {
        taken.set(taken.toSorted().subarray(length - pageSize))
        length = pageSize
        least = taken[0] ?? least
      }
      taken[length++] = nanos
    }
  }
  if (length < pageSize) return Number.NEGATIVE_INFINITY
  return taken.subarray(0, length).toSorted()[length - pageSize] ?? Number.NEGATIVE_INFINITY
})
