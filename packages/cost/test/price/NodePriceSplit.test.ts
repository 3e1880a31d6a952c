import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as NodePriceSplit from "../../src/price/NodePriceSplit.ts"
import { PER_CORE_HOUR, PER_GIB_HOUR, costNanos, picosOf } from "../../src/price/Rates.ts"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const Some = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))

/** As price lists reckon a month. */
const HOURS_PER_MONTH = 730

describe("the price of a whole node", () => {
  it.each([
    [
      "as in appendix A of the OpenCost specification: 35 at 30/30/10 is 15/15/5",
      35,
      { cpuPerCoreHour: 30, memoryPerGiBHour: 10, gpuPerHour: 30 },
      { cpuPerCoreHour: 15, memoryPerGiBHour: 5, gpuPerHour: 15 }
    ],
    [
      "by 10 to 1 and 100 to 1 where memory has no base price",
      111,
      { cpuPerCoreHour: 3, memoryPerGiBHour: 0, gpuPerHour: 9 },
      { cpuPerCoreHour: 10, memoryPerGiBHour: 1, gpuPerHour: 100 }
    ]
  ] as const)("is split %s", (_how, price, base, parts) => {
    assert.deepStrictEqual(NodePriceSplit.split(price, { cores: 1, memoryGib: 1, gpus: 1 }, base), parts)
  })

  it("is not split over a machine that has nothing", () => {
    const base = { cpuPerCoreHour: 3, memoryPerGiBHour: 1, gpuPerHour: 9 }
    assert.isUndefined(NodePriceSplit.split(1, { cores: 0, memoryGib: 0, gpus: 0 }, base))
  })

  it.prop(
    "comes together again from its parts, which relate as the base prices",
    [Some, Some, Some, Amount, Some, Some, Some],
    ([price, cores, memoryGib, gpus, cpuPerCoreHour, memoryPerGiBHour, gpuPerHour]) => {
      const base = { cpuPerCoreHour, memoryPerGiBHour, gpuPerHour }
      const parts = NodePriceSplit.split(price, { cores, memoryGib, gpus }, base)
      assert.isDefined(parts)
      if (parts === undefined) return
      const whole = parts.cpuPerCoreHour * cores + parts.memoryPerGiBHour * memoryGib + parts.gpuPerHour * gpus
      assert.approximately(whole, price, price * 1e-12)
      const ratio = parts.cpuPerCoreHour * memoryPerGiBHour
      assert.approximately(ratio, parts.memoryPerGiBHour * cpuPerCoreHour, ratio * 1e-12)
    }
  )
})

describe("monthly prices, as OpenCost's TestAssetCustompricing has them", () => {
  const KIB_OF_ONE_GIB_FOR_AN_HOUR = 1_048_576 * 3_600
  const cost = (quantity: number, perMonth: number, per: number) =>
    costNanos(quantity, picosOf(perMonth / HOURS_PER_MONTH), per) / 1e9

  it("make 0.027397 for a core and hour, 0.005479 for a GiB of memory, 1.369864 for two GPUs, 0.000137 for a GiB of disk", () => {
    assert.approximately(cost(3_600_000, 20, PER_CORE_HOUR), 0.027397, 1e-6)
    assert.approximately(cost(KIB_OF_ONE_GIB_FOR_AN_HOUR, 4, PER_GIB_HOUR), 5.102716386318207e-12 * 1024 ** 3, 1e-6)
    assert.approximately(cost(2 * 3_600_000, 500, PER_CORE_HOUR), 1.369864, 1e-6)
    assert.approximately(cost(KIB_OF_ONE_GIB_FOR_AN_HOUR, 0.1, PER_GIB_HOUR), 0.000137, 1e-6)
  })
})
