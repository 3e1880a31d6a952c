/** What decides whether a goal is met. */
import { assert, describe, it } from "@effect/vitest"
import { type Claim, isMet } from "../../src/claim/Claim.ts"
import * as Difference from "../../src/claim/Difference.ts"

const claimOf = (value: number, peer: number, goal: Claim["goal"]): Claim => ({
  claim: "something",
  ours: { value, unit: "ms" },
  peer: { name: "something else", value: peer, unit: "ms" },
  goal
})

describe("a goal", () => {
  it("is missed by figures that are no numbers", () => {
    for (const goal of [{ _tag: "absolute", atMost: 10 } as const, { _tag: "ratio", atMost: 10 } as const]) {
      assert.isTrue(isMet(claimOf(1, 1, goal)))
      assert.isFalse(isMet(claimOf(Number.NaN, 1, goal)))
    }
    assert.isFalse(isMet(claimOf(1, Number.NaN, { _tag: "ratio", atMost: 10 })))
    assert.isFalse(isMet(claimOf(1, 0, { _tag: "ratio", atMost: 10 })))
  })
})

describe("a goal of at least", () => {
  it("is met by a ratio that reaches it", () => {
    const goal = { _tag: "ratioAtLeast", atLeast: 0.5 } as const
    assert.isTrue(isMet(claimOf(50, 100, goal)))
    assert.isFalse(isMet(claimOf(49, 100, goal)))
    assert.isFalse(isMet(claimOf(Number.NaN, 100, goal)))
    assert.isFalse(isMet(claimOf(50, 0, goal)))
  })
})

describe("a difference", () => {
  it("is relative to what is expected, the largest of all", () => {
    assert.strictEqual(Difference.between({ a: [100, 50] }, { a: [100, 40] }), 0.25)
    assert.strictEqual(Difference.between({ a: ["x", 1, true, undefined] }, { a: ["x", 1, true, undefined] }), 0)
  })

  it.each([
    ["a figure that is no number", { a: Number.NaN }, { a: 1 }],
    ["one that is none on both sides", { a: Number.NaN }, { a: Number.NaN }],
    ["an infinite one", [Infinity], [Infinity]],
    ["something where there should be nothing", [1e-9], [0]],
    ["a null for a number", { a: null }, { a: 1 }],
    ["another text", ["b"], ["a"]],
    ["a field less", { a: 1 }, { a: 1, b: 2 }],
    ["a field more", { a: 1, b: 2 }, { a: 1 }],
    ["another field", { b: 1 }, { a: 1 }],
    ["an item less", [1], [1, 2]],
    ["items in another order", ["a", "b"], ["b", "a"]],
    ["a list for a record", [], {}]
  ])("is infinite for %s", (_, actual, expected) => {
    assert.strictEqual(Difference.between(actual, expected), Number.POSITIVE_INFINITY)
  })
})
