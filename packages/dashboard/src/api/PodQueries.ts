/**
 * What the pages read of pods: rows, what happened to them, what they have written.
 */
import { TRUNCATED_HEADER } from "@quarterdeck/contract/PodGroup"
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"
import { read } from "./File.ts"
import type { WorkloadName } from "./WorkloadQueries.ts"

const FRESH_EVERY_MS = 5_000

/** Rows of one question: more than a reader looks through. */
const MAX_ROWS = 500

const podsOf = ({ cluster, kind, name, namespace }: WorkloadName, signal: AbortSignal) =>
  call(
    (api) =>
      api.pods.list({
        headers: ClusterTarget.headersOf(ClusterTarget.named([cluster])),
        query: { namespace: [namespace], workload: `${kind}/${name}`, limit: MAX_ROWS }
      }),
    signal
  )

export type PodList = Awaited<ReturnType<typeof podsOf>>
export type Pod = PodList["pods"][number]

/** The pods that count to a workload. */
export const podsQuery = (workload: WorkloadName) =>
  queryOptions({
    queryKey: ["pods", workload.cluster, workload.namespace, workload.kind, workload.name],
    queryFn: ({ signal }) => podsOf(workload, signal),
    refetchInterval: FRESH_EVERY_MS
  })

const eventsOf = (cluster: string, namespace: string, signal: AbortSignal) =>
  call(
    (api) =>
      api.events.list({
        headers: ClusterTarget.headersOf(ClusterTarget.named([cluster])),
        query: { namespace: [namespace], limit: MAX_ROWS }
      }),
    signal
  )

export type EventList = Awaited<ReturnType<typeof eventsOf>>
export type KubeEvent = EventList["events"][number]

/** The newest events of a namespace. */
export const eventsQuery = (cluster: string, namespace: string) =>
  queryOptions({
    queryKey: ["events", cluster, namespace],
    queryFn: ({ signal }) => eventsOf(cluster, namespace, signal),
    refetchInterval: FRESH_EVERY_MS
  })

/** How a log is read. **Shape** an empty `container` is the only one of its pod. */
export interface LogQuestion {
  readonly container: string
  readonly tailLines: number
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
}

/** What a container has written. **Shape** `isCut` when there was more than is given. */
export interface Log {
  readonly text: string
  readonly isCut: boolean
}

/** The newest lines of a log, read once: who reads it says when it is read again. */
export const logQuery = (
  { cluster, name, namespace }: Pick<Pod, "cluster" | "name" | "namespace">,
  question: LogQuestion
) =>
  queryOptions({
    queryKey: ["log", cluster, namespace, name, question],
    queryFn: async ({ signal }): Promise<Log> => {
      const { container, hasTimestamps, isPrevious, tailLines } = question
      const query = new URLSearchParams({
        tailLines: String(tailLines),
        ...(container === "" ? {} : { container }),
        ...(isPrevious ? { previous: "true" } : {}),
        ...(hasTimestamps ? { timestamps: "true" } : {})
      })
      const path = ["/api/v1/pods", ...[cluster, namespace, name].map(encodeURIComponent), "logs"].join("/")
      const response = await read(`${path}?${query}`, signal)
      return { text: await response.text(), isCut: response.headers.get(TRUNCATED_HEADER) === "true" }
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0
  })
