/**
 * Shares what a pod asks for beyond its containers out among them.
 *
 * **Source** KEP-2837 (pod-level resources): containers that ask for nothing run on what the pod has left; KEP-688
 * (overhead).
 */
import type { ContainerTemplate } from "./ContainerTemplate.ts"
import type { Beyond, Requests } from "./PodResources.ts"

type Resource = keyof Requests

/** Splits a whole amount by weights. **Shape** whole parts that add up to it; evenly where all weights are 0; of no weights no parts. */
const split = (whole: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (weights.length === 0) return []
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0)
    return split(
      whole,
      weights.map(() => 1)
    )
  let weighed = 0
  let given = 0
  return weights.map((weight) => {
    weighed += weight
    const upTo = Math.round(whole * (weighed / total))
    const part = upTo - given
    given = upTo
    return part
  })
}

/**
 * Adds to the main containers and sidecars of a pod what it asks for beyond them.
 *
 * **Shape** what the pod requests above its containers goes evenly to those that ask for nothing of the resource, which run
 * on what is left; where each asks for some, in proportion to that. The overhead of the runtime class goes in proportion to
 * what each has then. The sum is the pod's. Init containers that end get nothing.
 */
export const share = (
  containers: ReadonlyArray<ContainerTemplate>,
  { overhead, pod }: Beyond
): ReadonlyArray<ContainerTemplate> => {
  const lasting = containers.filter(({ role }) => role !== "init")
  const amountsOf = (resource: Resource): ReadonlyArray<number> => {
    const asked = lasting.map((one) => one[resource])
    const isFree = asked.map((amount) => (amount === 0 ? 1 : 0))
    const own = split(pod[resource], isFree.includes(1) ? isFree : asked)
    const whole = asked.map((amount, place) => amount + (own[place] ?? 0))
    const above = split(overhead[resource], whole)
    return whole.map((amount, place) => amount + (above[place] ?? 0))
  }
  const cpu = amountsOf("cpuRequestMillis")
  const memory = amountsOf("memoryRequestBytes")
  return containers.map((one) => {
    const place = lasting.indexOf(one)
    return place < 0 ? one : { ...one, cpuRequestMillis: cpu[place] ?? 0, memoryRequestBytes: memory[place] ?? 0 }
  })
}
