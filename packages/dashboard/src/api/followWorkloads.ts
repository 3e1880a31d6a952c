/**
 * Follows a list of workloads over one connection.
 */
import * as ClusterTarget from "./ClusterTarget.ts"
import { read } from "./File.ts"
import type { WorkloadFeed } from "./WorkloadFeed.ts"
import type { WorkloadQuestion } from "./WorkloadQueries.ts"

/** Names the rows of a list, whatever its order. */
const pathOf = ({ kind = [], labelSelector, name, namespace = [] }: WorkloadQuestion): string => {
  const query = new URLSearchParams()
  if (name !== undefined) query.set("name", name)
  if (labelSelector !== undefined) query.set("labelSelector", labelSelector)
  for (const one of kind) query.append("kind", one)
  for (const one of namespace) query.append("namespace", one)
  return `/api/v1/workloads/watch?${query}`
}

interface Following {
  readonly target: ClusterTarget.ClusterTarget
  readonly question: WorkloadQuestion
  /** Goes on where it was; `onHeard` is called behind each part that it took, with when that came. */
  readonly feed: WorkloadFeed
  readonly onHeard: (nowMs: number) => void
  readonly signal: AbortSignal
}

/**
 * Reads a stream to its end.
 *
 * **Errors** rejects with `ApiFailure` where the server refuses it, and with what broke it off later.
 */
export const followWorkloads = async ({ feed, onHeard, question, signal, target }: Following): Promise<void> => {
  const { body } = await read(pathOf(question), signal, {
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
      onHeard(nowMs)
    }
  } finally {
    // One that is left open counts against the key's streams; of one that has failed there is nothing to close.
    await text?.cancel().catch(() => undefined)
  }
}
