/**
 * Queries of pods, their events and their logs.
 */
import { TRUNCATED_HEADER } from "@quarterdeck/contract/PodGroup"
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"
import { read } from "./File.ts"
import type { WorkloadName } from "./WorkloadQueries.ts"

const FRESH_EVERY_MS = 5_000

/** Maximum number of pods or events that a page shows. */
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

/** Parameters of a log. **Shape** an empty `container` means the pod's only container. */
export interface LogParameters {
  readonly container: string
  readonly tailLines: number
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
}

export type PodName = Pick<Pod, "cluster" | "name" | "namespace">

const logPath = (
  { cluster, name, namespace }: PodName,
  { container, hasTimestamps, isPrevious, tailLines }: LogParameters,
  isFollowed: boolean
): string => {
  const query = new URLSearchParams({
    tailLines: String(tailLines),
    ...(container === "" ? {} : { container }),
    ...(isPrevious ? { previous: "true" } : {}),
    ...(hasTimestamps ? { timestamps: "true" } : {}),
    ...(isFollowed ? { follow: "true" } : {})
  })
  return `/api/v1/pods/${[cluster, namespace, name].map(encodeURIComponent).join("/")}/logs?${query}`
}

/** The log of a container. **Shape** `isCut` if older lines were left out. */
export interface Log {
  readonly text: string
  readonly isCut: boolean
}

/** Reads the newest lines of a log. **Errors** rejects with `ApiFailure`. */
export const readLog = async (pod: PodName, parameters: LogParameters, signal: AbortSignal): Promise<Log> => {
  const response = await read(logPath(pod, parameters, false), signal)
  return { text: await response.text(), isCut: response.headers.get(TRUNCATED_HEADER) === "true" }
}

/**
 * Reads the newest lines of a log and then new ones as they are written, until the log ends. Chunks may be cut anywhere.
 *
 * **Errors** rejects with `ApiFailure`, or with the error that broke the connection.
 */
export const followLog = async (
  pod: PodName,
  parameters: LogParameters,
  {
    onOpen,
    onText,
    signal
  }: { readonly onOpen: () => void; readonly onText: (text: string) => void; readonly signal: AbortSignal }
): Promise<void> => {
  const { body } = await read(logPath(pod, parameters, true), signal)
  onOpen()
  const text = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const part = await text?.read()
    if (part === undefined || part.done) return
    onText(part.value)
  }
}
