/**
 * The kept pods of one cluster, by namespace and name.
 */
import type { KindTable, Observer } from "./KindTable.ts"
import { type RowChange, type RowForm, RowSet, type RowSource, type Sorting } from "./RowSet.ts"
import type { Compare } from "./SortedRows.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import * as RowOrder from "../projection/RowOrder.ts"

const byPlace: Compare<PodRecord> = RowOrder.make<PodRecord>(
  RowOrder.text((pod) => pod.namespace),
  "asc",
  [RowOrder.text((pod) => pod.name), RowOrder.text((pod) => pod.uid)]
).compare

/** Few statuses are in use at a time, and the rare ones are what is asked for. */
const FORM: RowForm<PodRecord> = { groupOf: (pod) => pod.status, byPlace }

/**
 * Keeps the pods of a table from now on.
 *
 * **Shape** the records themselves: their rows are made when they are shown; without `sorting` no order but that of places is kept.
 */
export const make = (table: KindTable<PodRecord>, sorting?: Sorting): RowSet<PodRecord> => {
  const sourceOf = (change: RowChange<PodRecord>) => {
    const source = new PodSource(table, change)
    table.observe(source)
    return source
  }
  return new RowSet(FORM, sourceOf, sorting)
}

class PodSource implements Observer<PodRecord>, RowSource<PodRecord> {
  readonly #table: KindTable<PodRecord>
  readonly #change: RowChange<PodRecord>
  /** Whether the pods were taken since they were last read anew. */
  #isDerived = false

  constructor(table: KindTable<PodRecord>, change: RowChange<PodRecord>) {
    this.#table = table
    this.#change = change
  }

  put(pod: PodRecord, held: PodRecord | undefined): void {
    this.#tell(held, pod)
  }

  gone(pod: PodRecord): void {
    this.#tell(pod, undefined)
  }

  whole(): void {
    this.#isDerived = false
  }

  settle(): ReadonlyArray<PodRecord> | undefined {
    if (this.#isDerived) return undefined
    this.#isDerived = true
    return [...this.#table.records.values()]
  }
  /** What a defect leaves half changed is derived anew when it is next asked for. */
  #tell(held: PodRecord | undefined, next: PodRecord | undefined): void {
    if (!this.#isDerived) return
    try {
      this.#change(held, next)
    } catch (defect) {
      this.#isDerived = false
      throw defect
    }
  }
}
