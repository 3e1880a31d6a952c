/**
 * The filter and order of the workload list. The page's address holds them.
 */
import type { WorkloadStatus } from "../api/Shapes.ts"
import type { WorkloadParameters } from "../api/WorkloadQueries.ts"

export const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "ReplicaSet", "Pod"] as const

/** Every status, the worst first. */
export const STATUSES = [
  "failed",
  "degraded",
  "progressing",
  "paused",
  "healthy",
  "completed",
  "idle"
] as const satisfies ReadonlyArray<WorkloadStatus>

export const SORTS = [
  ["name", "Name"],
  ["namespace", "Namespace"],
  ["cluster", "Cluster"],
  ["kind", "Kind"],
  ["status", "Status"],
  ["cpuRequestMillis", "CPU requests"],
  ["memoryRequestBytes", "Memory requests"],
  ["createdAt", "Created"]
] as const

export type Sort = (typeof SORTS)[number][0]
export type Order = "asc" | "desc"

/** Filter and order of the workload list. Empty strings and arrays match every workload. */
export interface WorkloadFilter {
  readonly name: string
  readonly kinds: ReadonlyArray<string>
  readonly namespaces: ReadonlyArray<string>
  readonly labels: string
  readonly statuses: ReadonlyArray<WorkloadStatus>
  readonly sort: Sort
  readonly order: Order
}

const sortOf = (text: string | null): Sort => SORTS.find(([sort]) => sort === text)?.[0] ?? "name"

export const parse = (search: URLSearchParams): WorkloadFilter => ({
  name: search.get("name") ?? "",
  kinds: search.getAll("kind"),
  namespaces: search.getAll("namespace"),
  labels: search.get("labels") ?? "",
  statuses: STATUSES.filter((status) => search.getAll("status").includes(status)),
  sort: sortOf(search.get("sort")),
  order: search.get("order") === "desc" ? "desc" : "asc"
})

/** Writes a filter into an address. Other parameters stay. **Shape** default values are omitted. */
export const write = (search: URLSearchParams, filter: WorkloadFilter): URLSearchParams => {
  const next = new URLSearchParams(search)
  for (const name of ["name", "kind", "namespace", "labels", "status", "sort", "order"]) next.delete(name)
  if (filter.name !== "") next.set("name", filter.name)
  for (const kind of filter.kinds) next.append("kind", kind)
  for (const namespace of filter.namespaces) next.append("namespace", namespace)
  if (filter.labels !== "") next.set("labels", filter.labels)
  for (const status of filter.statuses) next.append("status", status)
  if (filter.sort !== "name") next.set("sort", filter.sort)
  if (filter.order !== "asc") next.set("order", filter.order)
  return next
}

/** The part of a filter that matches every workload. */
export const EVERY = {
  name: "",
  kinds: [],
  namespaces: [],
  labels: "",
  statuses: []
} as const satisfies Partial<WorkloadFilter>

export const isNarrowed = ({ kinds, labels, name, namespaces, statuses }: WorkloadFilter): boolean =>
  statuses.length > 0 || name.trim() !== "" || labels.trim() !== "" || kinds.length > 0 || namespaces.length > 0

/** Makes the API parameters of a filter. */
export const parametersOf = ({
  kinds,
  labels,
  name,
  namespaces,
  order,
  sort,
  statuses
}: WorkloadFilter): WorkloadParameters => ({
  sort,
  order,
  ...(name.trim() === "" ? {} : { name: name.trim() }),
  ...(labels.trim() === "" ? {} : { labelSelector: labels.trim() }),
  ...(kinds.length === 0 ? {} : { kind: kinds }),
  ...(statuses.length === 0 ? {} : { status: statuses }),
  ...(namespaces.length === 0 ? {} : { namespace: namespaces })
})
