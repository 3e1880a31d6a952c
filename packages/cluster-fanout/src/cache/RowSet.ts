/**
 * The workload rows of one cluster: counted, and sorted in each order that was asked for, kept so with each change.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { RowCounts } from "./RowCounts.ts"
import { RowLabels } from "./RowLabels.ts"
import { type Observers, type Records, RowKeeper } from "./RowKeeper.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { WorkloadRow } from "../projection/Row.ts"

/** An ascending order of the rows of one cluster. **Shape** one name stands for one comparison. */
export interface NamedOrder {
  readonly name: string
  readonly compare: Compare<WorkloadRow>
}

/** By namespace, kind, name and id: the rows of a namespace, and of a kind in it, stand beside each other. */
export const BY_PLACE: NamedOrder = {
  name: "place",
  compare: RowOrder.make<WorkloadRow>(
    RowOrder.text((row) => row.namespace),
    "asc",
    [RowOrder.text((row) => row.kind), RowOrder.text((row) => row.name), RowOrder.text((row) => row.id)]
  ).compare
}

interface Kept {
  readonly counts: RowCounts
  readonly labels: RowLabels
  readonly byPlace: SortedRows<WorkloadRow>
  /** The other orders that were asked for since all rows were last derived. */
  readonly sorted: Map<string, SortedRows<WorkloadRow>>
}

export class RowSet {
  readonly #keeper: RowKeeper
  #kept: Kept = kept([])

  /** **Shape** `records` gives what is known when a change is told, that change included. */
  constructor(cluster: ClusterName, records: () => Records) {
    this.#keeper = new RowKeeper(cluster, records, (held, next) => {
      const { byPlace, counts, labels, sorted } = this.#kept
      counts.change(held, next)
      labels.change(held, next)
      byPlace.change(held, next)
      for (const rows of sorted.values()) rows.change(held, next)
    })
  }

  /** Makes what is to observe the records. */
  observers(): Observers {
    return this.#keeper.observers()
  }

  /** **Limits** linear in what changed; sorts all rows when a kind was read anew. */
  counts(): RowCounts {
    return this.#settled().counts
  }

  /**
   * Gives all rows in an order.
   *
   * **Limits** sorts them at the order's first use. Changes in place: take what you need before you wait.
   */
  inOrder({ compare, name }: NamedOrder): ReadonlyArray<WorkloadRow> {
    const { byPlace, sorted } = this.#settled()
    if (name === BY_PLACE.name) return byPlace.rows
    const known = sorted.get(name)
    if (known !== undefined) return known.rows
    const made = new SortedRows(byPlace.rows, compare)
    sorted.set(name, made)
    return made.rows
  }

  /** Gives the rows whose label has one of some values, in no order. **Limits** looks at all rows at a key's first use. */
  labelled(key: string, values: ReadonlyArray<string>): ReadonlyArray<WorkloadRow> {
    const { byPlace, labels } = this.#settled()
    return labels.of(key, values, byPlace.rows)
  }

  #settled(): Kept {
    const derived = this.#keeper.settle()
    if (derived !== undefined) this.#kept = kept(derived)
    return this.#kept
  }
}

const kept = (rows: ReadonlyArray<WorkloadRow>): Kept => ({
  counts: new RowCounts(rows),
  labels: new RowLabels(),
  byPlace: new SortedRows(rows, BY_PLACE.compare),
  sorted: new Map()
})
