/**
 * A list of workloads that follows what happens to them: read once, then told by a stream; read again and again where there
 * is none.
 */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { mayBeReread, type WorkloadQuestion, workloadsQuery } from "../api/WorkloadQueries.ts"
import type { ClusterTarget } from "../api/ClusterTarget.ts"
import * as LiveRows from "./LiveRows.ts"
import type { LiveWord } from "./LiveState.tsx"
import { useWorkloadFeed } from "./useWorkloadFeed.ts"

/** A stream tells every row of a list before it tells changes: of longer lists that is more than a page should take. */
const MAX_FOLLOWED = 2_000

export const useLiveList = (target: ClusterTarget, question: WorkloadQuestion) => {
  const [isPaused, setPaused] = useState(false)
  // What the list has decides whether it is followed, and only that whether it is read again.
  const [isRead, setRead] = useState(true)
  const list = useInfiniteQuery(workloadsQuery(target, question, isRead))
  const pages = list.data?.pages
  const listed = useMemo(() => pages?.flatMap((page) => page.workloads) ?? [], [pages])
  const read = pages?.[0]?.clusters ?? []
  const count = read.reduce((sum, coverage) => sum + coverage.count, 0)
  const isLarge = count > MAX_FOLLOWED
  const followed = useWorkloadFeed(target, question, pages !== undefined && !isPaused && !isLarge)
  const isLive = followed.state === "live"

  const wantsRead = !isPaused && !isLive
  if (isRead !== wantsRead) setRead(wantsRead)
  const { refetch } = list
  // What changed between the list and the stream is in neither.
  useEffect(() => {
    if (isLive) void refetch()
  }, [isLive, refetch])

  // A stream that is not followed any more was told what a list that was read before does not have.
  const told = isLive || (followed.told?.heardAtMs ?? 0) > list.dataUpdatedAt ? followed.told : undefined
  const shown = useMemo(() => LiveRows.of(listed, told), [listed, told])
  const readAtMs = list.dataUpdatedAt
  const shownAtMs = Math.max(readAtMs, told?.heardAtMs ?? 0)
  const word: LiveWord = isPaused ? "paused" : isLarge ? "large" : followed.state
  return {
    ...shown,
    list,
    word,
    total: told?.rows.size ?? count,
    coverages: LiveRows.coveragesOf(read, told, { readAtMs, shownAtMs }),
    /** Of when it is. **Units** milliseconds since the epoch. */
    shownAtMs,
    /** Whether it stays fresh by itself. */
    isFresh: isLive || (!isPaused && mayBeReread(pages?.length ?? 0)),
    pause: setPaused,
    readAgain: () => void refetch()
  }
}
