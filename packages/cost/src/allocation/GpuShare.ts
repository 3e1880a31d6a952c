/**
 * Converts MIG slices and time-shared GPUs to fractions of a GPU.
 *
 * **Source** NVIDIA, MIG User Guide, "Supported GPUs" and "Supported MIG Profiles"; k8s-device-plugin, "Shared access to
 * GPUs" and "MIG strategies"; GPU feature discovery, "Generated labels".
 */
import type { ContainerFacts, NodeFacts } from "./HourFacts.ts"
import * as MigProfile from "./MigProfile.ts"

type Labels = Readonly<Record<string, string>>

const GPU = "nvidia.com/gpu"
const MIG = "nvidia.com/mig-"
const COUNT = "nvidia.com/gpu.count"
const PRODUCT = "nvidia.com/gpu.product"
const REPLICAS = ".replicas"
const SHARED = ".shared"

/** Node labels with the number of GPUs and of time-sharing replicas. */
export const GPU_LABELS: ReadonlyArray<string> = [COUNT, `${GPU}${REPLICAS}`]

/** Returns the number in a label if it is a positive integer. */
const countOf = (labels: Labels, name: string): number | undefined => {
  const count = Object.hasOwn(labels, name) ? Number(labels[name]) : Number.NaN
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

const productOf = (labels: Labels): string => (Object.hasOwn(labels, PRODUCT) ? (labels[PRODUCT] ?? "") : "")

/**
 * Returns the profile of all GPUs of a node with the "single" strategy.
 *
 * Such a node reports its MIG slices as plain GPUs, and the product label names their profile.
 */
const singleProfile = (labels: Labels): MigProfile.MigProfile | undefined => {
  const [product = "", profile] = productOf(labels).split("-MIG-")
  return profile === undefined ? undefined : MigProfile.parse(profile, product)
}

/** Returns the MIG profile of a resource, if it has one. */
const profileOf = (resource: string, labels: Labels): MigProfile.MigProfile | undefined => {
  if (resource === GPU) return singleProfile(labels)
  return resource.startsWith(MIG) ? MigProfile.parse(resource.slice(MIG.length), productOf(labels)) : undefined
}

/**
 * Returns how much of a GPU one unit of a resource is, on a node with the given labels.
 *
 * **Shape** `of` selects the compute or the memory fraction. The fraction is divided by the number of time-sharing
 * replicas, if the node's labels state one.
 */
const partOf = (resource: string, labels: Labels, of: "compute" | "memory"): number => {
  const name = resource.endsWith(SHARED) ? resource.slice(0, -SHARED.length) : resource
  return (profileOf(name, labels)?.[of] ?? 1) / (countOf(labels, `${name}${REPLICAS}`) ?? 1)
}

const NO_PARTS: Readonly<Record<string, number>> = {}
const NO_LABELS: Labels = {}

type Gpus = Pick<ContainerFacts, "gpuParts" | "gpus">

const sumOf = ({ gpuParts = NO_PARTS, gpus }: Gpus, labels: Labels, of: "compute" | "memory"): number => {
  let sum = gpus === 0 ? 0 : gpus * partOf(GPU, labels, of)
  for (const [resource, amount] of Object.entries(gpuParts)) sum += amount * partOf(resource, labels, of)
  return sum
}

/**
 * Returns the GPUs that a container requested on a node with the given labels.
 *
 * A MIG slice counts by its share of the GPU's compute slices. **Units** GPUs, in fractions.
 */
export const ofContainer = (gpus: Gpus, labels: Labels = NO_LABELS): number => sumOf(gpus, labels, "compute")

/** Allowed rounding error of a sum, because sevenths are not exact in floating point. */
const TOLERANCE = 1e-9

/**
 * Returns the number of GPUs of a node, however they are partitioned.
 *
 * The unpartitioned rest of a GPU belongs to the node too, and is idle. With the "mixed" strategy the result is the
 * greater of the node label's count and the number of GPUs on which the slices fit by compute and memory. With the
 * "single" strategy the result is the number of GPUs on which the slices fit.
 */
export const ofNode = ({ gpuParts, gpus, labels }: Pick<NodeFacts, "gpuParts" | "gpus" | "labels">): number => {
  const all = { gpus, ...(gpuParts === undefined ? {} : { gpuParts }) }
  const sum = ofContainer(all, labels)
  if (sum === 0) return 0
  const isCut = Object.keys(gpuParts ?? NO_PARTS).some((resource) => resource.startsWith(MIG))
  if (isCut) {
    const room = Math.max(sum, sumOf(all, labels, "memory"))
    return Math.max(Math.ceil(room - TOLERANCE), countOf(labels, COUNT) ?? 0)
  }
  const single = singleProfile(labels)
  return single === undefined ? sum : Math.ceil(sum / single.compute / single.perGpu - TOLERANCE)
}
