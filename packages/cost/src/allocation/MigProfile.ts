/**
 * MIG profiles: the share of a GPU that an instance takes, and how many instances fit on one GPU.
 *
 * **Source** NVIDIA, MIG User Guide, "Supported GPUs" (memory, maximum instances) and "Supported MIG Profiles" (fractions of
 * memory and of multiprocessors, number of instances available).
 */

/** The share of a GPU that one instance of a profile takes. **Units** `compute` and `memory` are fractions of the GPU. */
export interface MigProfile {
  /** Share of the compute slices. */
  readonly compute: number
  /** Share of the memory slices. */
  readonly memory: number
  /** Maximum number of instances on one GPU. */
  readonly perGpu: number
}

/** The partitioning of a GPU. **Shape** `memoryGb` is absent if unknown. */
interface Partitioning {
  readonly slices: number
  readonly memoryGb?: number
}

/**
 * Number of compute slices of the GPUs that have eight memory slices. Other GPUs have as many memory slices as compute
 * slices.
 */
const SEVEN = 7
const MEMORY_OF_SEVEN = 8

/**
 * GPUs whose product name lacks or misstates the memory, and GPUs without seven slices. The first match applies.
 */
const PRODUCTS: ReadonlyArray<readonly [product: RegExp, partitioning: Partitioning]> = [
  [/\bA30\b/, { slices: 4, memoryGb: 24 }],
  [/RTX-PRO-6000/i, { slices: 4, memoryGb: 96 }],
  [/RTX-PRO-5000/i, { slices: 2, memoryGb: 48 }],
  [/RTX-PRO-4500/i, { slices: 2, memoryGb: 32 }],
  [/\bGH200-144G/, { slices: SEVEN, memoryGb: 144 }],
  // The number in this product name is the CPU's memory.
  [/\bGH200\b/, { slices: SEVEN, memoryGb: 96 }],
  [/\bH100-NVL\b/, { slices: SEVEN, memoryGb: 94 }],
  [/\bH200\b|\bH20-3e\b/, { slices: SEVEN, memoryGb: 141 }],
  [/\bH20\b/, { slices: SEVEN, memoryGb: 96 }],
  [/\bGB200\b/, { slices: SEVEN, memoryGb: 186 }],
  [/\bB200\b/, { slices: SEVEN, memoryGb: 180 }]
]

/** Memory in a product name such as `A100-SXM4-40GB` or `H100-80GB-HBM3`. */
const MEMORY = /\b(\d+)GB\b/
/** H100 and H800 without memory in the product name have 80 GB. */
const HOPPER = /\bH[18]00\b/
const HOPPER_GB = 80

/** Profiles that exist only on GPUs of four slices. Used if the product is unknown. */
const OF_FOUR = new Set(["1g.6gb", "2g.12gb", "4g.24gb", "2g.48gb", "4g.96gb"])
/** Memory of the profiles that combine one compute slice with two memory slices, on GPUs of seven compute slices. */
const OF_TWO_MEMORY_SLICES = new Set([20, 24, 36, 45, 47])

const partitioningOf = (product: string, profile: string, isGraphics: boolean): Partitioning => {
  const known = PRODUCTS.find(([pattern]) => pattern.test(product))
  if (known !== undefined) return known[1]
  const [, memory] = MEMORY.exec(product) ?? []
  if (memory !== undefined) return { slices: SEVEN, memoryGb: Number(memory) }
  if (HOPPER.test(product)) return { slices: SEVEN, memoryGb: HOPPER_GB }
  // Only GPUs of four slices have profiles with graphics.
  return { slices: isGraphics || OF_FOUR.has(profile) ? 4 : SEVEN }
}

/**
 * Returns the number of memory slices of a profile.
 *
 * If the GPU's memory is known, the number follows from it: `1g.10gb` takes one slice of an 80 GB GPU and two of a 40 GB GPU.
 * Otherwise 1, 2, 3, 4 and 7 compute slices come with 1, 2, 4, 4 and 8 memory slices.
 */
const memorySlices = (compute: number, memoryGb: number, { memoryGb: whole, slices }: Partitioning): number => {
  if (slices !== SEVEN) return compute
  if (whole !== undefined && memoryGb <= whole) {
    return Math.max(1, Math.round((memoryGb * MEMORY_OF_SEVEN) / whole))
  }
  if (compute === 1) return OF_TWO_MEMORY_SLICES.has(memoryGb) ? 2 : 1
  return Math.min(MEMORY_OF_SEVEN, 2 ** Math.ceil(Math.log2(compute)))
}

/**
 * `3g.20gb` has three compute slices. `1c.3g.20gb` is a compute instance with one of them. `+me` and `+me.all` include media
 * engines, `-me` excludes them, `+gfx` adds graphics. Resources and labels write a dot instead of the plus.
 */
const PROFILE = /^(?:(\d+)c\.)?((\d+)g\.(\d+)gb)((?:[.+-](?:me|all|gfx))*)/

/**
 * Parses a profile of a product.
 *
 * **Shape** `undefined` for invalid text. An unknown or empty product counts as a GPU of seven slices, unless the profile
 * exists only on GPUs of four. **Example** `1g.20gb` of `NVIDIA-H100-80GB-HBM3` is a seventh of the compute, and four fit on a
 * GPU.
 */
export const parse = (text: string, product: string): MigProfile | undefined => {
  const found = PROFILE.exec(text)
  if (found === null) return undefined
  const [, part, name = "", slices, memoryGb, attributes = ""] = found
  const partitioning = partitioningOf(product, name, /[.+]gfx/.test(attributes))
  const taken = Math.min(partitioning.slices, Number(slices))
  if (taken === 0) return undefined
  const compute = Math.min(taken, Number(part ?? taken))
  const ofMemory = memorySlices(taken, Number(memoryGb), partitioning)
  const memory = partitioning.slices === SEVEN ? MEMORY_OF_SEVEN : partitioning.slices
  // The media engines can belong to only one instance of a GPU.
  const instances = /[.+]me/.test(attributes)
    ? 1
    : Math.min(Math.floor(partitioning.slices / taken), Math.floor(memory / ofMemory))
  return {
    compute: compute / partitioning.slices,
    memory: (ofMemory / memory) * (compute / taken),
    perGpu: instances * (part === undefined ? 1 : taken)
  }
}
