import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChangeLog } from "../../src/watch/ChangeLog.ts"

const MOST = 10_000

const changesOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ previous: undefined, next: first + index }))

const Counts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4_000 }))).check(
  Schema.isMaxLength(12)
)
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

describe("a log of changes", () => {
  it.prop(
    "gives exactly what came after a number among the last 10,000, and else nothing",
    [Counts, Share],
    ([counts, share]) => {
      const log = new ChangeLog<number>("a")
      for (const count of counts) {
        const numbered = log.append(changesOf(log.last + 1, count))
        assert.strictEqual(numbered.at(-1)?.number, log.last)
      }
      const from = Math.floor(share * log.last)
      const since = log.since(from)
      if (log.last - from > MOST) return assert.isUndefined(since)
      assert.deepStrictEqual(
        since?.map(({ next, number }) => [next, number]),
        Array.from({ length: log.last - from }, (_, index) => [from + 1 + index, from + 1 + index])
      )
    }
  )

  it("gives nothing for what is no number of it", () => {
    const log = new ChangeLog<number>("a")
    log.append(changesOf(1, 3))
    for (const number of [-1, 4, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) assert.isUndefined(log.since(number))
    assert.deepStrictEqual(log.since(3), [])
  })

  it("keeps the last 10,000 of more that come at once, and what was given stays as it was", () => {
    const log = new ChangeLog<number>("a")
    log.append(changesOf(1, 5))
    const before = log.since(0)
    log.append(changesOf(6, 25_000))
    assert.lengthOf(before ?? [], 5)
    assert.isUndefined(log.since(15_004))
    assert.strictEqual(log.since(15_005)?.[0]?.next, 15_006)
  })

  it.prop(
    "of rows with keys gives the last change of each row, however long ago it was",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))), Share],
    ([keys, share]) => {
      const log = new ChangeLog<number>("a", String)
      log.append([{ previous: 6, next: undefined }])
      for (const key of keys) log.append([{ previous: undefined, next: key }])
      // Far more changes than are kept, all of one row.
      for (let round = 0; round < 3; round++) log.append(Array.from({ length: MOST }, () => ({ previous: 7, next: 7 })))
      const from = Math.floor(share * (keys.length + 1))
      const expected = new Map([6, ...keys].map((key, index) => [key, index + 1] as const))
      assert.deepStrictEqual(
        log.since(from)?.map(({ next, number, previous }) => [next ?? previous, number]),
        [...[...expected].filter(([, number]) => number > from), [7, log.last]].toSorted(
          ([, left = 0], [, right = 0]) => left - right
        )
      )
    },
    { arbitrary: { runs: 20 } }
  )
})
