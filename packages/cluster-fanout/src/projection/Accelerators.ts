/**
 * Extended resources that count as GPUs by a setting, and accelerators that are not charged.
 */
import { Context } from "effect"
import { type Fields, list } from "./Field.ts"
import * as PodResources from "./PodResources.ts"

/**
 * The names of extended resources whose devices count as whole GPUs, beside those of NVIDIA, AMD and Intel.
 *
 * **Example** `google.com/tpu`, `aws.amazon.com/neuron`, `habana.ai/gaudi`.
 */
export const Accelerators = Context.Reference<ReadonlyArray<string>>(
  "@quarterdeck/cluster-fanout/projection/Accelerators",
  { defaultValue: () => [] }
)

/**
 * Beginnings of words in the names of accelerators, behind the domain. Other extended resources, such as network devices, have
 * none of them.
 */
const WORDS = /(?:^|[^a-z])(?:v?gpu|tpu|v?npu|xpu|vcuda|neuron|gaudi|ascend|mlu|gcu|dcu|qaic?|fpga)/i

/** Names of uncharged accelerators that are kept of one node. */
const MAX_NAMES = 8
const MAX_NAME_LENGTH = 317

const domainOf = (name: string): string => name.slice(0, name.indexOf("/"))
const isNamedLikeOne = (name: string): boolean => WORDS.test(name.slice(name.indexOf("/") + 1))

/**
 * Names the accelerators among a node's resources that are not charged.
 *
 * **Shape** `undefined` where there are none. A domain of which one resource is charged has no uncharged ones: the others
 * are parts or features of the same devices, such as `gpu.intel.com/tiles`.
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
    (name) => isNamedLikeOne(name) && !charged.has(domainOf(name)) && PodResources.amountOf(amounts[name]) > 0
  )
  return found.length === 0 ? undefined : found.toSorted().slice(0, MAX_NAMES)
}

/** Whether a pod gets devices by ResourceClaims. **Source** Kubernetes, "Dynamic Resource Allocation". */
export const hasResourceClaims = (spec: Fields): boolean => list(spec["resourceClaims"]).length > 0
