/**
 * How many nodes a cluster has and what they have to give: kept with each change, never summed again.
 */
import type { Observer } from "./KindTable.ts"
import type { NodeRecord } from "../projection/Projection.ts"
import { bounded } from "../projection/Quantity.ts"

/** What is summed of a node. */
export type CountedNode = Pick<NodeRecord, "cpuAllocatableMillis" | "memoryAllocatableBytes">

/** What the nodes of a cluster have to give. **Units** thousandths of a core, bytes; at most 2^53 - 1. */
export interface Capacity {
  readonly nodes: number
  readonly cpuAllocatableMillis: number
  readonly memoryAllocatableBytes: number
}

export class NodeTotals implements Observer<CountedNode> {
  #nodes = 0
  // Exact, or what was added is not what is taken away later.
  #cpuAllocatableMillis = 0n
  #memoryAllocatableBytes = 0n

  put(node: CountedNode, held: CountedNode | undefined): void {
    if (held !== undefined) this.#count(held, -1)
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
