/**
 * Queries of workloads.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"
import type { WorkloadStatus } from "./Shapes.ts"

/** Filters and order of the workload list, as API parameters. */
export interface WorkloadParameters {
  readonly name?: string
  readonly labelSelector?: string
  readonly kind?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<WorkloadStatus>
  readonly namespace?: ReadonlyArray<string>
  readonly sort?:
    | "name"
    | "namespace"
    | "cluster"
    | "kind"
    | "status"
    | "createdAt"
    | "cpuRequestMillis"
    | "memoryRequestBytes"
  readonly order?: "asc" | "desc"
}

/** Rows on a page: more than fit on a screen. */
const PAGE = 100
const FRESH_EVERY_MS = 5_000
/** A list of more pages than this is refetched only on request. */
const REREAD_PAGES = 5

const read = (
  target: ClusterTarget.ClusterTarget,
  parameters: WorkloadParameters,
  page: { readonly limit: number; readonly cursor?: string },
  signal: AbortSignal
) =>
  call(
    (api) => api.workloads.list({ headers: ClusterTarget.headersOf(target), query: { ...parameters, ...page } }),
    signal
  )

export type WorkloadPage = Awaited<ReturnType<typeof read>>
export type Workload = WorkloadPage["workloads"][number]

/**
 * Workloads, loaded page by page. The previous list stays visible while another one loads.
 *
 * **Shape** `isReread` refetches the list on a timer.
 */
export const workloadsQuery = (
  target: ClusterTarget.ClusterTarget,
  parameters: WorkloadParameters,
  isReread: boolean
) =>
  infiniteQueryOptions({
    queryKey: ["workloads", ClusterTarget.keyOf(target), parameters],
    queryFn: ({ pageParam, signal }) =>
      read(target, parameters, { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isReread && mayBeReread(state.data?.pages.length ?? 0) ? FRESH_EVERY_MS : false)
  })

/** Returns true if a list with this number of pages may be refetched on a timer. */
export const mayBeReread = (pages: number): boolean => pages <= REREAD_PAGES

/** Reads a workload from its cluster: conditions, rollout, containers. **Errors** rejects if the cluster does not answer. */
const readDetail = ({ cluster, kind, name, namespace }: Workload, signal: AbortSignal) =>
  call((api) => api.workload.get({ params: { cluster, namespace, kind, name }, headers: {} }), signal)

export type WorkloadDetail = Awaited<ReturnType<typeof readDetail>>["workload"]

const DETAIL_EVERY_MS = 15_000

/** A workload as its cluster has it now. */
export const workloadDetailQuery = (workload: Workload) =>
  queryOptions({
    queryKey: ["workload", "detail", workload.cluster, workload.namespace, workload.kind, workload.name],
    queryFn: async ({ signal }) => (await readDetail(workload, signal)).workload,
    refetchInterval: DETAIL_EVERY_MS
  })

export interface WorkloadName {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** Rows on a page of the search for one name. The API matches parts of names. */
const MAX_ROWS = 5_000

/** A workload and the coverage of its cluster. **Shape** `workload` is absent if the cluster has no such workload. */
export const workloadQuery = ({ cluster, kind, name, namespace }: WorkloadName) =>
  queryOptions({
    queryKey: ["workload", cluster, namespace, kind, name],
    queryFn: async ({ signal }) => {
      const target = ClusterTarget.named([cluster])
      const parameters: WorkloadParameters = { kind: [kind], name, namespace: [namespace] }
      let cursor: string | undefined
      for (;;) {
        const page = await read(
          target,
          parameters,
          { limit: MAX_ROWS, ...(cursor === undefined ? {} : { cursor }) },
          signal
        )
        const workload = page.workloads.find((one) => one.name === name)
        cursor = page.nextCursor
        if (workload !== undefined || cursor === undefined) return { workload, clusters: page.clusters }
      }
    },
    refetchInterval: FRESH_EVERY_MS
  })
