/**
 * Splits the price of a whole node into prices per core, GiB and GPU.
 */

/** Capacity of a node. **Units** cores, GiB of memory, GPUs; fractions are allowed. */
export interface Machine {
  readonly cores: number
  readonly memoryGib: number
  readonly gpus: number
}

/** Prices per core-hour, GiB-hour and GPU-hour. */
export interface UnitPrices {
  readonly cpuPerCoreHour: number
  readonly memoryPerGiBHour: number
  readonly gpuPerHour: number
}

/** Price of a core and of a GPU as a multiple of the price of a GiB, if the base prices have no memory price. */
const CORE_PER_GIB = 10
const GPU_PER_GIB = 100

/**
 * Splits a node's price so that its parts add up to it, in the ratios of the base prices.
 *
 * Let r = core / GiB and g = GPU / GiB in base prices. A GiB costs price / (GPUs x g + cores x r + GiB). A core costs r times
 * that, a GPU g times. Without a base price for memory, r is 10 and g is 100. `undefined` for a node without capacity.
 *
 * **Source** OpenCost `GetNodeCost` (`pkg/costmodel/costmodel.go`) and its specification, appendix A.
 *
 * **Example**
 *
 * ```ts
 * split(35, { cores: 1, memoryGib: 1, gpus: 1 }, { cpuPerCoreHour: 30, memoryPerGiBHour: 10, gpuPerHour: 30 })
 * // { cpuPerCoreHour: 15, memoryPerGiBHour: 5, gpuPerHour: 15 }
 * ```
 */
export const split = (pricePerHour: number, machine: Machine, base: UnitPrices): UnitPrices | undefined => {
  const coreRatio = ratio(base.cpuPerCoreHour, base.memoryPerGiBHour, CORE_PER_GIB)
  const gpuRatio = ratio(base.gpuPerHour, base.memoryPerGiBHour, GPU_PER_GIB)
  const parts = machine.gpus * gpuRatio + machine.cores * coreRatio + machine.memoryGib
  if (!(parts > 0)) return undefined
  const memoryPerGiBHour = pricePerHour / parts
  return {
    cpuPerCoreHour: memoryPerGiBHour * coreRatio,
    memoryPerGiBHour,
    gpuPerHour: memoryPerGiBHour * gpuRatio
  }
}

const ratio = (price: number, memoryPrice: number, otherwise: number): number =>
  memoryPrice > 0 ? price / memoryPrice : otherwise
