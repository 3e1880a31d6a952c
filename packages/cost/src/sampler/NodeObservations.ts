/**
 * The nodes observed in one hour, deleted ones included.
 */
import { Projection } from "@quarterdeck/cluster-fanout"
import { Equal } from "effect"
import type { NodeFacts } from "../allocation/HourFacts.ts"
import { HOUR_MS } from "../hour/Units.ts"

/** A node of the hour. **Shape** `toMs` is `undefined` while it exists. **Units** milliseconds since the epoch. */
export interface NodeObservation extends Omit<NodeFacts, "spans"> {
  readonly fromMs: number
  readonly toMs: number | undefined
}

/**
 * The nodes of an hour.
 *
 * After the end of the hour only deletions and unknown nodes are recorded. Changes of known nodes belong to the next hour.
 */
export class NodeObservations {
  readonly #startMs: number
  readonly #nodes = new Map<string, NodeObservation>()
  readonly #changed = new Set<string>()

  constructor(startMs: number) {
    this.#startMs = startMs
  }

  put(node: Projection.NodeRecord, atMs: number): void {
    const before = this.#nodes.get(node.uid)
    if (before !== undefined && atMs >= this.#startMs + HOUR_MS) return
    const createdAtMs = Date.parse(node.createdAt)
    this.#set({
      name: node.name,
      uid: node.uid,
      labels: node.labels,
      providerId: node.providerId,
      cpuMillis: node.cpuCapacityMillis,
      memoryBytes: node.memoryCapacityBytes,
      gpus: node.gpus,
      ...(node.gpuParts === undefined ? {} : { gpuParts: node.gpuParts }),
      fromMs: before?.fromMs ?? (Number.isNaN(createdAtMs) ? 0 : createdAtMs),
      toMs: undefined
    })
  }

  gone(uid: string, atMs: number): void {
    const before = this.#nodes.get(uid)
    if (before !== undefined && before.toMs === undefined) this.#set({ ...before, toMs: atMs })
  }

  /** Applies a complete list of nodes. Nodes missing from it are deleted. */
  whole(nodes: ReadonlyMap<string, Projection.NodeRecord>, atMs: number): void {
    for (const node of nodes.values()) this.put(node, atMs)
    for (const uid of this.#nodes.keys()) if (!nodes.has(uid)) this.gone(uid, atMs)
  }

  restore(node: NodeObservation): void {
    this.#nodes.set(node.uid, node)
  }

  /** Returns the nodes changed since the last call, or all. */
  take(all: boolean): ReadonlyArray<NodeObservation> {
    const uids = all ? [...this.#nodes.keys()] : [...this.#changed]
    this.#changed.clear()
    return uids.flatMap((uid) => this.#nodes.get(uid) ?? [])
  }

  /** Returns the nodes of the next hour: those that exist after the end of this one. */
  next(): NodeObservations {
    const startMs = this.#startMs + HOUR_MS
    const next = new NodeObservations(startMs)
    for (const node of this.#nodes.values()) if (node.toMs === undefined || node.toMs > startMs) next.#set(node)
    return next
  }

  facts(seenToMs: number): ReadonlyArray<NodeFacts> {
    return [...this.#nodes.values()].map(({ fromMs, toMs, ...node }) => ({
      ...node,
      spans: [{ fromMs, toMs: toMs ?? seenToMs }]
    }))
  }

  #set(node: NodeObservation): void {
    const before = this.#nodes.get(node.uid)
    this.#nodes.set(node.uid, node)
    // Kubelets update their node every few minutes, mostly without changes that matter here.
    if (before === undefined || !isSame(before, node)) this.#changed.add(node.uid)
  }
}

const isSame = (one: NodeObservation, other: NodeObservation): boolean =>
  one.labels === other.labels
  && one.cpuMillis === other.cpuMillis
  && one.memoryBytes === other.memoryBytes
  && one.gpus === other.gpus
  && Equal.equals(one.gpuParts, other.gpuParts)
  && one.providerId === other.providerId
  && one.toMs === other.toMs
