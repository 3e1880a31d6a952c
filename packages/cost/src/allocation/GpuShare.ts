/**
 * How much of a GPU a container has that asked for a part of one: a MIG slice, or a GPU that several share by time.
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

/** Labels that parts of GPUs are counted by. */
export const GPU_LABELS: ReadonlyArray<string> = [COUNT, `${GPU}${REPLICAS}`]

/** A label's own number, if it is a whole one above 0. */
const countOf = (labels: Labels, name: string): number | undefined => {
  const count = Object.hasOwn(labels, name) ? Number(labels[name]) : Number.NaN
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

const productOf = (labels: Labels): string => (Object.hasOwn(labels, PRODUCT) ? (labels[PRODUCT] ?? "") : "")

/** Where all GPUs of a node are cut alike ("single"), slices are offered as whole GPUs, and the product's name tells. */
const singleProfile = (labels: Labels): MigProfile.MigProfile | undefined => {
  const [product = "", profile] = productOf(labels).split("-MIG-")
  return profile === undefined ? undefined : MigProfile.parse(profile, product)
}

/** Gives the profile that one of a resource is, if it is one. */
const profileOf = (resource: string, labels: Labels): MigProfile.MigProfile | undefined => {
  if (resource === GPU) return singleProfile(labels)
  return resource.startsWith(MIG) ? MigProfile.parse(resource.slice(MIG.length), productOf(labels)) : undefined
}

/**
 * Gives the part of a GPU that one of a resource is on a node.
 *
 * **Shape** `of` tells which part of a slice counts. What is shared by time is that by the number of its replicas, as the
 * node's labels tell; one where they do not is whole.
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
 * Gives the GPUs that a container asked for, on a node with some labels.
 *
 * A slice is as many parts of a GPU as it has compute slices of those that the GPU has. **Units** GPUs and parts
 * of them.
 */
export const ofContainer = (gpus: Gpus, labels: Labels = NO_LABELS): number => sumOf(gpus, labels, "compute")

/** Sums of sevenths are not exact. */
const TOLERANCE = 1e-9

/**
 * Gives the GPUs that a node has, whatever they are cut into.
 *
 * What no slice was made of belongs to the node all the same, and is idle: where GPUs are cut in several ways
 * ("mixed") their number is the label's, which counts whole ones then, or else as many as the slices need room on for their
 * compute and their memory; where all are cut alike there are as many as there is room on for the slices.
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
