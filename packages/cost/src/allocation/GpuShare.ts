/**
 * How much of a GPU a container has that asked for a part of one: a MIG slice, or a GPU that several share by time.
 *
 * **Source** NVIDIA, MIG User Guide, "Supported MIG profiles"; k8s-device-plugin, "Shared access to GPUs" and "MIG
 * strategies"; GPU feature discovery, "Generated labels".
 */
import type { ContainerFacts, NodeFacts } from "./HourFacts.ts"

type Labels = Readonly<Record<string, string>>

const GPU = "nvidia.com/gpu"
const COUNT = "nvidia.com/gpu.count"
const PRODUCT = "nvidia.com/gpu.product"
const REPLICAS = ".replicas"
const SHARED = ".shared"

/** Labels that parts of GPUs are counted by. */
export const GPU_LABELS: ReadonlyArray<string> = [COUNT, `${GPU}${REPLICAS}`]

/** `3g.20gb` has three slices; `1c.3g.20gb` has one of them, the others go to other containers. */
const PROFILE = /^(?:(\d+)c\.)?(\d+)g\.(\d+)gb/
const SLICES = 7
/** The profiles of the one GPU that has four slices, the A30: no other has as much memory a slice. */
const OF_FOUR = new Set(["1g.6gb", "2g.12gb", "4g.24gb"])

interface Profile {
  /** The part of a GPU that one has. */
  readonly share: number
  /** How many of it there is room for on a GPU. */
  readonly perGpu: number
}

const profileOf = (text: string): Profile | undefined => {
  const found = PROFILE.exec(text)
  if (found === null) return undefined
  const [name, compute, slices, memory] = found
  const all = OF_FOUR.has(`${slices}g.${memory}gb`) ? 4 : SLICES
  const taken = Math.min(all, Number(slices))
  if (taken === 0 || name === "") return undefined
  return {
    share: Math.min(taken, Number(compute ?? taken)) / all,
    perGpu: Math.floor(all / taken) * (compute === undefined ? 1 : taken)
  }
}

/** A label's own number, if it is a whole one above 0. */
const countOf = (labels: Labels, name: string): number | undefined => {
  const count = Object.hasOwn(labels, name) ? Number(labels[name]) : Number.NaN
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

/** Where all GPUs of a node are cut alike ("single"), slices are offered as whole GPUs, and the product's name tells. */
const singleProfile = (labels: Labels): Profile | undefined => {
  const [, profile] = (Object.hasOwn(labels, PRODUCT) ? (labels[PRODUCT] ?? "") : "").split("-MIG-")
  return profile === undefined ? undefined : profileOf(profile)
}

/**
 * Gives the part of a GPU that one of a resource is on a node.
 *
 * **Shape** a slice is as many sevenths of a GPU (quarters of an A30) as it has compute slices. What is shared by time is
 * that by the number of its replicas, as the node's labels tell; one where they do not is whole.
 */
const shareOf = (resource: string, labels: Labels): number => {
  const name = resource.endsWith(SHARED) ? resource.slice(0, -SHARED.length) : resource
  const profile = name === GPU ? singleProfile(labels) : profileOf(name.slice("nvidia.com/mig-".length))
  return (profile?.share ?? 1) / (countOf(labels, `${name}${REPLICAS}`) ?? 1)
}

const NO_PARTS: Readonly<Record<string, number>> = {}

/** Gives the GPUs that a container asked for, on a node with some labels. **Units** GPUs and parts of them. */
export const ofContainer = (
  { gpuParts = NO_PARTS, gpus }: Pick<ContainerFacts, "gpuParts" | "gpus">,
  labels: Labels = NO_LABELS
): number => {
  let sum = gpus === 0 ? 0 : gpus * shareOf(GPU, labels)
  for (const [resource, amount] of Object.entries(gpuParts)) sum += amount * shareOf(resource, labels)
  return sum
}

const NO_LABELS: Labels = {}

/** Sums of sevenths are not exact. */
const TOLERANCE = 1e-9

/**
 * Gives the GPUs that a node has, whatever they are cut into.
 *
 * **Shape** what no slice was made of belongs to the node all the same, and is idle: where GPUs are cut in several ways
 * ("mixed") their number is the label's, which counts whole ones then, or else the next whole number; where all are cut alike
 * there are as many as the slices take.
 */
export const ofNode = ({ gpuParts, gpus, labels }: Pick<NodeFacts, "gpuParts" | "gpus" | "labels">): number => {
  const sum = ofContainer({ gpus, ...(gpuParts === undefined ? {} : { gpuParts }) }, labels)
  if (sum === 0) return 0
  const isCut = Object.keys(gpuParts ?? NO_PARTS).some((resource) => resource.startsWith("nvidia.com/mig-"))
  if (isCut) return Math.max(Math.ceil(sum - TOLERANCE), countOf(labels, COUNT) ?? 0)
  const single = singleProfile(labels)
  return single === undefined ? sum : Math.ceil(sum / single.share / single.perGpu - TOLERANCE)
}
