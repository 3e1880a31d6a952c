import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Savings from "../../src/savings/Savings.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const Spent = Schema.Struct({
  costNanos: upTo(Number.MAX_SAFE_INTEGER),
  requested: upTo(1e13),
  beyond: upTo(1e13)
})
const spentOf = ({ beyond, costNanos, requested }: typeof Spent.Type): Savings.Spent => ({
  costNanos,
  requested,
  allocated: requested + beyond
})

const twoCores: Savings.Spent = { costNanos: 60_000, allocated: 7_200_000, requested: 7_200_000 }
/** Half a core for an hour. */
const HALF = 1_800_000

describe("savings", () => {
  it("are the requested hours beyond the recommendation, at the window's mean price", () => {
    assert.strictEqual(Savings.ofResource(twoCores, HALF), 45_000)
    assert.strictEqual(Savings.ofResource(twoCores, 2 * HALF), 30_000)
  })

  it("are none of usage above the request, which a smaller request does not save", () => {
    assert.strictEqual(Savings.ofResource({ ...twoCores, requested: HALF }, HALF), 0)
    assert.strictEqual(Savings.ofResource({ ...twoCores, requested: 2 * HALF }, HALF), 15_000)
  })

  it("are negative where the recommendation is above the request", () => {
    assert.strictEqual(Savings.ofResource(twoCores, 6 * HALF), -30_000)
  })

  it("are none where nothing was allocated or paid", () => {
    assert.strictEqual(Savings.ofResource({ costNanos: 0, allocated: 0, requested: 0 }, HALF), 0)
    assert.strictEqual(Savings.ofResource({ ...twoCores, costNanos: 0 }, HALF), 0)
  })

  it.prop("are whole and never above the cost", [Spent, upTo(1e13)], ([spent, recommended]) => {
    const nanos = Savings.ofResource(spentOf(spent), recommended)
    assert(Number.isInteger(nanos))
    assert.isAtMost(nanos, spent.costNanos)
  })

  it.prop("fall as the recommendation rises", [Spent, upTo(1e13), upTo(1e6)], ([spent, recommended, more]) => {
    const one = spentOf(spent)
    assert.isAtMost(Savings.ofResource(one, recommended + more), Savings.ofResource(one, recommended))
  })

  it.prop(
    "are never below what the same usage would have cost less, and equal to it where it stays at or under the recommendation",
    [Schema.Array(upTo(4_000)), upTo(4_000), upTo(4_000)],
    ([used, requested, recommended]) => {
      const price = 1_000
      const allocatedAt = (request: number) => used.reduce((sum, usage) => sum + Math.max(request, usage), 0)
      const allocated = allocatedAt(requested)
      const spent = { costNanos: allocated * price, allocated, requested: requested * used.length }
      const claimed = Math.max(0, Savings.ofResource(spent, recommended * used.length))
      const saved = (allocated - allocatedAt(recommended)) * price
      assert.isAtLeast(claimed + 1, saved)
      if (recommended <= requested && used.every((usage) => usage <= recommended)) {
        assert.approximately(claimed, saved, 1)
      }
    }
  )
})
