/**
 * Sort keys of workloads.
 */
import type { WorkloadRow } from "./Row.ts"
import * as RowOrder from "./RowOrder.ts"

/** Each key has its own function: a shared function with a field name would look up the field by name for each row. */
export const KEYS = {
  name: RowOrder.text<WorkloadRow>((row) => row.name),
  namespace: RowOrder.text<WorkloadRow>((row) => row.namespace),
  cluster: RowOrder.text<WorkloadRow>((row) => row.cluster),
  kind: RowOrder.text<WorkloadRow>((row) => row.kind),
  status: RowOrder.text<WorkloadRow>((row) => row.status),
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
