/**
 * Computes the resources that one pod of a template requests from the scheduler.
 *
 * **Source** Kubernetes, "Pod resource sharing within containers"; component-helpers `resource.PodRequests`; KEP-753
 * (sidecars), KEP-2837 (pod-level resources), KEP-688 (overhead).
 */
import { Result } from "effect"
import { type Fields, fields, list } from "./Field.ts"
import * as Quantity from "./Quantity.ts"

/** Requests and limits of a pod. **Units** thousandths of a core, bytes; a limit of 0 means no limit. */
export interface PodResources {
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly cpuLimitMillis: number
  readonly memoryLimitBytes: number
}

export const none: PodResources = { cpuRequestMillis: 0, memoryRequestBytes: 0, cpuLimitMillis: 0, memoryLimitBytes: 0 }

/**
 * Sums the resources of a pod spec.
 *
 * **Shape** takes the greater of two amounts: the sum over all containers and sidecars, and the most that any moment of
 * initialisation needs. Adds the overhead of the runtime class. A missing request equals the limit, which is the API
 * server's default. Pod-level resources replace the sum of the containers. A pod-level limit without a request counts
 * as the request only if no container requests anything.
 */
export const fromPodSpec = (spec: Fields): PodResources => ({
  cpuRequestMillis: effective(spec, "cpu", requestOf),
  memoryRequestBytes: effective(spec, "memory", requestOf),
  cpuLimitMillis: effective(spec, "cpu", limitOf),
  memoryLimitBytes: effective(spec, "memory", limitOf)
})

/** Multiplies the resources by a number of pods. */
export const times = (pod: PodResources, pods: number): PodResources => ({
  cpuRequestMillis: Quantity.times(pod.cpuRequestMillis, pods),
  memoryRequestBytes: Quantity.times(pod.memoryRequestBytes, pods),
  cpuLimitMillis: Quantity.times(pod.cpuLimitMillis, pods),
  memoryLimitBytes: Quantity.times(pod.memoryLimitBytes, pods)
})

export const add = (left: PodResources, right: PodResources): PodResources => ({
  cpuRequestMillis: Quantity.add(left.cpuRequestMillis, right.cpuRequestMillis),
  memoryRequestBytes: Quantity.add(left.memoryRequestBytes, right.memoryRequestBytes),
  cpuLimitMillis: Quantity.add(left.cpuLimitMillis, right.cpuLimitMillis),
  memoryLimitBytes: Quantity.add(left.memoryLimitBytes, right.memoryLimitBytes)
})

/** Requests of a container or pod. */
export type Requests = Pick<PodResources, "cpuRequestMillis" | "memoryRequestBytes">

/** Reads the requests of one container from its `resources`. */
export const ofContainer = (resources: Fields): Requests => ({
  cpuRequestMillis: requestOf(resources, "cpu") ?? 0,
  memoryRequestBytes: requestOf(resources, "memory") ?? 0
})

/** Requests of a pod beyond those of its containers and sidecars. */
export interface Beyond {
  /** Pod-level requests above the sum of the containers. */
  readonly pod: Requests
  /** Overhead of the runtime class. */
  readonly overhead: Requests
}

/**
 * Returns the requests of a pod beyond those of its containers and sidecars.
 *
 * **Shape** `undefined` if there are none, as for most pods.
 */
export const beyondContainers = (spec: Fields): Beyond | undefined => {
  if (spec["overhead"] === undefined && spec["resources"] === undefined) return undefined
  const above = (resource: Resource): number => {
    const whole = ofPod(spec, resource, requestOf)
    return whole === undefined ? 0 : Math.max(0, whole - ofRunning(spec, resource))
  }
  const over = (resource: Resource): number => quantity(fields(spec["overhead"])[resource], resource) ?? 0
  const pod = { cpuRequestMillis: above("cpu"), memoryRequestBytes: above("memory") }
  const overhead = { cpuRequestMillis: over("cpu"), memoryRequestBytes: over("memory") }
  return isNothing(pod) && isNothing(overhead) ? undefined : { pod, overhead }
}

const isNothing = ({ cpuRequestMillis, memoryRequestBytes }: Requests): boolean =>
  cpuRequestMillis === 0 && memoryRequestBytes === 0

/** Sums the requests of containers and sidecars. */
const ofRunning = (spec: Fields, resource: Resource): number =>
  [...list(spec["containers"]), ...list(spec["initContainers"]).filter(isSidecar)].reduce<number>(
    (sum, entry) => Quantity.add(sum, requestOf(fields(fields(entry)["resources"]), resource) ?? 0),
    0
  )

const isSidecar = (entry: unknown): boolean => fields(entry)["restartPolicy"] === "Always"

