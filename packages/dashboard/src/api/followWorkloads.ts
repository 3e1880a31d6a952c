/**
 * Reads the workload stream over one connection.
 */
import * as ClusterTarget from "./ClusterTarget.ts"
import { read } from "./File.ts"
import type { WorkloadFeed } from "./WorkloadFeed.ts"
import type { WorkloadParameters } from "./WorkloadQueries.ts"

/** Returns the path of the stream. The order of a list does not matter for it. */
const pathOf = ({ kind = [], labelSelector, name, namespace = [], status = [] }: WorkloadParameters): string => {
  const query = new URLSearchParams()
  if (name !== undefined) query.set("name", name)
  if (labelSelector !== undefined) query.set("labelSelector", labelSelector)
  for (const one of kind) query.append("kind", one)
  for (const one of namespace) query.append("namespace", one)
  for (const one of status) query.append("status", one)
  return `/api/v1/workloads/watch?${query}`
}

interface Following {
  readonly target: ClusterTarget.ClusterTarget
  readonly parameters: WorkloadParameters
  /** Resumes after the feed's last event. `onReceived` is called after each chunk with the time of its arrival. */
  readonly feed: WorkloadFeed
  readonly onReceived: (nowMs: number) => void
  readonly signal: AbortSignal
}

/**
 * Reads a stream to its end.
 *
 * **Errors** rejects with `ApiFailure` if the server refuses, or with the error that broke the connection.
 */
export const followWorkloads = async ({ feed, onReceived, parameters, signal, target }: Following): Promise<void> => {
  const { body } = await read(pathOf(parameters), signal, {
    ...ClusterTarget.headersOf(target),
    accept: "text/event-stream",
    ...(feed.lastId === undefined ? {} : { "last-event-id": feed.lastId })
  })
  const take = feed.reader()
  const text = body?.pipeThrough(new TextDecoderStream()).getReader()
  try {
    while (!feed.isEnded) {
      const part = await text?.read()
      if (part === undefined || part.done) return
      const nowMs = new Date().getTime()
      take(part.value, nowMs)
      onReceived(nowMs)
    }
  } finally {
    // An open stream counts against the key's limit. A failed stream needs no closing.
    await text?.cancel().catch(() => undefined)
  }
}
