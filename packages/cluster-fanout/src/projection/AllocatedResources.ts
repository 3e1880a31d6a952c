/**
 * Reads the resources that a node has allocated to a pod. They can differ from the pod's spec.
 *
 * The spec of a pod that is resized in place changes at once. The kubelet allocates the new size later, or never: the
 * node may currently lack room (`Deferred`) or be too small (`Infeasible`).
 *
 * **Source** KEP-1287 (in-place resize), KEP-5419 (of pod-level resources); component-helpers `resource.PodRequests`.
 */
import { type Fields, fields, isConditionTrue, list } from "./Field.ts"
import * as PodResources from "./PodResources.ts"

const RESIZED = ["cpu", "memory"] as const

/**
 * Replaces the CPU and memory requests of a pod spec with those that the kubelet reports.
 *
 * **Shape** takes the greater of `allocatedResources` and `resources.requests` of a container's status. An increase
 * therefore counts from its allocation, a decrease from its actuation. If the kubelet reports neither, the spec's
 * request counts. Returns the same object if nothing differs.
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
    const [inSpec, inAllocation, inUse] = [requests[resource], allocated[resource], actuated[resource]]
    // Most pods are never resized, so their quantities need no parsing.
    const isSame =
      inAllocation === inSpec ? inUse === inSpec || inUse === undefined : inAllocation === undefined && inUse === inSpec
    const reported = isSame ? inSpec : greater(inAllocation, inUse, resource)
    // A pending resize may request a resource that the container does not have yet.
    const amount = reported ?? (isPending && inSpec !== undefined ? "0" : inSpec)
    if (amount !== undefined) found[resource] = amount
  }
  return found
}

/** Returns the greater of two quantities in the kubelet's spelling, or the only valid one. */
const greater = (left: unknown, right: unknown, resource: PodResources.Resource): unknown => {
  if (left === right) return PodResources.quantity(left, resource) === undefined ? undefined : left
  const [first, second] = [PodResources.quantity(left, resource), PodResources.quantity(right, resource)]
  if (first === undefined) return second === undefined ? undefined : right
  return second !== undefined && second > first ? right : left
}

/** Reads pod-level requests. The status includes the overhead of the runtime class, the spec does not. */
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
