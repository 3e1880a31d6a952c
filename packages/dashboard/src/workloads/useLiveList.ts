/**
 * A live list of workloads: read once, then kept current by a stream. Without a stream it is refetched on a timer.
 */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { mayBeReread, type WorkloadParameters, workloadsQuery } from "../api/WorkloadQueries.ts"
import type { ClusterTarget } from "../api/ClusterTarget.ts"
import * as LiveRows from "./LiveRows.ts"
import type { LiveWord } from "./LiveState.tsx"
import { useWorkloadFeed } from "./useWorkloadFeed.ts"
import { STATUSES } from "./WorkloadFilter.ts"

/** Longest list that is followed. A stream first sends every row, which is too much for longer lists. */
const MAX_FOLLOWED = 2_000

export const useLiveList = (target: ClusterTarget, parameters: WorkloadParameters) => {
  const [isPaused, setPaused] = useState(false)
  // The length of the list decides whether it is followed, and a followed list is not refetched on a timer.
  const [isRead, setRead] = useState(true)
  const list = useInfiniteQuery(workloadsQuery(target, parameters, isRead))
  const pages = list.data?.pages
  const listed = useMemo(() => pages?.flatMap((page) => page.workloads) ?? [], [pages])
  const read = pages?.[0]?.clusters ?? []
  const count = read.reduce((sum, coverage) => sum + coverage.count, 0)
  const isLarge = count > MAX_FOLLOWED
  const followed = useWorkloadFeed(target, parameters, pages !== undefined && !isPaused && !isLarge)
  const isLive = followed.state === "live"

  const wantsRead = !isPaused && !isLive
  if (isRead !== wantsRead) setRead(wantsRead)
  const { refetch } = list
  // Changes between reading the list and the start of the stream are in neither, so the list is read again.
  useEffect(() => {
    if (isLive) void refetch()
  }, [isLive, refetch])

  // A closed stream's snapshot is used as long as it is newer than the list.
  const snapshot = isLive || (followed.snapshot?.receivedAtMs ?? 0) > list.dataUpdatedAt ? followed.snapshot : undefined
  const shown = useMemo(() => LiveRows.of(listed, snapshot), [listed, snapshot])
  const readAtMs = list.dataUpdatedAt
  const shownAtMs = Math.max(readAtMs, snapshot?.receivedAtMs ?? 0)
  const word: LiveWord = isPaused ? "paused" : isLarge ? "large" : followed.state
  return {
    ...shown,
    list,
    word,
    total: snapshot?.rows.size ?? count,
    statusCounts: LiveRows.countsOf(
      pages?.[0]?.statusCounts,
      snapshot,
      parameters.status === undefined ? STATUSES : parameters.status
    ),
    coverages: LiveRows.coveragesOf(read, snapshot, { readAtMs, shownAtMs }),
    /** Time of the shown state. **Units** milliseconds since the epoch. */
    shownAtMs,
    /** True if the list updates automatically. */
    isFresh: isLive || (!isPaused && mayBeReread(pages?.length ?? 0)),
    pause: setPaused,
    readAgain: () => void refetch()
  }
}
