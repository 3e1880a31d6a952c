/**
 * The stream of the list that a page shows, closed while nobody sees the page.
 */
import { useDocumentVisibility } from "@mantine/hooks"
import { Effect } from "effect"
import { useEffect, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type Connect, follow, type Followed, type Loss } from "../api/FollowedFeed.ts"
import { followWorkloads } from "../api/followWorkloads.ts"
import type { WorkloadQuestion } from "../api/WorkloadQueries.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"

/** What is typed is asked for when it rests. */
const SETTLED_MS = 400

const CONNECTING: Followed = { state: "connecting" }

interface Asked {
  readonly target: ClusterTarget.ClusterTarget
  readonly question: WorkloadQuestion
}

/** Follows a list while `isWanted`. **Shape** a new value whenever something came. */
export const useWorkloadFeed = (
  target: ClusterTarget.ClusterTarget,
  question: WorkloadQuestion,
  isWanted: boolean
): Followed => {
  const isFollowed = useDocumentVisibility() !== "hidden" && isWanted
  const asked = useSame(target, question)
  const [kept, setKept] = useState({ asked, followed: CONNECTING })

  useEffect(() => {
    if (!isFollowed) return undefined
    const leaving = new AbortController()
    const following = follow(connectionOf(asked), (followed) => setKept({ asked, followed }))
    Effect.runFork(Effect.delay(following, SETTLED_MS), { signal: leaving.signal })
    return () => {
      leaving.abort()
      setKept(({ followed, ...rest }) => ({ ...rest, followed: { ...followed, ...CONNECTING } }))
    }
  }, [asked, isFollowed])

  return kept.asked === asked ? kept.followed : CONNECTING
}

const connectionOf =
  (asked: Asked): Connect =>
  (feed, onHeard) =>
    Effect.tryPromise({
      try: (signal) => followWorkloads({ ...asked, feed, onHeard, signal }),
      catch: (error): Loss => (error instanceof ApiFailure ? error : {})
    })

/** Gives the same object for as long as the same is asked for. **Shape** the order of rows is none of a stream's. */
const useSame = (
  target: ClusterTarget.ClusterTarget,
  { kind = [], labelSelector = "", name = "", namespace = [] }: WorkloadQuestion
): Asked => {
  const key = JSON.stringify([ClusterTarget.keyOf(target), kind, labelSelector, name, namespace])
  const question: WorkloadQuestion = {
    kind,
    namespace,
    ...(labelSelector === "" ? {} : { labelSelector }),
    ...(name === "" ? {} : { name })
  }
  const [kept, setKept] = useState({ key, asked: { target, question } })
  if (kept.key === key) return kept.asked
  const next = { key, asked: { target, question } }
  setKept(next)
  return next.asked
}
