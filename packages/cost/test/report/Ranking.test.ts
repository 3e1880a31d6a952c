import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as Ranking from "../../src/report/Ranking.ts"

const SIZE = 5

const rankedOf = (totals: ReadonlyArray<number>): Ranking.Ranked => ({
  size: totals.length,
  totalNanos: Float64Array.from(totals),
  nameOf: (place) => `row-${(place * 7) % 13}-${place}`
})

const sorted = ({ nameOf, size, totalNanos }: Ranking.Ranked): ReadonlyArray<number> =>
  Array.from({ length: size }, (_, place) => place).toSorted(
    (one, other) => (totalNanos[other] ?? 0) - (totalNanos[one] ?? 0) || (nameOf(one) < nameOf(other) ? -1 : 1)
  )

describe("the order of a report", () => {
  it.effect.prop(
    "is the dearest first, then by name, in parts of no more than asked for",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 20 })))],
    ([totals]) =>
      Effect.gen(function* () {
        const ranked = rankedOf(totals)
        const parts = yield* Stream.runCollect(Ranking.parts(ranked, SIZE))
        assert.deepStrictEqual(parts.flat(), sorted(ranked))
        for (const part of parts) assert.isAtMost(part.length, SIZE)
      })
  )

  it.effect("is by name where all cost the same, more than a part of them", () =>
    Effect.gen(function* () {
      const ranked = rankedOf(Array.from({ length: 23 }, () => 7))
      const parts = yield* Stream.runCollect(Ranking.parts(ranked, SIZE))
      assert.deepStrictEqual(parts.flat(), sorted(ranked))
      for (const part of parts) assert.isAtMost(part.length, SIZE)
    })
  )

  it.effect("of nothing has no part", () =>
    Effect.map(Stream.runCollect(Ranking.parts(rankedOf([]), SIZE)), (parts) => assert.deepStrictEqual(parts, []))
  )
})
