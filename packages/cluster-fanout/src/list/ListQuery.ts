/**
 * What a list may be asked for, beside its target.
 */
import { Schema } from "effect"
import { Consistency } from "../kube/Coverage.ts"

export const MAX_LIMIT = 5_000
export const DEFAULT_LIMIT = 500

export const Order = Schema.Literals(["asc", "desc"])
export type Order = typeof Order.Type

/** The keys that workloads sort by; texts sort in byte order, ties by cluster, namespace, kind, name, id. */
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

/** The keys that pods sort by; texts sort in byte order, ties by cluster, namespace, name, id. */
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

/** The keys that events sort by; texts sort in byte order, ties by cluster, namespace, id. */
export const EventSort = Schema.Literals(["lastSeenAt", "namespace", "cluster"])
export type EventSort = typeof EventSort.Type

export const NamespaceSort = Schema.Literals(["name", "cluster"])
export type NamespaceSort = typeof NamespaceSort.Type

/** The page of a sorted, merged list. **Units** `timeoutMs` is the deadline of the whole answer. */
export interface Page<Sort extends string> {
  readonly sort: Sort
  readonly order: Order
  readonly limit: number
  readonly cursor?: string
  readonly consistency: Consistency
  readonly timeoutMs: number
}
