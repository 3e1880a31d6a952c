/**
 * Sort keys and groups of workloads.
 */
import type { WorkloadRow, WorkloadStatus } from "./Row.ts"
import * as RowOrder from "./RowOrder.ts"

/** Order of the statuses in a sorted list: the worst first. */
const SEVERITY: Readonly<Record<WorkloadStatus, number>> = {
  failed: 0,
  degraded: 1,
  progressing: 2,
  paused: 3,
  healthy: 4,
  completed: 5,
  idle: 6
}

/** Each key has its own function: a shared function with a field name would look up the field by name for each row. */
export const KEYS = {
  name: RowOrder.text<WorkloadRow>((row) => row.name),
  namespace: RowOrder.text<WorkloadRow>((row) => row.namespace),
  cluster: RowOrder.text<WorkloadRow>((row) => row.cluster),
  kind: RowOrder.text<WorkloadRow>((row) => row.kind),
  status: RowOrder.number<WorkloadRow>((row) => SEVERITY[row.status]),
  createdAt: RowOrder.text<WorkloadRow>((row) => row.createdAt),
  cpuRequestMillis: RowOrder.number<WorkloadRow>((row) => row.cpuRequestMillis),
  memoryRequestBytes: RowOrder.number<WorkloadRow>((row) => row.memoryRequestBytes)
}

/** Sort keys that equal the default order (namespace, kind, name) within one cluster. */
const PLACES: ReadonlySet<string> = new Set(["cluster", "namespace"])

/** Sort keys that need their own order within one cluster. */
export const sorting: ReadonlyArray<readonly [name: string, key: RowOrder.SortKey<WorkloadRow>]> = Object.entries(
  KEYS
).filter(([name]) => !PLACES.has(name))

/** Returns the counted group of a row: its status and its kind. */
export const groupOf = ({ kind, status }: Pick<WorkloadRow, "kind" | "status">): string => `${status} ${kind}`

/** Splits a group into its status and its kind. */
export const partsOf = (group: string): { readonly status: string; readonly kind: string } => {
  const space = group.indexOf(" ")
  return { status: group.slice(0, space), kind: group.slice(space + 1) }
}
