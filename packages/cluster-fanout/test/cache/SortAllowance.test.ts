import { assert, describe, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import { SortAllowance } from "../../src/cache/IncrementalSort.ts"

describe("SortAllowance", () => {
  it("allows so many within a turn, and as many in the next", async () => {
    const allowance = new SortAllowance(10)
    for (const _ of [1, 2]) {
      assert.isFalse(allowance.take(11))
      assert.isTrue(allowance.take(0))
      assert.isTrue(allowance.take(6))
      assert.isFalse(allowance.take(5))
      assert.isTrue(allowance.take(4))
      assert.isFalse(allowance.take(1))
      await setImmediate()
    }
  })
})
