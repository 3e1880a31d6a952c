/**
 * What the pages read of workloads.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"

/** What narrows and orders a list. **Shape** as the API's parameters; what is absent narrows nothing. */
export interface WorkloadQuestion {
  readonly name?: string
  readonly labelSelector?: string
  readonly kind?: ReadonlyArray<string>
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

/** Rows of one reply: what a screen shows, and some to scroll to. */
const PAGE = 100
const FRESH_EVERY_MS = 5_000
/** A list that is scrolled further than this many pages is read again when its reader asks for it. */
const REREAD_PAGES = 5

const read = (
  target: ClusterTarget.ClusterTarget,
  question: WorkloadQuestion,
  page: { readonly limit: number; readonly cursor?: string },
  signal: AbortSignal
) =>
  call(
    (api) => api.workloads.list({ headers: ClusterTarget.headersOf(target), query: { ...question, ...page } }),
    signal
  )

export type WorkloadPage = Awaited<ReturnType<typeof read>>
export type Workload = WorkloadPage["workloads"][number]

/**
 * A list that goes on as it is scrolled; while another is asked for, the last one is still shown.
 *
 * **Shape** read again by itself if `isReread`.
 */
export const workloadsQuery = (target: ClusterTarget.ClusterTarget, question: WorkloadQuestion, isReread: boolean) =>
  infiniteQueryOptions({
    queryKey: ["workloads", ClusterTarget.keyOf(target), question],
    queryFn: ({ pageParam, signal }) =>
      read(target, question, { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isReread && mayBeReread(state.data?.pages.length ?? 0) ? FRESH_EVERY_MS : false)
  })

/** Whether a list with so many pages may be read again by itself. */
export const mayBeReread = (pages: number): boolean => pages <= REREAD_PAGES

/** What names a workload. */
export interface WorkloadName {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** Names that have the wanted one as a part of them are looked through by so many. */
const MAX_ROWS = 5_000

/** One workload, and how its cluster answered. **Shape** `workload` is absent where there is none of that name. */
export const workloadQuery = ({ cluster, kind, name, namespace }: WorkloadName) =>
  queryOptions({
    queryKey: ["workload", cluster, namespace, kind, name],
    queryFn: async ({ signal }) => {
      const target = ClusterTarget.named([cluster])
      const question: WorkloadQuestion = { kind: [kind], name, namespace: [namespace] }
      let cursor: string | undefined
      for (;;) {
        const page = await read(
          target,
          question,
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
