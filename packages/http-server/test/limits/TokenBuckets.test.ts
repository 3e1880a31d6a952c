import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { TokenBuckets } from "../../src/limits/TokenBuckets.ts"

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))
const Step = Schema.Struct({
  name: Schema.Literals(["a", "b", "c"]),
  cost: small(4),
  afterMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 }))
})

describe("token buckets", () => {
  it("let a burst through at once, then as many as flow in", () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 50 }, 10)
    const taken = (nowMs: number) => buckets.take("a", 1, nowMs).isAllowed
    assert.deepStrictEqual(Array.from({ length: 51 }, () => taken(0)).filter(Boolean).length, 50)
    assert.deepStrictEqual(
      [99, 100, 100, 200].map((at) => taken(at)),
      [false, true, false, true]
    )
  })

  it("say what is left, and when there is more", () => {
    const buckets = new TokenBuckets({ perSecond: 50, burst: 100 }, 10)
    assert.deepStrictEqual(buckets.take("a", 30, 0), { isAllowed: true, remaining: 70, fullInMs: 600, retryInMs: 0 })
    assert.deepStrictEqual(buckets.take("a", 80, 0), { isAllowed: false, remaining: 70, fullInMs: 600, retryInMs: 200 })
    assert.isTrue(buckets.take("a", 80, 200).isAllowed)
    assert.strictEqual(buckets.take("b", 1, 200).remaining, 99)
  })

  it("fill nothing when the clock is set back", () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 }, 10)
    assert.isTrue(buckets.take("a", 1, 5_000).isAllowed)
    assert.isFalse(buckets.take("a", 1, 1_000).isAllowed)
    assert.isTrue(buckets.take("a", 1, 2_000).isAllowed)
  })

  it("forget the full ones for newcomers, and give no fresh buckets to who fills the table", () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 2 }, 100)
    let allowed = 0
    for (let address = 0; address < 10_000; address++) {
      for (let guess = 0; guess < 3; guess++) if (buckets.take(String(address), 1, 0).isAllowed) allowed++
    }
    assert.strictEqual(buckets.size, 100)
    assert.strictEqual(allowed, 101 * 2)
    assert.isTrue(buckets.take("later", 2, 2_000).isAllowed)
    assert.strictEqual(buckets.size, 100)
  })

  it.prop(
    "never let more through than burst and flow, refuse none that fits, and keep what they promise",
    [Schema.Array(Step), small(20), small(20)],
    ([steps, perSecond, burst]) => {
      const buckets = new TokenBuckets({ perSecond, burst }, 3)
      const spent = new Map<string, number>()
      let nowMs = 0
      for (const { afterMs, cost, name } of steps) {
        nowMs += afterMs
        const { fullInMs, isAllowed, remaining, retryInMs } = buckets.take(name, cost, nowMs)
        const before = spent.get(name) ?? 0
        const ever = burst + (perSecond * nowMs) / 1_000
        if (isAllowed) spent.set(name, before + cost)
        assert.isAtMost(spent.get(name) ?? 0, ever + 1e-6)
        assert.isTrue(remaining >= 0 && remaining <= burst)
        assert.isAtMost(fullInMs, Math.ceil((burst * 1_000) / perSecond))
        if (isAllowed || cost > burst) continue
        assert.isBelow(remaining, cost)
        // A twin that waits as long as it is told.
        const twin = new TokenBuckets({ perSecond, burst: cost }, 1)
        assert.isTrue(twin.take(name, cost, 0).isAllowed)
        const { retryInMs: wait } = twin.take(name, cost, 0)
        assert.isFalse(twin.take(name, cost, wait - 1).isAllowed)
        assert.isTrue(twin.take(name, cost, wait).isAllowed)
        assert.isAtLeast(retryInMs, 1)
      }
      assert.isAtMost(buckets.size, 3)
    }
  )

  it("refuse a name without room as `take` does, and admit it again once a bucket is full", () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 2 }, 1)
    assert.isTrue(buckets.take("a", 2, 0).isAllowed)
    assert.isFalse(buckets.refuses("b", 2, 0))
    assert.isTrue(buckets.take("b", 2, 0).isAllowed)
    assert.isTrue(buckets.refuses("c", 1, 0))
    assert.isFalse(buckets.take("c", 1, 0).isAllowed)
    assert.isFalse(buckets.refuses("c", 2, 2_000))
    assert.isTrue(buckets.take("c", 2, 2_000).isAllowed)
  })

  it.prop(
    "know what they would refuse, and take nothing for that",
    [Schema.Array(Step), small(20), small(20), small(3)],
    ([steps, perSecond, burst, capacity]) => {
      const rate = { perSecond, burst }
      const [asked, plain] = [new TokenBuckets(rate, capacity), new TokenBuckets(rate, capacity)]
      let nowMs = 0
      for (const { afterMs, cost, name } of steps) {
        nowMs += afterMs
        const isRefused = asked.refuses(name, cost, nowMs)
        const verdict = asked.take(name, cost, nowMs)
        assert.deepStrictEqual(verdict, plain.take(name, cost, nowMs))
        assert.strictEqual(isRefused, !verdict.isAllowed)
      }
      assert.strictEqual(asked.size, plain.size)
    }
  )
})
