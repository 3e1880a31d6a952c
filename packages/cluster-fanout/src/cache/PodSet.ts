/**
 * The kept pods of one cluster, by namespace and name.
 */
import type { KindTable } from "./KindTable.ts"
import { type RowForm, RowSet, type Sorting } from "./RowSet.ts"
import type { Compare } from "./SortedRows.ts"
import * as KindTableFeed from "./KindTableFeed.ts"
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
export const make = (table: KindTable<PodRecord>, sorting?: Sorting): RowSet<PodRecord> =>
  new RowSet(FORM, KindTableFeed.feed(table), sorting)
