/**
 * The order of a report: the most expensive first, then by name.
 */
import { PageMerge, RowOrder } from "@quarterdeck/cluster-fanout"
import { Effect, Option, Stream } from "effect"
import type { Window } from "../hour/Window.ts"

/**
 * What is ranked.
 *
 * **Shape** `settled` are the hours that `totalNanos` is of, where they are not all. **Units** `totalNanos` in billionths.
 */
export interface Ranked {
  readonly settled?: Window | undefined
  readonly size: number
  readonly totalNanos: Float64Array
  readonly nameOf: (place: number) => string
}

/** The order of places. Its positions tell the hours too, so that the next page is ranked by the same. */
export const orderOf = ({ nameOf, settled, totalNanos }: Ranked): RowOrder.RowOrder<number> =>
  RowOrder.make<number>(
    RowOrder.number((place) => totalNanos[place] ?? 0),
    "desc",
    [RowOrder.text(nameOf), RowOrder.number(() => settled?.startMs ?? 0), RowOrder.number(() => settled?.endMs ?? 0)]
  )

/** Puts the places of a page in their order. */
export const sorted = (places: ReadonlyArray<number>, ranked: Ranked): ReadonlyArray<number> =>
  places.toSorted(orderOf(ranked).compare)

interface Asked {
  readonly after: RowOrder.Position | undefined
  readonly limit: number
}

/** One page of places. **Shape** `next` is the place in the order behind which the following page begins. */
export interface RankedPage {
  readonly places: ReadonlyArray<number>
  readonly next: RowOrder.Position | undefined
}

/** Figures that are looked at before other fibers get their turn. */
const CHUNK = 32_768

/** Places that are put in their order before other fibers get their turn: each is looked for among all figures. */
const RANKED_AT_ONCE = 8_192

/**
 * Gives all places in their order, part by part.
 *
 * **Limits** figures are sorted once, and names only of what costs alike; where that is more than a part, it comes in pages.
 * Gives way to others.
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
 * Places, most expensive first.
 *
 * **Shape** where several in `order` cost the same, `alike` has their number at the first of them.
 */
interface ByCost {
  readonly order: Int32Array
  readonly alike: Int32Array
}

/** Gives each place its own among the sorted figures. **Limits** a comparison of figures costs less than one of places. */
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

/** How many of rising figures are not above one. */
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

/** Cuts the order into parts. What costs alike is in one, by itself where it is more than a part. */
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

/** Gives the places of a part in their order: those that cost alike by their names. */
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

/** Takes the first places after a position. **Limits** linear, with a sort of the page alone; gives way to others. */
export const pageOf = Effect.fnUntraced(function* (ranked: Ranked, { after, limit }: Asked) {
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

/** Takes the first of some places after a position. */
const pageIn = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<number>,
  ranked: Ranked,
  { after, limit }: Asked
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

/**
 * Gives what a row must cost at least to be among the first of those that cost less than `most`; rows that cost as much
 * as it come before those.
 */
const leastOf = Effect.fnUntraced(function* (totals: Float64Array, most: number, limit: number) {
  const wanted = limit + 1
  // Twice as many as are wanted: sorted when full, which leaves ever fewer to be taken in.
  const taken = new Float64Array(Math.max(2 * wanted, 1_024))
  let length = 0
  let least = Number.NEGATIVE_INFINITY
  for (let from = 0; from < totals.length; from += CHUNK) {
    if (from > 0) yield* Effect.yieldNow
    const end = Math.min(totals.length, from + CHUNK)
    for (let place = from; place < end; place++) {
      const nanos = totals[place] ?? 0
      if (nanos < least || nanos >= most) continue
      if (length === taken.length) {
        taken.set(taken.toSorted().subarray(length - wanted))
        length = wanted
        least = taken[0] ?? least
      }
      taken[length++] = nanos
    }
  }
  if (length < wanted) return Number.NEGATIVE_INFINITY
  return taken.subarray(0, length).toSorted()[length - wanted] ?? Number.NEGATIVE_INFINITY
})
