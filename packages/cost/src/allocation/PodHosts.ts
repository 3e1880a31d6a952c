/**
 * The nodes that pods ran on in an hour, and what was allocated on each.
 */
import type { HourFacts, NodeFacts, PodFacts } from "./HourFacts.ts"
import type { RateClass } from "../hour/Hour.ts"
import * as RateClasses from "../price/RateClass.ts"
import { type Limits, limitsOn } from "./KnownUsage.ts"
import { fromSpans, overlap, secondsIn, type Intervals } from "./Intervals.ts"

/** A price class, with the number of its nodes in the hour and their total seconds. */
export interface PriceClass {
  readonly key: string
  readonly rateClass: RateClass
  machines: number
  seconds: number
}

/** Quantities priced by the class of the node. **Units** those of the measures with the same names. */
export interface Compute {
  cpuAllocatedMilliSeconds: number
  memoryAllocatedKibSeconds: number
  gpuMilliSeconds: number
}

/**
 * A node that pods ran on.
 *
 * **Shape** `node` is undefined for pods on an unknown node. `seen` is the time in which the node was observed. With
 * `isByRequest` the provider charges for the pods' requests instead of the node.
 */
export interface Host {
  readonly node: NodeFacts | undefined
  readonly seen: Intervals
  readonly priceClass: PriceClass
  readonly isSpot: boolean
  readonly isByRequest: boolean
  readonly limits: Limits
  readonly allocated: Compute
}

export interface Hosts {
  readonly nodes: ReadonlyArray<Host>
  readonly of: (pod: PodFacts) => Host
}

/** Adds `more` to `sum`. */
export const addCompute = (sum: Compute, more: Readonly<Compute>): void => {
  sum.cpuAllocatedMilliSeconds += more.cpuAllocatedMilliSeconds
  sum.memoryAllocatedKibSeconds += more.memoryAllocatedKibSeconds
  sum.gpuMilliSeconds += more.gpuMilliSeconds
}

export const noCompute = (): Compute => ({
  cpuAllocatedMilliSeconds: 0,
  memoryAllocatedKibSeconds: 0,
  gpuMilliSeconds: 0
})

/**
 * Collects an hour's nodes, and maps pods to them.
 *
 * A pod belongs to the node of its name. If several nodes had that name in succession, it belongs to the one that existed for
 * most of the pod's run time. Pods on an unknown node get the unknown price class, and so default prices.
 */
export const make = ({ nodes, startMs }: HourFacts, seen: Intervals): Hosts => {
  const classes = new Map<string, PriceClass>()
  const classOf = (rateClass: RateClass): PriceClass => {
    const key = RateClasses.keyOf(rateClass)
    const known = classes.get(key) ?? { key, rateClass, machines: 0, seconds: 0 }
    classes.set(key, known)
    return known
  }

  const hostOf = (node: NodeFacts): Host => {
    const there = overlap(fromSpans(node.spans, startMs), seen)
    const priceClass = classOf(RateClasses.fromNode(node))
    if (there.length > 0) {
      priceClass.machines += 1
      priceClass.seconds += secondsIn(there)
    }
    return {
      node,
      seen: there,
      priceClass,
      isSpot: priceClass.rateClass.capacity === "spot",
      isByRequest: RateClasses.isByRequest(priceClass.rateClass),
      limits: limitsOn(node),
      allocated: noCompute()
    }
  }

  const hosts = nodes.map(hostOf)
  const byName = Map.groupBy(hosts, ({ node }) => node?.name ?? "")
  let elsewhere: Host | undefined
  const of = (pod: PodFacts): Host => {
    const [first, ...others] = byName.get(pod.node) ?? []
    if (first !== undefined) return others.length === 0 ? first : longestWith(pod, [first, ...others], startMs)
    elsewhere ??= {
      node: undefined,
      seen: [],
      priceClass: classOf(RateClasses.unknown),
      isSpot: false,
      isByRequest: false,
      limits: limitsOn(),
      allocated: noCompute()
    }
    return elsewhere
  }
  return { nodes: hosts, of }
}

/**
 * Returns the host whose lifetime overlaps the pod's run time the longest. The result does not depend on the order of
 * hosts.
 */
const longestWith = (pod: PodFacts, [first, ...others]: readonly [Host, ...Array<Host>], startMs: number): Host => {
  const runs = fromSpans(
    pod.containers.flatMap((container) => container.runs),
    startMs
  )
  const secondsWith = ({ node }: Host) => secondsIn(overlap(runs, fromSpans(node?.spans ?? [], startMs)))
  return others.reduce((best, host) => {
    const more = secondsWith(host) - secondsWith(best)
    return more > 0 || (more === 0 && (host.node?.uid ?? "") < (best.node?.uid ?? "")) ? host : best
  }, first)
}
