/**
 * The order of a report: the dearest first, then by name.
 */
import { Effect } from "effect"
import * as Page from "@quarterdeck/cluster-fanout/Page"
import * as RowOrder from "@quarterdeck/cluster-fanout/RowOrder"

/** What is ranked. **Units** `totalNanos` in billionths. */
export interface Ranked {
  readonly size: number
  readonly totalNanos: Float64Array
  readonly nameOf: (place: number) => string
}

/** The order of places. */
export const orderOf = ({ nameOf, totalNanos }: Ranked): RowOrder.RowOrder<number> =>
  RowOrder.make<number>(
    RowOrder.number((place) => totalNanos[place] ?? 0),
    "desc",
    [RowOrder.text(nameOf)]
  )

/** One page of places. **Shape** `next` is the place in the order behind which the following page begins. */
export interface RankedPage {
  readonly places: ReadonlyArray<number>
  readonly next: RowOrder.Position | undefined
}

/** Figures that are looked at before other fibers get their turn. */
const CHUNK = 32_768

/** Takes the first places after a position. **Limits** linear, with a sort of the page alone; gives way to others. */
export const pageOf = Effect.fnUntraced(function* (
  ranked: Ranked,
  { after, limit }: { readonly after: RowOrder.Position | undefined; readonly limit: number }
) {
  const order = orderOf(ranked)
  const { size, totalNanos } = ranked
  const most = typeof after?.[0] === "number" ? after[0] : Number.POSITIVE_INFINITY
  const least = yield* leastOf(totalNanos.subarray(0, size), most, limit)
  const candidates: Array<number> = []
  for (let place = 0; place < size; place++) {
    const nanos = totalNanos[place] ?? 0
    if (nanos >= least && nanos <= most) candidates.push(place)
  }
  const { first } = yield* Page.select(candidates, { matches: () => true, order, after, size: limit + 1 })
  const places = first.slice(0, limit)
  const last = places.at(-1)
  const page: RankedPage = {
    places,
    next: first.length > limit && last !== undefined ? order.position(last) : undefined
  }
  return page
})

/**
 * Gives what a row must cost to be among the first: nothing that costs less is. **Shape** of what costs less than `most`;
 * rows that cost as much as it come before those.
 */
const leastOf = Effect.fnUntraced(function* (totals: Float64Array, most: number, limit: number) {
  let first = new Float64Array(0)
  for (let from = 0; from < totals.length; from += CHUNK) {
    if (from > 0) yield* Effect.yieldNow
    const all = totals.subarray(from, from + CHUNK)
    const chunk = most === Number.POSITIVE_INFINITY ? all : all.filter((nanos) => nanos < most)
    const both = new Float64Array(first.length + chunk.length)
    both.set(first)
    both.set(chunk, first.length)
    first = both.toSorted().slice(-(limit + 1))
  }
  return first.length > limit ? (first[0] ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY
})
