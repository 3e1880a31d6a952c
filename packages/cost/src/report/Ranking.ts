/**
 * The order of a report: the dearest first, then by name.
 */
import { Effect, Option, Stream } from "effect"
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

/**
 * Gives all places in their order, part by part.
 *
 * **Limits** figures are sorted once, and names only within a part; what costs alike is in one part, however much that
 * is, and comes in pages. Gives way to others.
 */
export const parts = (ranked: Ranked, size: number): Stream.Stream<ReadonlyArray<number>> =>
  Stream.unwrap(
    Effect.map(bandsOf(ranked, size), (bands) =>
      Stream.fromIterable(bands).pipe(
        Stream.flatMap((band) =>
          Stream.paginate<RowOrder.Position | undefined, ReadonlyArray<number>>(undefined, (after) =>
            Effect.map(pageIn(band, ranked, { after, limit: size }), ({ next, places }) => [
              [places],
              Option.fromUndefinedOr(next)
            ])
          )
        )
      )
    )
  )

/** Sorts places into bands of about as many, the dearest first. **Shape** within a band they are as they were. */
const bandsOf = Effect.fnUntraced(function* ({ size, totalNanos }: Ranked, wanted: number) {
  const sorted = totalNanos.subarray(0, size).toSorted()
  yield* Effect.yieldNow
  // What a place must cost to be in each band, or in one before it.
  const least: Array<number> = []
  for (let from = size - wanted; from > 0; from -= wanted) {
    const nanos = sorted[from] ?? 0
    if (nanos !== least.at(-1)) least.push(nanos)
  }
  const bands: ReadonlyArray<Array<number>> = Array.from({ length: least.length + 1 }, () => [])
  for (let place = 0; place < size; place++) {
    if (place % CHUNK === CHUNK - 1) yield* Effect.yieldNow
    bands[bandAt(least, totalNanos[place] ?? 0)]?.push(place)
  }
  return bands
})

/** The first band that is cheap enough. */
const bandAt = (least: ReadonlyArray<number>, nanos: number): number => {
  let from = 0
  let to = least.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (nanos >= (least[middle] ?? 0)) to = middle
    else from = middle + 1
  }
  return from
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
  const wanted = limit + 1
  // Twice as many as are wanted: sorted when full, which leaves ever fewer to be taken in.
  const taken = new Float64Array(Math.max(2 * wanted, 1_024))
  let length = 0
  let least = Number.NEGATIVE_INFINITY
  for (let from = 0; from < totals.length; from += CHUNK) {
    if (from > 0) yield* Effect.yieldNow
    for (const nanos of totals.subarray(from, from + CHUNK)) {
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
