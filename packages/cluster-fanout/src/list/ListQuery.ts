/**
 * Parameters of a list, apart from its target.
 */
import { Schema } from "effect"
import { Consistency } from "../kube/Coverage.ts"

export const MAX_LIMIT = 5_000
export const DEFAULT_LIMIT = 500

export const Order = Schema.Literals(["asc", "desc"])
export type Order = typeof Order.Type

/** Sort keys of workloads. Text sorts in byte order; ties sort by cluster, namespace, kind, name, id. */
export const WorkloadSort = Schema.Literals([
  "name",
  "namespace",
  "cluster",
  "kind",
  "status",
  "createdAt",
  "cpuRequestMillis",
  "memoryRequestBytes"
])
export type WorkloadSort = typeof WorkloadSort.Type

/** Sort keys of pods. Text sorts in byte order; ties sort by cluster, namespace, name, id. */
export const PodSort = Schema.Literals([
  "name",
  "namespace",
  "cluster",
  "status",
  "node",
  "restarts",
  "createdAt",
  "cpuRequestMillis",
  "memoryRequestBytes"
])
export type PodSort = typeof PodSort.Type

/** Sort keys of events. Text sorts in byte order; ties sort by cluster, namespace, id. */
export const EventSort = Schema.Literals(["lastSeenAt", "namespace", "cluster"])
export type EventSort = typeof EventSort.Type

export const NamespaceSort = Schema.Literals(["name", "cluster"])
export type NamespaceSort = typeof NamespaceSort.Type

/** The requested page of a sorted, merged list. **Units** `timeoutMs` is the deadline of the whole answer. */
export interface Page<Sort extends string> {
  readonly sort: Sort
  readonly order: Order
  readonly limit: number
  readonly cursor?: string
  readonly consistency: Consistency
  readonly timeoutMs: number
}
