/**
 * The orders of a list of workloads, each made once.
 */
import type { NamedOrder } from "../cache/RowSet.ts"
import { BY_PLACE } from "../cache/WorkloadSet.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { WorkloadRow } from "../projection/Row.ts"

type Order = RowOrder.RowOrder<WorkloadRow>

const NUMBERS = new Set<ListQuery.WorkloadSort>(["cpuRequestMillis", "memoryRequestBytes"])

const TIES = [
  RowOrder.text<WorkloadRow>((row) => row.cluster),
  RowOrder.text<WorkloadRow>((row) => row.namespace),
  RowOrder.text<WorkloadRow>((row) => row.kind),
  RowOrder.text<WorkloadRow>((row) => row.name),
  RowOrder.text<WorkloadRow>((row) => row.id)
]

const make = (sort: ListQuery.WorkloadSort, direction: ListQuery.Order): Order =>
  RowOrder.make<WorkloadRow>({ type: NUMBERS.has(sort) ? "number" : "text", read: (row) => row[sort] }, direction, TIES)

interface Orders {
  readonly asc: Order
  readonly desc: Order
  readonly ascending: NamedOrder<WorkloadRow>
}

/** Within one cluster, both of these are the order of places. */
const isPlace = (sort: ListQuery.WorkloadSort): boolean => sort === "cluster" || sort === "namespace"

const of = (sort: ListQuery.WorkloadSort): Orders => {
  const asc = make(sort, "asc")
  return { asc, desc: make(sort, "desc"), ascending: isPlace(sort) ? BY_PLACE : { name: sort, compare: asc.compare } }
}

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

/** Gives the order of a page over all clusters. */
export const ofPage = ({ order, sort }: ListQuery.Page<ListQuery.WorkloadSort>): Order => ORDERS[sort][order]

/** Gives the order in which each cluster keeps its own rows for it. */
export const ascending = (sort: ListQuery.WorkloadSort): NamedOrder<WorkloadRow> => ORDERS[sort].ascending
