/**
 * Cached pods of one cluster, by namespace and name.
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

/** Grouped by status: few statuses occur at a time, and filters mostly select the rare ones. */
const FORM: RowForm<PodRecord> = { groupOf: (pod) => pod.status, byPlace }

/**
 * Keeps the pods of a table up to date.
 *
 * **Shape** holds the records themselves; rows are made when they are shown. Without `sorting`, only the default order
 * is kept.
 */
export const make = (table: KindTable<PodRecord>, sorting?: Sorting): RowSet<PodRecord> =>
  new RowSet(FORM, KindTableFeed.feed(table), sorting)
