/**
 * The nodes that pods ran on, and what was allocated there.
 */
import type { HourFacts, NodeFacts, PodFacts } from "./HourFacts.ts"
import type { RateClass } from "../hour/Hour.ts"
import * as RateClasses from "../price/RateClass.ts"
import { type Limits, limitsOn } from "./KnownUsage.ts"
import { fromSpans, overlap, secondsIn, type Intervals } from "./Intervals.ts"

/** A price class of the hour: how many machines it had, and for how many seconds in all. */
export interface PriceClass {
  readonly key: string
  readonly rateClass: RateClass
  machines: number
  seconds: number
}

/** What is charged by the class of the machine. **Units** as the measures of the same name. */
export interface Compute {
  cpuAllocatedMilliSeconds: number
  memoryAllocatedKibSeconds: number
  gpuMilliSeconds: number
}

/**
 * Where pods ran.
 *
 * **Shape** `node` is undefined for those of which nobody knows; `seen` is when the node was. `isByRequest`: the provider
 * charges for what pods request there, and for no machine.
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

/** Adds to what there is. */
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
 * Gathers an hour's nodes.
 *
 * A pod belongs to the node of its name; where several nodes had that name one after the other, to the one that
 * was there for most of the pod's runs, whenever the cluster was seen. What ran on a node that nobody has seen is of the
 * unknown class, and so charged at default prices.
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

/** The same one in whatever order they come. */
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
