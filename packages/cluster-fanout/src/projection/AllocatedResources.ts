/**
 * Reads the resources that a node allocates to a pod, where the pod's spec may ask for others.
 *
 * The spec of a pod that is resized in place changes at once. The kubelet allocates the new size later, or never: the
 * node may lack room for it (`Deferred`), or be too small (`Infeasible`).
 *
 * **Source** KEP-1287 (in-place resize), KEP-5419 (of pod-level resources); component-helpers `resource.PodRequests`.
 */
import { type Fields, fields, isConditionTrue, list } from "./Field.ts"
import * as PodResources from "./PodResources.ts"

const RESIZED = ["cpu", "memory"] as const

/**
 * Replaces the CPU and memory requests of a pod spec by those that the kubelet reports.
 *
 * **Shape** the greater of `allocatedResources` and `resources.requests` of a container's status: an increase counts from
 * its allocation, a decrease from its actuation. Where the kubelet reports neither, the spec's request counts. The same
 * spec where nothing differs.
 */
export const allocatedSpec = (spec: Fields, status: Fields): Fields => {
  const isPending = isConditionTrue(status, "PodResizePending")
  const containers = allocatedContainers(spec["containers"], status["containerStatuses"], isPending)
  const initContainers = allocatedContainers(spec["initContainers"], status["initContainerStatuses"], isPending)
  const resources = ofPod(spec, status)
  if (containers === spec["containers"] && initContainers === spec["initContainers"] && resources === spec["resources"])
    return spec
  return { ...spec, containers, initContainers, resources }
}

const allocatedContainers = (containers: unknown, statuses: unknown, isPending: boolean): unknown => {
  const reports = list(statuses).map(fields).filter(isReport)
  if (reports.length === 0) return containers
  const byName = new Map(reports.map((report) => [report["name"], report]))
  let isChanged = false
  const allocated = list(containers).map((entry) => {
    const container = fields(entry)
    const report = byName.get(container["name"])
    if (report === undefined) return entry
    const resources = fields(container["resources"])
    const requests = fields(resources["requests"])
    const reported = reportedRequests(requests, report, isPending)
    if (RESIZED.every((resource) => requests[resource] === reported[resource])) return entry
    isChanged = true
    return { ...container, resources: { ...resources, requests: { ...requests, ...reported } } }
  })
  return isChanged ? allocated : containers
}

const isReport = (status: Fields): boolean =>
  status["allocatedResources"] !== undefined || status["resources"] !== undefined

type Requests = Partial<Record<PodResources.Resource, unknown>>

const reportedRequests = (requests: Fields, report: Fields, isPending: boolean): Requests => {
  const allocated = fields(report["allocatedResources"])
  const actuated = fields(fields(report["resources"])["requests"])
  const found: Requests = {}
  for (const resource of RESIZED) {
    const [asked, given, used] = [requests[resource], allocated[resource], actuated[resource]]
    // Most pods are never resized: their quantities need no parsing.
    const isSame = given === asked ? used === asked || used === undefined : given === undefined && used === asked
    const reported = isSame ? asked : greater(given, used, resource)
    // A resize that waits may ask for a resource that the container does not have yet.
    const amount = reported ?? (isPending && asked !== undefined ? "0" : asked)
    if (amount !== undefined) found[resource] = amount
  }
  return found
}

/** Returns the greater of two quantities as the kubelet wrote it, or the one that is a quantity. */
const greater = (one: unknown, other: unknown, resource: PodResources.Resource): unknown => {
  if (one === other) return PodResources.quantity(one, resource) === undefined ? undefined : one
  const [first, second] = [PodResources.quantity(one, resource), PodResources.quantity(other, resource)]
  if (first === undefined) return second === undefined ? undefined : other
  return second !== undefined && second > first ? other : one
}

/** The status of a pod has its requests with the overhead of its runtime class, the spec has them without. */
const ofPod = (spec: Fields, status: Fields): unknown => {
  const resources = fields(spec["resources"])
  const requests = fields(resources["requests"])
  const allocated = fields(status["allocatedResources"])
  const actuated = fields(fields(status["resources"])["requests"])
  const found: Requests = {}
  for (const resource of RESIZED) {
    if (requests[resource] === undefined) continue
    const reported = PodResources.quantity(greater(allocated[resource], actuated[resource], resource), resource)
    if (reported === undefined) continue
    const overhead = PodResources.quantity(fields(spec["overhead"])[resource], resource) ?? 0
    const amount = Math.max(0, reported - overhead)
    if (amount === PodResources.quantity(requests[resource], resource)) continue
    found[resource] = resource === "cpu" ? `${amount}m` : String(amount)
  }
  if (Object.keys(found).length === 0) return spec["resources"]
  return { ...resources, requests: { ...requests, ...found } }
}
