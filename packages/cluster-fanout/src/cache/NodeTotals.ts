/**
 * Number and capacity of a cluster's nodes, updated with each change.
 */
import type { Observer } from "./KindTable.ts"
import type { NodeRecord } from "../projection/Projection.ts"
import { bounded } from "../projection/Quantity.ts"

/** Fields of a node that are summed. */
export type CountedNode = Pick<NodeRecord, "cpuAllocatableMillis" | "memoryAllocatableBytes">

/** Total capacity of a cluster's nodes. **Units** thousandths of a core, bytes; at most 2^53 - 1. */
export interface Capacity {
  readonly nodes: number
  readonly cpuAllocatableMillis: number
  readonly memoryAllocatableBytes: number
}

export class NodeTotals implements Observer<CountedNode> {
  #nodes = 0
  // Exact integers, so that subtracting a node restores the earlier sum.
  #cpuAllocatableMillis = 0n
  #memoryAllocatableBytes = 0n

  put(node: CountedNode, previous: CountedNode | undefined): void {
    if (previous !== undefined) this.#count(previous, -1)
    this.#count(node, 1)
  }

  gone(node: CountedNode): void {
    this.#count(node, -1)
  }

  whole(nodes: ReadonlyMap<string, CountedNode>): void {
    this.#nodes = 0
    this.#cpuAllocatableMillis = 0n
    this.#memoryAllocatableBytes = 0n
    for (const node of nodes.values()) this.#count(node, 1)
  }

  capacity(): Capacity {
    return {
      nodes: this.#nodes,
      cpuAllocatableMillis: bounded(this.#cpuAllocatableMillis),
      memoryAllocatableBytes: bounded(this.#memoryAllocatableBytes)
    }
  }

  #count(node: CountedNode, times: 1 | -1): void {
    this.#nodes += times
    this.#cpuAllocatableMillis += BigInt(times * node.cpuAllocatableMillis)
    this.#memoryAllocatableBytes += BigInt(times * node.memoryAllocatableBytes)
  }
}
