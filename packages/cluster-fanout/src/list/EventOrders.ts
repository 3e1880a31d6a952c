/**
 * Sort orders of the event list, each made once.
 */
import type { NamedOrder } from "../cache/RowSet.ts"
import type * as ListQuery from "./ListQuery.ts"
import type { EventRecord } from "../projection/EventProjection.ts"
import * as RowOrder from "../projection/RowOrder.ts"

type Order = RowOrder.RowOrder<EventRecord>

const TIES = [
  RowOrder.text<EventRecord>(({ row }) => row.cluster),
  RowOrder.text<EventRecord>((event) => event.namespace),
  RowOrder.text<EventRecord>((event) => event.uid)
]

const KEYS: Readonly<Record<ListQuery.EventSort, RowOrder.SortKey<EventRecord>>> = {
  lastSeenAt: RowOrder.text(({ row }) => row.lastSeenAt),
  namespace: RowOrder.text((event) => event.namespace),
  cluster: RowOrder.text(({ row }) => row.cluster)
}

const of = (sort: ListQuery.EventSort): Readonly<Record<ListQuery.Order, Order>> => ({
  asc: RowOrder.make(KEYS[sort], "asc", TIES),
  desc: RowOrder.make(KEYS[sort], "desc", TIES)
})

const ORDERS = { lastSeenAt: of("lastSeenAt"), namespace: of("namespace"), cluster: of("cluster") }

/** Returns the order of a page over all clusters. */
export const ofPage = ({ order, sort }: ListQuery.Page<ListQuery.EventSort>): Order => ORDERS[sort][order]

/**
 * Returns the order in which each cluster keeps its own events. Only `lastSeenAt` needs a sort key: within one cluster,
 * the other orders equal the default order.
 */
export const ascending = (sort: ListQuery.EventSort): NamedOrder<EventRecord> => ({
  name: sort,
  key: sort === "lastSeenAt" ? KEYS.lastSeenAt : undefined
})
