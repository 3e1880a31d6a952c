/**
 * Extended resources that count as GPUs by configuration, and detection of accelerators without a price.
 */
import { Context } from "effect"
import { type Fields, list } from "./Field.ts"
import * as PodResources from "./PodResources.ts"

/**
 * Names of extended resources whose devices count as whole GPUs, in addition to those of NVIDIA, AMD and Intel.
 *
 * **Example** `google.com/tpu`, `aws.amazon.com/neuron`, `habana.ai/gaudi`.
 */
export const Accelerators = Context.Reference<ReadonlyArray<string>>(
  "@quarterdeck/cluster-fanout/projection/Accelerators",
  { defaultValue: () => [] }
)

/**
 * Beginnings of words that identify accelerators in the part of a name after the domain. Names of other extended
 * resources, such as network devices, contain no such word.
 */
const WORDS = /(?:^|[^a-z])(?:v?gpu|tpu|v?npu|xpu|vcuda|neuron|gaudi|ascend|mlu|gcu|dcu|qaic?|fpga)/i

/** Maximum number of uncharged accelerators that are listed for a node. */
const MAX_NAMES = 8
const MAX_NAME_LENGTH = 317

const domainOf = (name: string): string => name.slice(0, name.indexOf("/"))
const isNamedLikeAccelerator = (name: string): boolean => WORDS.test(name.slice(name.indexOf("/") + 1))

/**
 * Returns the accelerators among a node's resources that are not charged.
 *
 * **Shape** `undefined` if there are none. If one resource of a domain is charged, the others of that domain do not
 * count. They are parts or features of the same devices, such as `gpu.intel.com/tiles`.
 *
 * **Limits** {@link MAX_NAMES} names.
 */
export const uncharged = (
  amounts: Fields,
  accelerators: ReadonlyArray<string> = []
): ReadonlyArray<string> | undefined => {
  const names = Object.keys(amounts).filter((name) => name.includes("/") && name.length <= MAX_NAME_LENGTH)
  const isCharged = (name: string): boolean => PodResources.isGpu(name) || accelerators.includes(name)
  const charged = new Set(names.filter(isCharged).map(domainOf))
  const found = names.filter(
    (name) => isNamedLikeAccelerator(name) && !charged.has(domainOf(name)) && PodResources.amountOf(amounts[name]) > 0
  )
  return found.length === 0 ? undefined : found.toSorted().slice(0, MAX_NAMES)
}

/** Returns whether a pod uses devices through ResourceClaims. **Source** Kubernetes, "Dynamic Resource Allocation". */
export const hasResourceClaims = (spec: Fields): boolean => list(spec["resourceClaims"]).length > 0
