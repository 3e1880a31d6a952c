/**
 * Row sets whose rows are the records of one kind: the pods and the events of one cluster.
 */
import type { EventRecord } from "../projection/EventProjection.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { KindTable, Observer } from "./KindTable.ts"
import { type RowChange, type RowForm, RowSet, type RowSource, type Sorting } from "./RowSet.ts"

/** Pods are grouped by status: few statuses occur at a time, and filters mostly select the rare ones. */
const PODS: RowForm<PodRecord> = {
  groupOf: (pod) => pod.status,
  byPlace: RowOrder.make<PodRecord>(
    RowOrder.text((pod) => pod.namespace),
    "asc",
    [RowOrder.text((pod) => pod.name), RowOrder.text((pod) => pod.uid)]
  ).compare
}

const EVENTS: RowForm<EventRecord> = {
  groupOf: ({ row }) => row.type,
  byPlace: RowOrder.make<EventRecord>(
    RowOrder.text((event) => event.namespace),
    "asc",
    [RowOrder.text((event) => event.uid)]
  ).compare
}

/**
 * Makes the row set of a table's pods, which follows the table's changes.
 *
 * **Shape** holds the records themselves; rows are made when they are shown. Without `sorting`, pods are sorted in the
 * default order only.
 */
export const ofPods = (table: KindTable<PodRecord>, sorting?: Sorting): RowSet<PodRecord> =>
  new RowSet(PODS, feed(table), sorting)

/** Makes the row set of a table's events. **Shape** without `sorting`, events are sorted in the default order only. */
export const ofEvents = (table: KindTable<EventRecord>, sorting?: Sorting): RowSet<EventRecord> =>
  new RowSet(EVENTS, feed(table), sorting)

/** Reports each later change of a table. */
const feed =
  <R extends { readonly uid: string }>(table: KindTable<R>) =>
  (change: RowChange<R>): RowSource<R> => {
    const rows = new RecordSource(table, change)
    table.observe(rows)
    return rows
  }

class RecordSource<R extends { readonly uid: string }> implements Observer<R>, RowSource<R> {
  readonly #table: KindTable<R>
  readonly #change: RowChange<R>
  /** True if the records have been read since they were last replaced. */
  #isDerived = false

  constructor(table: KindTable<R>, change: RowChange<R>) {
    this.#table = table
    this.#change = change
  }

  put(record: R, previous: R | undefined): void {
    this.#report(previous, record)
  }

  gone(record: R): void {
    this.#report(record, undefined)
  }

  whole(): void {
    this.#isDerived = false
  }

  settle(): ReadonlyArray<R> | undefined {
    if (this.#isDerived) return undefined
    this.#isDerived = true
    return [...this.#table.records.values()]
  }

  /** Nothing to prepare: `settle` only copies an array. */
  prepare(): boolean {
    return false
  }

  /** Reports a change. After a defect, all rows are read again at the next use. */
  #report(previous: R | undefined, next: R | undefined): void {
    if (!this.#isDerived) return
    try {
      this.#change(previous, next)
    } catch (defect) {
      this.#isDerived = false
      throw defect
    }
  }
}
