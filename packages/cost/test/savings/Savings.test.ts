import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { none, type Recommendation } from "../../src/savings/Recommendation.ts"
import * as Savings from "../../src/savings/Savings.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const Spent = Schema.Struct({
  cpuCostNanos: upTo(Number.MAX_SAFE_INTEGER),
  memoryCostNanos: upTo(Number.MAX_SAFE_INTEGER),
  cpuAllocatedMilliSeconds: upTo(1e13),
  memoryAllocatedKibSeconds: upTo(1e13),
  replicaSeconds: upTo(1e8)
})
const Recommended = Schema.Struct({
  cpuRecommendedMillis: upTo(100_000),
  memoryRecommendedBytes: upTo(1e12),
  recommendationDays: Schema.Literals([0.5, 8])
})

const twoCores: Savings.Spent = {
  cpuCostNanos: 60_000,
  memoryCostNanos: 8_000,
  cpuAllocatedMilliSeconds: 2_000 * 3_600,
  memoryAllocatedKibSeconds: 4 * 1_048_576 * 3_600,
  replicaSeconds: 3_600
}
const recommended = (cpuRecommendedMillis: number, memoryRecommendedBytes: number): Recommendation => ({
  cpuRecommendedMillis,
  memoryRecommendedBytes,
  recommendationDays: 8
})

describe("savings", () => {
  it("are what was allocated beyond the recommendation, at the window's mean price", () => {
    assert.strictEqual(Savings.nanos(twoCores, recommended(500, 1_024 ** 3)), 45_000 + 6_000)
  })

  it("count every replica's recommendation", () => {
    assert.strictEqual(Savings.nanos({ ...twoCores, replicaSeconds: 7_200 }, recommended(500, 2 * 1_024 ** 3)), 30_000)
  })

  it("of one resource are not lessened by what the other lacks", () => {
    assert.strictEqual(Savings.nanos(twoCores, recommended(500, 64 * 1_024 ** 3)), 45_000)
    assert.strictEqual(Savings.nanos(twoCores, recommended(9_000, 1_024 ** 3)), 6_000)
  })

  it("are none without a recommendation", () => {
    assert.strictEqual(Savings.nanos(twoCores, none), 0)
  })

  it("are none where nothing was allocated", () => {
    const idle = { ...twoCores, cpuAllocatedMilliSeconds: 0, memoryAllocatedKibSeconds: 0, replicaSeconds: 0 }
    assert.strictEqual(Savings.nanos(idle, recommended(25, 262_144_000)), 0)
  })

  it("are none of a workload of which no replica ran: its init containers are not what is recommended", () => {
    assert.strictEqual(Savings.nanos({ ...twoCores, replicaSeconds: 0 }, recommended(500, 1_024 ** 3)), 0)
  })

  it.prop("are whole, never below 0 nor above the cost", [Spent, Recommended], ([spent, recommendation]) => {
    const nanos = Savings.nanos(spent, recommendation)
    assert(Number.isInteger(nanos))
    assert.isAtLeast(nanos, 0)
    assert.isAtMost(nanos, spent.cpuCostNanos + spent.memoryCostNanos)
  })

  it.prop("fall as the recommendation rises", [Spent, Recommended, upTo(1_000)], ([spent, recommendation, more]) => {
    const higher = { ...recommendation, cpuRecommendedMillis: recommendation.cpuRecommendedMillis + more }
    assert.isAtMost(Savings.nanos(spent, higher), Savings.nanos(spent, recommendation))
  })

  it.prop("are those of the formula with fractions", [Spent, Recommended], ([spent, recommendation]) => {
    const { cpuAllocatedMilliSeconds: cpu, memoryAllocatedKibSeconds: memory, replicaSeconds } = spent
    const cpuPrice = cpu === 0 ? 0 : spent.cpuCostNanos / cpu
    const memoryPrice = memory === 0 ? 0 : spent.memoryCostNanos / memory
    if (replicaSeconds === 0) return assert.strictEqual(Savings.nanos(spent, recommendation), 0)
    const expected =
      Math.max(0, cpu - recommendation.cpuRecommendedMillis * replicaSeconds) * cpuPrice
      + Math.max(0, memory - (recommendation.memoryRecommendedBytes / 1_024) * replicaSeconds) * memoryPrice
    assert.approximately(Savings.nanos(spent, recommendation), expected, 2 + expected * 1e-12)
  })
})
