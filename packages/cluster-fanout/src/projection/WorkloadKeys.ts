/**
 * What workloads are sorted by.
 */
import type { WorkloadRow } from "./Row.ts"
import * as RowOrder from "./RowOrder.ts"

/** A reader of its own for each key: one for all would look the field up anew for each row. */
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

/** Within one cluster, by these rows stand as by their places: namespace, kind, name. */
const PLACES: ReadonlySet<string> = new Set(["cluster", "namespace"])

/** Those by which the rows of one cluster stand otherwise than by their places. */
export const sorting: ReadonlyArray<readonly [name: string, key: RowOrder.SortKey<WorkloadRow>]> = Object.entries(
  KEYS
).filter(([name]) => !PLACES.has(name))
