/**
 * Profiles of MIG: what of a GPU an instance has, and how many of it there is room for on one.
 *
 * **Source** NVIDIA, MIG User Guide, "Supported GPUs" (memory, most instances) and "Supported MIG Profiles" (fractions of
 * memory and of multiprocessors, number of instances available).
 */

/** What one instance of a profile takes of a GPU. **Units** `compute` and `memory` are fractions of the GPU. */
export interface MigProfile {
  /** The part of its compute slices. */
  readonly compute: number
  /** The part of its memory slices. */
  readonly memory: number
  /** How many of it there is room for on a GPU. */
  readonly perGpu: number
}

/** How a GPU may be cut. **Shape** `memoryGb` is absent where nobody knows. */
interface Cut {
  readonly slices: number
  readonly memoryGb?: number
}

/** GPUs of seven compute slices have eight of memory; those of fewer have as many of each. */
const SEVEN = 7
const MEMORY_OF_SEVEN = 8

/**
 * GPUs whose product name does not say how much memory may be cut, and those that do not have seven slices; the first that
 * matches counts.
 */
const PRODUCTS: ReadonlyArray<readonly [product: RegExp, cut: Cut]> = [
  [/\bA30\b/, { slices: 4, memoryGb: 24 }],
  [/RTX-PRO-6000/i, { slices: 4, memoryGb: 96 }],
  [/RTX-PRO-5000/i, { slices: 2, memoryGb: 48 }],
  [/RTX-PRO-4500/i, { slices: 2, memoryGb: 32 }],
  [/\bGH200-144G/, { slices: SEVEN, memoryGb: 144 }],
  // The number in its name is that of the processor's memory.
  [/\bGH200\b/, { slices: SEVEN, memoryGb: 96 }],
  [/\bH100-NVL\b/, { slices: SEVEN, memoryGb: 94 }],
  [/\bH200\b|\bH20-3e\b/, { slices: SEVEN, memoryGb: 141 }],
  [/\bH20\b/, { slices: SEVEN, memoryGb: 96 }],
  [/\bGB200\b/, { slices: SEVEN, memoryGb: 186 }],
  [/\bB200\b/, { slices: SEVEN, memoryGb: 180 }]
]

/** `A100-SXM4-40GB`, `H100-80GB-HBM3`. */
const MEMORY = /\b(\d+)GB\b/
/** Other H100 and H800 have this much. */
const HOPPER = /\bH[18]00\b/
const HOPPER_GB = 80

/** Profiles that no GPU of seven slices has, where the product is not known. */
const OF_FOUR = new Set(["1g.6gb", "2g.12gb", "4g.24gb", "2g.48gb", "4g.96gb"])
/** Profiles of one compute slice that have two of memory on every GPU of seven that has them. */
const OF_TWO_MEMORY_SLICES = new Set([20, 24, 36, 45, 47])

const cutOf = (product: string, profile: string, isGraphics: boolean): Cut => {
  const known = PRODUCTS.find(([pattern]) => pattern.test(product))
  if (known !== undefined) return known[1]
  const [, memory] = MEMORY.exec(product) ?? []
  if (memory !== undefined) return { slices: SEVEN, memoryGb: Number(memory) }
  if (HOPPER.test(product)) return { slices: SEVEN, memoryGb: HOPPER_GB }
  // Only GPUs of four slices cut graphics as well.
  return { slices: isGraphics || OF_FOUR.has(profile) ? 4 : SEVEN }
}

/**
 * Counts the slices of memory that go with compute slices.
 *
 * As many as the memory needs where that of the GPU is known: `1g.10gb` has one of an 80 GB GPU and two of a 40 GB
 * one. Else 1, 2, 4, 4 and 8 for 1, 2, 3, 4 and 7, as all others have.
 */
const memorySlices = (compute: number, memoryGb: number, { memoryGb: whole, slices }: Cut): number => {
  if (slices !== SEVEN) return compute
  if (whole !== undefined && memoryGb <= whole) {
    return Math.max(1, Math.round((memoryGb * MEMORY_OF_SEVEN) / whole))
  }
  if (compute === 1) return OF_TWO_MEMORY_SLICES.has(memoryGb) ? 2 : 1
  return Math.min(MEMORY_OF_SEVEN, 2 ** Math.ceil(Math.log2(compute)))
}

/**
 * `3g.20gb` has three compute slices; `1c.3g.20gb` has one of them, the others go to other containers. `+me` (all of them:
 * `+me.all`) has the media engines, `-me` none, `+gfx` can do graphics; resources and labels write a dot for the plus.
 */
const PROFILE = /^(?:(\d+)c\.)?((\d+)g\.(\d+)gb)((?:[.+-](?:me|all|gfx))*)/

/**
 * Reads a profile of a product.
 *
 * **Shape** `undefined` for a text that is none; an unknown product, such as none, is one of seven slices unless only those of
 * four have such a profile. **Example** `1g.20gb` of `NVIDIA-H100-80GB-HBM3` is a seventh, four of which have room on a GPU.
 */
export const parse = (text: string, product: string): MigProfile | undefined => {
  const found = PROFILE.exec(text)
  if (found === null) return undefined
  const [, part, name = "", slices, memoryGb, attributes = ""] = found
  const cut = cutOf(product, name, /[.+]gfx/.test(attributes))
  const taken = Math.min(cut.slices, Number(slices))
  if (taken === 0) return undefined
  const compute = Math.min(taken, Number(part ?? taken))
  const ofMemory = memorySlices(taken, Number(memoryGb), cut)
  const memory = cut.slices === SEVEN ? MEMORY_OF_SEVEN : cut.slices
  // Media engines belong to one instance of a GPU.
  const instances = /[.+]me/.test(attributes)
    ? 1
    : Math.min(Math.floor(cut.slices / taken), Math.floor(memory / ofMemory))
  return {
    compute: compute / cut.slices,
    memory: (ofMemory / memory) * (compute / taken),
    perGpu: instances * (part === undefined ? 1 : taken)
  }
}
