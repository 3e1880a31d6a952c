import { assert, describe, it } from "@effect/vitest"
import { Store } from "../../src/core/Store.ts"
import { freeAddress, freeNodePort } from "../../src/writes/ServiceAllocation.ts"

const from = (first: number, last: number) => new Set(Array.from({ length: last - first + 1 }, (_, at) => first + at))

describe("services without a requested address or port", () => {
  const none = new Store(10)

  it("get addresses and node ports of the upper range", () => {
    assert.strictEqual(freeAddress(none), "10.0.1.1")
    assert.strictEqual(freeNodePort(none, new Set()), 30_086)
    assert.strictEqual(freeNodePort(none, from(30_086, 30_100)), 30_101)
  })

  it("get ports of the lower range when the upper range is full", () => {
    assert.strictEqual(freeNodePort(none, from(30_086, 32_767)), 30_000)
    assert.strictEqual(freeNodePort(none, new Set([30_000, ...from(30_086, 32_767)])), 30_001)
  })
})
