/**
 * Cached events of one cluster, by namespace and type.
 */
import type { EventRecord } from "../projection/EventProjection.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { KindTable } from "./KindTable.ts"
import { type RowForm, RowSet, type Sorting } from "./RowSet.ts"
import type { Compare } from "./SortedRows.ts"
import * as KindTableFeed from "./KindTableFeed.ts"

const byPlace: Compare<EventRecord> = RowOrder.make<EventRecord>(
  RowOrder.text((event) => event.namespace),
  "asc",
  [RowOrder.text((event) => event.uid)]
).compare

const FORM: RowForm<EventRecord> = { groupOf: ({ row }) => row.type, byPlace }

/** Keeps the events of a table up to date. **Shape** without `sorting`, only the default order is kept. */
export const make = (table: KindTable<EventRecord>, sorting?: Sorting): RowSet<EventRecord> =>
  new RowSet(FORM, KindTableFeed.feed(table), sorting)
