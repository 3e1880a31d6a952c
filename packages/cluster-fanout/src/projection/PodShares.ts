/**
 * Adds the requests that a pod has in addition to those of its containers to the containers: pod-level requests and the
 * overhead of the runtime class.
 *
 * **Source** KEP-2837 (pod-level resources): containers without requests use what the pod has left; KEP-688 (overhead).
 */
import type { ContainerTemplate } from "./ContainerTemplate.ts"
import type { Beyond, Requests } from "./PodResources.ts"

type Resource = keyof Requests

/**
 * Splits an amount by weights into integers that add up to it. **Shape** splits evenly if all weights are 0; empty
 * without weights.
 */
const split = (whole: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (weights.length === 0) return []
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0)
    return split(
      whole,
      weights.map(() => 1)
    )
  let weighed = 0
  let allotted = 0
  return weights.map((weight) => {
    weighed += weight
    const upTo = Math.round(whole * (weighed / total))
    const part = upTo - allotted
    allotted = upTo
    return part
  })
}

/**
 * Adds a pod's further requests to its main containers and sidecars.
 *
 * **Shape** pod-level requests above the containers' sum go evenly to containers without a request for the resource,
 * because these use what is left. If every container has a request, each gets a share in proportion to its request.
 * The overhead of the runtime class is then distributed in proportion to the results. The sum equals the pod's total.
 * Init containers get nothing.
 */
export const share = (
  containers: ReadonlyArray<ContainerTemplate>,
  { overhead, pod }: Beyond
): ReadonlyArray<ContainerTemplate> => {
  const running = containers.filter(({ role }) => role !== "init")
  const amountsOf = (resource: Resource): ReadonlyArray<number> => {
    const requests = running.map((container) => container[resource])
    const isWithout = requests.map((amount) => (amount === 0 ? 1 : 0))
    const podLevel = split(pod[resource], isWithout.includes(1) ? isWithout : requests)
    const whole = requests.map((amount, place) => amount + (podLevel[place] ?? 0))
    const above = split(overhead[resource], whole)
    return whole.map((amount, place) => amount + (above[place] ?? 0))
  }
  const cpu = amountsOf("cpuRequestMillis")
  const memory = amountsOf("memoryRequestBytes")
  return containers.map((container) => {
    const place = running.indexOf(container)
    return place < 0
      ? container
      : { ...container, cpuRequestMillis: cpu[place] ?? 0, memoryRequestBytes: memory[place] ?? 0 }
  })
}
