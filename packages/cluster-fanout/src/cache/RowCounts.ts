/**
 * How many rows of each kind a cluster has in each namespace: kept with each change, never counted again.
 */
import type { WorkloadRow } from "../projection/Row.ts"

export class RowCounts {
  readonly #byNamespace = new Map<string, Map<string, number>>()

  constructor(rows: Iterable<WorkloadRow>) {
    for (const row of rows) this.#count(row, 1)
  }

  change(held: WorkloadRow | undefined, next: WorkloadRow | undefined): void {
    if (held !== undefined) this.#count(held, -1)
    if (next !== undefined) this.#count(next, 1)
  }

  /** The namespaces that have rows. */
  namespaces(): Iterable<string> {
    return this.#byNamespace.keys()
  }

  /** Counts the rows of a namespace. **Shape** `kinds` absent means all. */
  of(namespace: string, kinds: ReadonlySet<string> | undefined): number {
    let sum = 0
    for (const [kind, count] of this.#byNamespace.get(namespace) ?? []) {
      if (kinds === undefined || kinds.has(kind)) sum += count
    }
    return sum
  }

  #count({ kind, namespace }: WorkloadRow, times: 1 | -1): void {
    const kinds = this.#byNamespace.get(namespace)
    if (kinds === undefined) {
      this.#byNamespace.set(namespace, new Map([[kind, times]]))
      return
    }
    const count = (kinds.get(kind) ?? 0) + times
    if (count > 0) kinds.set(kind, count)
    else if (kinds.size > 1) kinds.delete(kind)
    else this.#byNamespace.delete(namespace)
  }
}
