/**
 * Sort orders of the pod list, each made once.
 */
import type { NamedOrder } from "../cache/RowSet.ts"
import type * as ListQuery from "./ListQuery.ts"
import { isFinished, type PodRecord } from "../projection/PodProjection.ts"
import * as RowOrder from "../projection/RowOrder.ts"

type Order = RowOrder.RowOrder<PodRecord>

const TIES = [
  RowOrder.text<PodRecord>((pod) => pod.cluster),
  RowOrder.text<PodRecord>((pod) => pod.namespace),
  RowOrder.text<PodRecord>((pod) => pod.name),
  RowOrder.text<PodRecord>((pod) => pod.uid)
]

/** Sort keys of pods. A finished pod sorts with requests of 0, as its row shows. */
const KEYS: Readonly<Record<ListQuery.PodSort, RowOrder.SortKey<PodRecord>>> = {
  name: RowOrder.text((pod) => pod.name),
  namespace: RowOrder.text((pod) => pod.namespace),
  cluster: RowOrder.text((pod) => pod.cluster),
  status: RowOrder.text((pod) => pod.status),
  node: RowOrder.text((pod) => pod.node),
  restarts: RowOrder.number((pod) => pod.restarts),
  createdAt: RowOrder.text((pod) => pod.createdAt),
  cpuRequestMillis: RowOrder.number((pod) => (isFinished(pod) ? 0 : pod.cpuRequestMillis)),
  memoryRequestBytes: RowOrder.number((pod) => (isFinished(pod) ? 0 : pod.memoryRequestBytes))
}

interface Orders {
  readonly asc: Order
  readonly desc: Order
  readonly ascending: NamedOrder<PodRecord>
}

/** Returns whether a sort equals the default order within one cluster. */
const isDefaultOrder = (sort: ListQuery.PodSort): boolean => sort === "cluster" || sort === "namespace"

const of = (sort: ListQuery.PodSort): Orders => ({
  asc: RowOrder.make(KEYS[sort], "asc", TIES),
  desc: RowOrder.make(KEYS[sort], "desc", TIES),
  ascending: { name: sort, key: isDefaultOrder(sort) ? undefined : KEYS[sort] }
})

const ORDERS: Readonly<Record<ListQuery.PodSort, Orders>> = {
  name: of("name"),
  namespace: of("namespace"),
  cluster: of("cluster"),
  status: of("status"),
  node: of("node"),
  restarts: of("restarts"),
  createdAt: of("createdAt"),
  cpuRequestMillis: of("cpuRequestMillis"),
  memoryRequestBytes: of("memoryRequestBytes")
}

/** Returns the order of a page over all clusters. */
export const ofPage = ({ order, sort }: ListQuery.Page<ListQuery.PodSort>): Order => ORDERS[sort][order]

/** Returns the order in which each cluster keeps its own pods. */
export const ascending = (sort: ListQuery.PodSort): NamedOrder<PodRecord> => ORDERS[sort].ascending
