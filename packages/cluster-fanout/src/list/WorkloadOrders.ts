/**
 * Sort orders of the workload list, each made once.
 */
import type { NamedOrder } from "../cache/RowSet.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import * as WorkloadKeys from "../projection/WorkloadKeys.ts"

type Order = RowOrder.RowOrder<WorkloadRow>

const TIES = [
  RowOrder.text<WorkloadRow>((row) => row.cluster),
  RowOrder.text<WorkloadRow>((row) => row.namespace),
  RowOrder.text<WorkloadRow>((row) => row.kind),
  RowOrder.text<WorkloadRow>((row) => row.name),
  RowOrder.text<WorkloadRow>((row) => row.id)
]

const SORTING = new Map(WorkloadKeys.sorting)

const make = (sort: ListQuery.WorkloadSort, direction: ListQuery.Order): Order =>
  RowOrder.make(WorkloadKeys.KEYS[sort], direction, TIES)

interface Orders {
  readonly asc: Order
  readonly desc: Order
  readonly ascending: NamedOrder<WorkloadRow>
}

const of = (sort: ListQuery.WorkloadSort): Orders => ({
  asc: make(sort, "asc"),
  desc: make(sort, "desc"),
  ascending: { name: sort, key: SORTING.get(sort) }
})

const ORDERS: Readonly<Record<ListQuery.WorkloadSort, Orders>> = {
  name: of("name"),
  namespace: of("namespace"),
  cluster: of("cluster"),
  kind: of("kind"),
  status: of("status"),
  createdAt: of("createdAt"),
  cpuRequestMillis: of("cpuRequestMillis"),
  memoryRequestBytes: of("memoryRequestBytes")
}

/** Returns the order of a page over all clusters. */
export const ofPage = ({ order, sort }: ListQuery.Page<ListQuery.WorkloadSort>): Order => ORDERS[sort][order]

/** Returns the order in which each cluster keeps its own rows. */
export const ascending = (sort: ListQuery.WorkloadSort): NamedOrder<WorkloadRow> => ORDERS[sort].ascending