/**
 * Resources that count whole GPUs. {@link gpuParts} counts parts of GPUs. Resources of GPU memory and tiles are
 * ignored.
 *
 * **Source** NVIDIA, ROCm and Intel device plugins for Kubernetes.
 */
const GPUS = ["nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"]

/** Counts the whole GPUs among amounts of resources. */
export const gpus = (amounts: Fields): number => {
  let found = 0
  for (const name of GPUS) {
    const amount = amounts[name]
    if (amount !== undefined) found += quantity(amount, "gpu") ?? 0
  }
  return found
}

/** Resources that count parts of GPUs: MIG slices, and time-shared GPUs with a resource name of their own. */
const GPU_PART = /^nvidia\.com\/(?:gpu\.shared|mig-[a-z0-9.+-]{1,64})$/

/** Returns whether a resource counts whole GPUs or parts of them, independent of settings. */
export const isGpu = (name: string): boolean => GPUS.includes(name) || GPU_PART.test(name)

/** Reads a number of devices; 0 if the value is not a quantity. */
export const amountOf = (value: unknown): number => quantity(value, "gpu") ?? 0

/**
 * Returns the devices that are counted under their own names: parts of GPUs, and `accelerators`. **Shape** `undefined`
 * if there are none.
 */
export const gpuParts = (
  amounts: Fields,
  accelerators: ReadonlyArray<string> = []
): Readonly<Record<string, number>> | undefined => {
  let found: Record<string, number> | undefined
  for (const name of Object.keys(amounts)) {
    if (!GPU_PART.test(name) && (GPUS.includes(name) || !accelerators.includes(name))) continue
    const amount = amountOf(amounts[name])
    if (amount > 0) (found ??= {})[name] = amount
  }
  return found
}

export type Resource = "cpu" | "memory"
type Read = (resources: Fields, resource: Resource) => number | undefined

const effective = (spec: Fields, resource: Resource, read: Read): number => {
  const whole = ofPod(spec, resource, read) ?? ofContainers(spec, resource, read)
  // A pod without a limit stays without one, despite the overhead of its runtime.
  if (read === limitOf && whole === 0) return 0
  return Quantity.add(whole, quantity(fields(spec["overhead"])[resource], resource) ?? 0)
}

const ofPod = (spec: Fields, resource: Resource, read: Read): number | undefined => {
  const resources = fields(spec["resources"])
  if (read === limitOf) return limitOf(resources, resource)
  const podRequest = quantity(fields(resources["requests"])[resource], resource)
  if (podRequest !== undefined) return podRequest
  const containers = [...list(spec["containers"]), ...list(spec["initContainers"])]
  const isRequested = containers.some(
    (container) => read(fields(fields(container)["resources"]), resource) !== undefined
  )
  return isRequested ? undefined : limitOf(resources, resource)
}

const ofContainers = (spec: Fields, resource: Resource, read: Read): number => {
  let running = 0
  for (const container of list(spec["containers"]))
    running = Quantity.add(running, need(fields(container), resource, read))

  let sidecars = 0
  let initialising = 0
  for (const entry of list(spec["initContainers"])) {
    const container = fields(entry)
    const needed = need(container, resource, read)
    if (container["restartPolicy"] === "Always") {
      running = Quantity.add(running, needed)
      sidecars = Quantity.add(sidecars, needed)
      initialising = Math.max(initialising, sidecars)
    } else {
      // An init container runs alongside the sidecars that started before it.
      initialising = Math.max(initialising, Quantity.add(sidecars, needed))
    }
  }
  return Math.max(running, initialising)
}

const need = (container: Fields, resource: Resource, read: Read): number =>
  read(fields(container["resources"]), resource) ?? 0

const limitOf: Read = (resources, resource) => quantity(fields(resources["limits"])[resource], resource)

const requestOf: Read = (resources, resource) =>
  quantity(fields(resources["requests"])[resource], resource) ?? limitOf(resources, resource)

/**
 * Reads a quantity. **Shape** `undefined` for any other value; 0 for a negative one. **Units** thousandths of a core;
 * bytes or GPUs.
 */
export const quantity = (value: unknown, resource: Resource | "gpu"): number | undefined => {
  const text = typeof value === "number" ? String(value) : value
  if (typeof text !== "string") return undefined
  const amount = Result.getOrUndefined(resource === "cpu" ? Quantity.parseMillis(text) : Quantity.parseUnits(text))
  return amount === undefined ? undefined : Math.max(0, amount)
}

/** Reads the CPU and memory of a node's `allocatable` or `capacity`. */
export const ofNode = (amounts: Fields): { readonly cpuMillis: number; readonly memoryBytes: number } => ({
  cpuMillis: quantity(amounts["cpu"], "cpu") ?? 0,
  memoryBytes: quantity(amounts["memory"], "memory") ?? 0
})
