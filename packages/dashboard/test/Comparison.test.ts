import { assert, describe, it } from "@effect/vitest"
import { isComparable, isSeen } from "../src/cost/Comparison.ts"

const seen = (name: string, hoursCovered: number) => ({
  name,
  hoursCovered,
  hoursInWindow: 100
})

describe("two periods", () => {
  it("are compared where each cluster was seen for as much of both, up to 5 %", () => {
    assert.isTrue(isComparable([seen("a", 100)], [seen("a", 95)]))
    assert.isTrue(isComparable([seen("a", 50)], [seen("a", 55)]))
    assert.isFalse(isComparable([seen("a", 100)], [seen("a", 94)]))
  })

  it("are not compared where a cluster came, or left, between them", () => {
    assert.isFalse(isComparable([seen("a", 100), seen("b", 100)], [seen("a", 100)]))
    assert.isFalse(isComparable([seen("a", 100)], [seen("a", 100), seen("b", 100)]))
    assert.isTrue(isComparable([seen("a", 100), seen("b", 0)], [seen("a", 100)]))
  })

  it("are not compared where nothing was seen of the one before", () => {
    assert.isFalse(isComparable([seen("a", 0)], [seen("a", 0)]))
    assert.isFalse(isComparable([], []))
    assert.isFalse(isSeen([seen("a", 0)]))
  })
})
