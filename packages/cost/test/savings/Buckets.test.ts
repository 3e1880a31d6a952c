import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { bucketOf, endOf, exponential } from "../../src/savings/Buckets.ts"
import { CPU, MEMORY } from "../../src/savings/ContainerHistory.ts"

const Value = Schema.Union([
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2e12 })),
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_200 })),
  Schema.Finite
])

describe("exponential buckets", () => {
  // kubernetes/autoscaler, pkg/recommender/util/histogram_options_test.go: TestExponentialHistogramOptions.
  it("start where the Vertical Pod Autoscaler's start", () => {
    const buckets = exponential({ firstSize: 40, ratio: 1.5, largest: 500 })
    assert.deepStrictEqual([...buckets.starts], [0, 40, 100, 190, 325, 527.5])
    assert.deepStrictEqual(
      [-1, 0, 39.99, 40, 99.9, 100, 900].map((value) => bucketOf(buckets, value)),
      [0, 0, 0, 1, 1, 2, 5]
    )
  })

  it("are 176 for CPU and for memory, from 10 millicores and 10 MB on", () => {
    assert.strictEqual(CPU.buckets.starts.length, 176)
    assert.strictEqual(MEMORY.buckets.starts.length, 176)
    assert.approximately(CPU.buckets.starts[1] ?? 0, 0.01, 1e-12)
    assert.approximately(CPU.buckets.starts[2] ?? 0, 0.0205, 1e-12)
    assert.isAtLeast(CPU.buckets.starts.at(-1) ?? 0, 1_000)
    assert.approximately(MEMORY.buckets.starts[1] ?? 0, 1e7, 1e-3)
    assert.isAtLeast(MEMORY.buckets.starts.at(-1) ?? 0, 1e12)
  })

  it("hold their own start, and end where the next starts", () => {
    for (const { buckets } of [CPU, MEMORY]) {
      for (const [bucket, start] of buckets.starts.entries()) {
        assert.strictEqual(bucketOf(buckets, start), bucket)
        assert.strictEqual(endOf(buckets, bucket), buckets.starts[bucket + 1] ?? start)
      }
    }
  })

  it.prop("hold each value in the one that starts at or below it", [Value], ([value]) => {
    for (const { buckets } of [CPU, MEMORY]) {
      const bucket = bucketOf(buckets, value)
      const { starts } = buckets
      const expected = Math.max(
        0,
        starts.findLastIndex((start) => start <= value)
      )
      assert.strictEqual(bucket, expected)
      if (bucket > 0 && bucket < starts.length - 1) {
        assert.isAtMost(endOf(buckets, bucket) / (starts[bucket] ?? 0), 2.06)
      }
    }
  })
})
