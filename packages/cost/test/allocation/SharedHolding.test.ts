import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Holder, split } from "../../src/allocation/SharedHolding.ts"
import { overlap, secondsIn, type Intervals, union } from "../../src/allocation/Intervals.ts"
import { between } from "./drawn.ts"

const Interval = Schema.Struct({ from: between(0, 40), length: between(1, 20) })
const IntervalList = Schema.Array(Interval).check(Schema.isMaxLength(3))
const Holding = Schema.Struct({ owner: between(0, 3), held: IntervalList })

const intervalsOf = (drawn: typeof IntervalList.Type): Intervals =>
  union(drawn.flatMap(({ from, length }) => [from, from + length]))
const holdersOf = (drawn: typeof Holdings.Type): ReadonlyArray<Holder<number>> =>
  drawn.map(({ held, owner }) => ({ key: `owner-${owner}`, owner, held: intervalsOf(held) }))

const splitOf = (rate: number, there: Intervals, seen: Intervals, holders: ReadonlyArray<Holder<number>>) => {
  const amounts = new Map<number | undefined, number>()
  split(rate, there, seen, holders, (owner, amount) => amounts.set(owner, (amounts.get(owner) ?? 0) + amount))
  return amounts
}

const has = (intervals: Intervals, second: number): boolean => overlap(intervals, [second, second + 1]).length > 0

const Rate = between(1, 1_000)
const Holdings = Schema.Array(Holding).check(Schema.isMaxLength(6))

describe("what several hold", () => {
  it.prop(
    "is split as if every second were split among those that hold it then",
    [Rate, IntervalList, IntervalList, Holdings],
    ([rate, there, seen, drawn]) => {
      const holders = holdersOf(drawn)
      const expected = new Map<number | undefined, number>()
      for (let second = 0; second < 60; second++) {
        if (!has(intervalsOf(there), second) || !has(intervalsOf(seen), second)) continue
        const holding = holders.filter(({ held }) => has(held, second))
        const add = (owner: number | undefined, amount: number) =>
          expected.set(owner, (expected.get(owner) ?? 0) + amount)
        for (const { owner } of holding) add(owner, rate / holding.length)
        if (holding.length === 0) add(undefined, rate)
      }
      const found = splitOf(rate, intervalsOf(there), intervalsOf(seen), holders)
      const bounds = intervalsOf(seen).length
      for (const owner of [undefined, 0, 1, 2, 3]) {
        assert.approximately(found.get(owner) ?? 0, expected.get(owner) ?? 0, bounds + 1e-6)
      }
      assert.strictEqual(found.get(undefined) ?? 0, expected.get(undefined) ?? 0)
    }
  )

  it.prop("comes to the whole", [Rate, IntervalList, IntervalList, Holdings], ([rate, there, seen, drawn]) => {
    const found = splitOf(rate, intervalsOf(there), intervalsOf(seen), holdersOf(drawn))
    assert.strictEqual(
      [...found.values()].reduce((sum, amount) => sum + amount, 0),
      rate * secondsIn(overlap(intervalsOf(there), intervalsOf(seen)))
    )
  })

  it.prop("is never less than nothing where all was seen", [Rate, IntervalList, Holdings], ([rate, there, drawn]) => {
    const found = splitOf(rate, intervalsOf(there), [0, 60], holdersOf(drawn))
    for (const amount of found.values()) assert.isAtLeast(amount, 0)
  })

  it("is rounded to the nearest, one owner upon the other", () => {
    const holders = [0, 1, 2].map((owner): Holder<number> => ({ key: `owner-${owner}`, owner, held: [0, 10] }))
    const found = splitOf(1, [0, 10], [0, 10], holders)
    assert.deepStrictEqual([found.get(0), found.get(1), found.get(2)], [3, 4, 3])
  })

  it("comes to whole shares of owners with thousands of holders that have less than one each", () => {
    const holders = Array.from({ length: 10_000 }, (_, place): Holder<number> => {
      return { key: `owner-${place % 2}`, owner: place % 2, held: [0, 3_600] }
    })
    const found = splitOf(1, [0, 3_600], [0, 3_600], holders)
    assert.deepStrictEqual([found.get(0), found.get(1)], [1_800, 1_800])
  })
})

describe("intervals", () => {
  const all = Array.from({ length: 80 }, (_, second) => second)

  it.prop("join and overlap second by second", [IntervalList, IntervalList], ([one, other]) => {
    const [a, b] = [intervalsOf(one), intervalsOf(other)]
    const secondsOf = (intervals: Intervals) => all.filter((second) => has(intervals, second))
    assert.deepStrictEqual(
      secondsOf(a),
      all.filter((second) => one.some(({ from, length }) => from <= second && second < from + length))
    )
    assert.deepStrictEqual(
      secondsOf(overlap(a, b)),
      secondsOf(a).filter((second) => secondsOf(b).includes(second))
    )
    assert.deepStrictEqual(
      secondsOf(union([...a, ...b])),
      all.filter((second) => has(a, second) || has(b, second))
    )
    assert.strictEqual(secondsIn(a), secondsOf(a).length)
    const joined = union([...a, ...b])
    assert.isTrue(joined.every((second, place) => place === 0 || second > (joined[place - 1] ?? 0)))
  })
})
