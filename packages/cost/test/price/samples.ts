/** Books, classes and machines to price. */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { RateClass } from "../../src/hour/Hour.ts"
import type { Machine } from "../../src/price/NodePriceSplit.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"

export const prod = ClusterName.make("prod")
export const stage = ClusterName.make("stage")

export const onDemand: RateClass = {
  provider: "aws",
  region: "eu-central-1",
  instanceType: "m7i.large",
  capacity: "onDemand",
  gpuModel: ""
}
export const spot: RateClass = { ...onDemand, capacity: "spot" }
export const bare: RateClass = { ...onDemand, provider: "", region: "", instanceType: "" }

export const machine: Machine = { cores: 2, memoryGib: 8, gpus: 0 }

export const bookOf = (...overrides: ReadonlyArray<PriceOverride>): PriceBook.PriceBook => ({
  ...PriceBook.initial,
  overrides
})

/** An override of CPU, to see which one counts. */
export const cpu = (
  cpuPerCoreHour: number,
  match: Extract<PriceOverride, { resource: "node" }>["match"] = {},
  rest: { readonly validFrom?: string; readonly discountPercent?: number } = {}
): PriceOverride => ({ resource: "node", match, cpuPerCoreHour, ...rest })
