/**
 * The observations of one cluster in one hour.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { HourFacts, PodFacts } from "../allocation/HourFacts.ts"
import { HOUR_MS } from "../hour/Units.ts"
import type { ContainerSample, HourOfUsage } from "../usage/UsageSource.ts"
import { withEgress } from "../usage/EgressByName.ts"
import { Inventory } from "./Inventory.ts"
import { NodeObservations } from "./NodeObservations.ts"
import { noteSample, PodObservations } from "./PodObservations.ts"
import { ObservationSpans } from "./ObservationSpans.ts"
import { pack, slicesOf, type UsageBlock, type UsageRow } from "./UsageBlocks.ts"

/** Maximum time that a sample covers, in sampling intervals. If the window of the sample is longer, the window applies. */
const REACH = 1.5

/**
 * The observations of an hour.
 *
 * **Limits** memory is linear in the pods of the hour, plus about 24 bytes per container and sample.
 */
export class OpenHour {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly pods: PodObservations
  readonly nodes: NodeObservations
  readonly seen: ObservationSpans
  readonly inventory: Inventory
  readonly #blocks: Array<UsageBlock> = []
  #untaken = 0

  constructor(
    cluster: ClusterName,
    startMs: number,
    parts: {
      readonly pods: PodObservations
      readonly nodes: NodeObservations
      readonly seen: ObservationSpans
      readonly inventory: Inventory
    } = {
      pods: new PodObservations(startMs),
      nodes: new NodeObservations(startMs),
      seen: new ObservationSpans(),
      inventory: new Inventory()
    }
  ) {
    this.cluster = cluster
    this.startMs = startMs
    this.pods = parts.pods
    this.nodes = parts.nodes
    this.seen = parts.seen
    this.inventory = parts.inventory
  }

  get endMs(): number {
    return this.startMs + HOUR_MS
  }

  /** Returns the following hour, with everything that continues into it. */
  next(): OpenHour {
    return new OpenHour(this.cluster, this.endMs, {
      pods: this.pods.next(),
      nodes: this.nodes.next(),
      seen: this.seen.after(this.endMs),
      inventory: this.inventory.after(this.endMs)
    })
  }

  /**
   * Adds usage samples.
   *
   * A sample covers the time since the previous sample, but at most its window or 1.5 sampling intervals, whichever is longer.
   * Samples that are not newer than the last one, and those of unknown containers, are ignored.
   */
  addSamples(samples: ReadonlyArray<ContainerSample>, intervalMs: number): void {
    const rows: Array<UsageRow> = []
    for (const { atMs, container, cpuMillis, memoryBytes, namespace, pod, windowMs } of samples) {
      const entry = this.pods.find(namespace, pod)
      const index = entry?.pod.containers.findIndex((candidate) => candidate.name === container) ?? -1
      if (entry === undefined || index < 0) continue
      const before = entry.sampledAtMs?.[index] ?? 0
      if (atMs <= before) continue
      noteSample(entry, index, atMs)
      const fromMs = Math.max(before, atMs - Math.max(windowMs, REACH * intervalMs))
      const [from, to] = [Math.max(0, fromMs - this.startMs), Math.min(HOUR_MS, atMs - this.startMs)]
      if (to > from) rows.push({ container: entry.number + index, from, to, cpuMillis, memoryBytes })
    }
    if (rows.length > 0) this.#blocks.push(pack(rows))
  }

  restoreBlock(block: UsageBlock): void {
    this.#blocks.push(block)
    this.#untaken = this.#blocks.length
  }

  /** Returns the samples added since the last call, or all. */
  takeBlocks(all: boolean): ReadonlyArray<UsageBlock> {
    const taken = this.#blocks.slice(all ? 0 : this.#untaken)
    this.#untaken = this.#blocks.length
    return taken
  }

  /** True if any part of the hour was observed. */
  get isSeen(): boolean {
    return this.seen.within({ fromMs: this.startMs, toMs: this.endMs }).length > 0
  }

  /** Returns the observations so far. Everything that still runs ends with the last observed time. */
  facts(): HourFacts {
    const seen = this.seen.within({ fromMs: this.startMs, toMs: this.endMs })
    const seenToMs = seen.at(-1)?.toMs ?? this.startMs
    return {
      cluster: this.cluster,
      startMs: this.startMs,
      seen,
      nodes: this.nodes.facts(seenToMs),
      pods: this.pods.facts(seenToMs, slicesOf(this.#blocks, this.startMs)),
      volumes: this.inventory.volumeFacts(seenToMs),
      loadBalancers: this.inventory.loadBalancerFacts(seenToMs, this.pods.entries.values())
    }
  }
}

/** Replaces the sampled usage by that of an hourly source. */
export const withUsage = (facts: HourFacts, { containers, egress }: HourOfUsage): HourFacts => {
  const slicesOfName = new Map(
    containers.map(({ container, namespace, pod, slices }) => [`${namespace}/${pod}/${container}`, slices])
  )
  const pods = facts.pods.map((pod): PodFacts => ({
    ...pod,
    containers: pod.containers.map((container) => {
      const usage = slicesOfName.get(`${pod.namespace}/${pod.name}/${container.name}`)
      return usage === undefined ? container : { ...container, usage }
    })
  }))
  return { ...facts, pods: withEgress(pods, egress, facts.startMs) }
}
