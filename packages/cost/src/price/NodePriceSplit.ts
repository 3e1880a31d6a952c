/**
 * What a core, a GiB and a GPU of a node cost, where only the price of the whole node is known.
 */

/** What a node has. **Units** cores, GiB of memory, GPUs; parts of one are allowed. */
export interface Machine {
  readonly cores: number
  readonly memoryGib: number
  readonly gpus: number
}

/** What its parts cost. **Units** per core, GiB or GPU and hour. */
export interface UnitPrices {
  readonly cpuPerCoreHour: number
  readonly memoryPerGiBHour: number
  readonly gpuPerHour: number
}

/** How many times the price of a GiB a core or a GPU costs, where the base prices do not tell. */
const CORE_PER_GIB = 10
const GPU_PER_GIB = 100

/**
 * Splits the price of a node so that its parts cost together what it costs, and relate as the base prices do.
 *
 * With the ratios r = core / GiB and g = GPU / GiB of the base prices, a GiB costs
 * price / (GPUs x g + cores x r + GiB), a core r and a GPU g times that; where a base price for memory is missing, r is
 * 10 and g 100. `undefined` for a machine that has nothing.
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
