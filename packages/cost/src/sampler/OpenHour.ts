/**
 * What has been seen of one cluster in one hour, while it goes on.
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

/** Something that a sample stands for beyond its window, in sampling intervals: the time since the one before. */
const REACH = 1.5

/**
 * The observations of an hour.
 *
 * **Limits** memory is linear in the pods that ran within the hour, some 24 bytes a container and sample beside.
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

  /** Gives the observations of the hour that follows, with all that goes on into it. */
  next(): OpenHour {
    return new OpenHour(this.cluster, this.endMs, {
      pods: this.pods.next(),
      nodes: this.nodes.next(),
      seen: this.seen.after(this.endMs),
      inventory: this.inventory.after(this.endMs)
    })
  }

  /**
   * Adds what containers used.
   *
   * A sample stands for its window, and for the time since the one before if that was about an interval ago. One
   * that is not newer than what is known, or of a container that nobody told of, is left out.
   */
  addSamples(samples: ReadonlyArray<ContainerSample>, intervalMs: number): void {
    const rows: Array<UsageRow> = []
    for (const { atMs, container, cpuMillis, memoryBytes, namespace, pod, windowMs } of samples) {
      const entry = this.pods.find(namespace, pod)
      const index = entry?.pod.containers.findIndex((one) => one.name === container) ?? -1
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

  /** Gives the samples that were added since the last time, or all. */
  takeBlocks(all: boolean): ReadonlyArray<UsageBlock> {
    const taken = this.#blocks.slice(all ? 0 : this.#untaken)
    this.#untaken = this.#blocks.length
    return taken
  }

  /** Tells whether any of the hour was seen. */
  get isSeen(): boolean {
    return this.seen.within({ fromMs: this.startMs, toMs: this.endMs }).length > 0
  }

  /**
   * Gives what was seen up to now.
   *
   * What still goes on ends with the last time that the cluster was seen.
   */
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

/** Puts what a source knows of an hour in the place of what was sampled. */
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
