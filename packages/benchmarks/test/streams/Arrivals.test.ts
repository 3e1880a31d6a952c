/** How the delays of streams are counted. */
import { assert, describe, it } from "@effect/vitest"
import { Arrivals } from "../../src/streams/Arrivals.ts"

describe("delays of a reader", () => {
  it("counts each change from its own write on, also those that were told as one", () => {
    const arrivals = new Arrivals()
    arrivals.note("a/b/c", 140, 300)
    assert.deepStrictEqual(
      [100, 120, 140].map((written) => arrivals.delayOf("a/b/c", written)),
      [200, 180, 160]
    )
  })

  it("counts until the first telling that shows the change, and not until an older one", () => {
    const arrivals = new Arrivals()
    arrivals.note("a/b/c", 100, 110)
    arrivals.note("a/b/c", 200, 260)
    arrivals.note("a/b/c", 300, 310)
    assert.strictEqual(arrivals.delayOf("a/b/c", 150), 110)
  })

  it("counts a row that is gone as one that shows every change of it", () => {
    const arrivals = new Arrivals()
    arrivals.note("a/b/c", Number.POSITIVE_INFINITY, 260)
    assert.strictEqual(arrivals.delayOf("a/b/c", 150), 110)
  })

  it("knows what was never told: another row, a later write, what was told before it began", () => {
    const arrivals = new Arrivals()
    arrivals.note("a/b/c", 100, 110)
    assert.isUndefined(arrivals.delayOf("a/b/d", 100))
    assert.isUndefined(arrivals.delayOf("a/b/c", 101))
    arrivals.clear()
    assert.isUndefined(arrivals.delayOf("a/b/c", 100))
  })
})
