import { assert, describe, it } from "@effect/vitest"
import { Store } from "../../src/core/Store.ts"
import { freeAddress, freeNodePort } from "../../src/writes/ServiceAllocation.ts"

const from = (first: number, last: number) => new Set(Array.from({ length: last - first + 1 }, (_, at) => first + at))

describe("services that do not ask", () => {
  const none = new Store(10)

  it("begin above the addresses and node ports left to those who do", () => {
    assert.strictEqual(freeAddress(none), "10.0.1.1")
    assert.strictEqual(freeNodePort(none, new Set()), 30_086)
    assert.strictEqual(freeNodePort(none, from(30_086, 30_100)), 30_101)
  })

  it("get of the lower ports once the upper ones are all taken", () => {
    assert.strictEqual(freeNodePort(none, from(30_086, 32_767)), 30_000)
    assert.strictEqual(freeNodePort(none, new Set([30_000, ...from(30_086, 32_767)])), 30_001)
  })
})
