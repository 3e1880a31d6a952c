/**
 * The rows that the service must return, filtered and sorted without any of its code.
 */
import type { KubeObject } from "@quarterdeck/harness"
import * as Filling from "./Filling.ts"
import * as Objects from "../load/Objects.ts"

/** The name and the sortable fields of a workload's row. */
export interface Row {
  readonly id: string
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly status: string
  readonly createdAt: string
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
}

export const SORTS = [
  "name",
  "namespace",
  "cluster",
  "kind",
  "status",
  "createdAt",
  "cpuRequestMillis",
  "memoryRequestBytes"
] as const
export type Sort = (typeof SORTS)[number]
export type Order = "asc" | "desc"

const BYTES_PER_MI = 1_048_576

/** Returns all rows of the clusters, unsorted. */
export const rowsOf = ({ clusters, deployments }: Filling.Filling): ReadonlyArray<Row> =>
  Array.from({ length: clusters }, (_, place) =>
    Array.from({ length: deployments }, (_, index) => rowOf(place, index))
  ).flat()

const rowOf = (place: number, index: number): Row => {
  const { cpuMillis, memoryMi, replicas, status } = Objects.deployment(place, index)
  const { metadata } = Filling.deployment(place, index)
  return {
    id: metadata.uid,
    cluster: Filling.clusterName(place),
    namespace: textOf(metadata, "namespace"),
    kind: "Deployment",
    name: textOf(metadata, "name"),
    status: replicas === 0 ? "idle" : status.availableReplicas < replicas ? "degraded" : "healthy",
    createdAt: metadata.creationTimestamp,
    cpuRequestMillis: cpuMillis * replicas,
    memoryRequestBytes: memoryMi * replicas * BYTES_PER_MI
  }
}

const textOf = (metadata: KubeObject.KubeObject["metadata"], field: "name" | "namespace"): string =>
  metadata[field] ?? ""

const TIES = ["cluster", "namespace", "kind", "name", "id"] as const

const compare = (one: string | number, other: string | number): number => (one === other ? 0 : one < other ? -1 : 1)

/** Compares two rows by the sort key in the given order, ties ascending. All texts here are ASCII. */
export const comparing =
  (sort: Sort, order: Order) =>
  (one: Row, other: Row): number => {
    const first = compare(one[sort], other[sort])
    if (first !== 0) return order === "asc" ? first : -first
    for (const tie of TIES) {
      const tied = compare(one[tie], other[tie])
      if (tied !== 0) return tied
    }
    return 0
  }

/** Returns the first fault of a page that must have exactly the expected rows, or `undefined`. */
export const faultOf = (rows: ReadonlyArray<Row>, expected: ReadonlyArray<Row>): string | undefined => {
  const seen = new Set<string>()
  for (const row of rows) {
    if (seen.has(row.id)) return `double: ${labelOf(row)}`
    seen.add(row.id)
  }
  const wanted = new Set(expected.map(({ id }) => id))
  const missing = expected.find(({ id }) => !seen.has(id))
  if (missing !== undefined) return `missing: ${labelOf(missing)}`
  const foreign = rows.find(({ id }) => !wanted.has(id))
  if (foreign !== undefined) return `not to be there: ${labelOf(foreign)}`
  for (const [index, row] of rows.entries()) {
    const due = expected[index]
    if (due === undefined || due.id !== row.id) return `out of order: ${labelOf(row)}`
    const differing = Object.entries(due).find(([field, value]) => Reflect.get(row, field) !== value)
    if (differing !== undefined) return `another ${differing[0]}: ${labelOf(row)}`
  }
  return undefined
}

/**
 * Returns the first fault of a walk over rows while other rows came and went, or `undefined`.
 *
 * **Shape** `mayBe` returns true for a row that may have existed during the walk.
 */
export const walkFaultOf = (
  rows: ReadonlyArray<Row>,
  stayed: ReadonlyArray<Row>,
  { mayBe, order, sort }: { readonly mayBe: (row: Row) => boolean; readonly sort: Sort; readonly order: Order }
): string | undefined => {
  const before = comparing(sort, order)
  const wanted = new Set(stayed.map(({ id }) => id))
  const seen = new Set<string>()
  let last: Row | undefined
  for (const row of rows) {
    if (seen.has(row.id)) return `double: ${labelOf(row)}`
    seen.add(row.id)
    if (!wanted.has(row.id) && !mayBe(row)) return `not to be there: ${labelOf(row)}`
    if (last !== undefined && before(last, row) >= 0) return `out of order: ${labelOf(row)}`
    last = row
  }
  const missing = stayed.find(({ id }) => !seen.has(id))
  return missing === undefined ? undefined : `missing: ${labelOf(missing)}`
}

const labelOf = ({ cluster, name, namespace }: Row): string => `${cluster}/${namespace}/${name}`
