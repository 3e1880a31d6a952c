import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Rates from "../../src/price/Rates.ts"

const Quantity = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000_000_000, maximum: 1_000_000_000_000 }))
const Picos = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000_000_000 }))
const Ms = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600_000 }))
const ratesOf = (picos: number) => Rates.make(() => picos)

describe("the cost of a quantity", () => {
  it("is exact: a core for an hour at 0.031611 is 31,611,000 billionths", () => {
    assert.strictEqual(Rates.costNanos(3_600_000, Rates.picosOf(0.031611), Rates.PER_CORE_HOUR), 31_611_000)
    assert.strictEqual(Rates.costNanos(1_048_576 * 3_600, Rates.picosOf(0.00005479452), Rates.PER_GIB_HOUR), 54_795)
    assert.strictEqual(Rates.costNanos(1_048_576, Rates.picosOf(0.143), Rates.PER_GIB), 143_000_000)
    assert.strictEqual(Rates.costNanos(3_600, Rates.picosOf(0.1), Rates.PER_HOUR), 100_000_000)
  })

  it.prop(
    "is within half a billionth of the true one, and the negative of what the negative costs",
    [Quantity, Picos],
    ([quantity, picos]) => {
      const nanos = Rates.costNanos(quantity, picos, Rates.PER_CORE_HOUR)
      assert.strictEqual(Rates.costNanos(-quantity, picos, Rates.PER_CORE_HOUR) + nanos, 0)
      const divisor = BigInt(Rates.PER_CORE_HOUR) * 1_000n
      const off = 2n * (BigInt(quantity) * BigInt(picos) - BigInt(nanos) * divisor)
      assert.isTrue(off <= divisor && -off <= divisor)
    }
  )

  it("is rounded away from zero at a half, however large", () => {
    const many = 2 ** 40 + 1
    assert.strictEqual(Rates.costNanos(many, 1_500, 1), (3 * many + 1) / 2)
    assert.strictEqual(Rates.costNanos(-many, 1_500, 1), -(3 * many + 1) / 2)
    assert.strictEqual(Rates.costNanos(1, 499, 1), 0)
    assert.strictEqual(Rates.costNanos(1, 500, 1), 1)
  })
})

describe("the mean of rates", () => {
  it("is the only one there is", () => {
    assert.deepStrictEqual(Rates.mean([{ rates: ratesOf(7), ms: 3 }]), ratesOf(7))
  })

  it("weighs each by how long it held", () => {
    const parts = [
      { rates: ratesOf(1_000), ms: 900_000 },
      { rates: ratesOf(2_000), ms: 2_700_000 }
    ]
    assert.deepStrictEqual(Rates.mean(parts), ratesOf(1_750))
  })

  it.prop("lies between them, whatever their order", [Picos, Picos, Ms, Ms], ([one, other, oneMs, otherMs]) => {
    const parts = [
      { rates: ratesOf(one), ms: oneMs },
      { rates: ratesOf(other), ms: otherMs }
    ]
    const { cpuPicosPerCoreHour } = Rates.mean(parts)
    assert.isTrue(Math.min(one, other) <= cpuPicosPerCoreHour && cpuPicosPerCoreHour <= Math.max(one, other))
    assert.deepStrictEqual(Rates.mean(parts.toReversed()), Rates.mean(parts))
  })
})
