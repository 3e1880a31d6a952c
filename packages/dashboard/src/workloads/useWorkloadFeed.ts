/**
 * The stream of the list that a page shows, opened again when it ends, and closed while nobody sees the page.
 */
import { useDocumentVisibility } from "@mantine/hooks"
import { Effect } from "effect"
import { useEffect, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { followWorkloads } from "../api/followWorkloads.ts"
import { WorkloadFeed } from "../api/WorkloadFeed.ts"
import type { WorkloadQuestion } from "../api/WorkloadQueries.ts"
import * as ClusterTarget from "../target/ClusterTarget.ts"

/** **Shape** `busy` where the server has too many streams, of this key or in all. */
export type FeedState = "live" | "connecting" | "busy"

/** Changes that come closer to each other are shown together. */
const SHOWN_EVERY_MS = 250
/** What is typed is asked for when it rests. */
const SETTLED_MS = 400
/** As long as the server says to wait when it has too many streams. */
const AGAIN_MS = 5_000

/** **Shape** a new value whenever something came; `feed` while it is live. */
export interface Followed {
  readonly state: FeedState
  readonly feed?: WorkloadFeed
}

const BUSY = 429
const REFUSED = 400

const CONNECTING: Followed = { state: "connecting" }

/** Follows a list while `isWanted`. */
export const useWorkloadFeed = (
  target: ClusterTarget.ClusterTarget,
  question: WorkloadQuestion,
  isWanted: boolean
): Followed => {
  const isFollowed = useDocumentVisibility() !== "hidden" && isWanted
  const [followed, setFollowed] = useState(CONNECTING)
  const asked = useSame(target, question)

  useEffect(() => {
    if (!isFollowed) return undefined
    const leaving = new AbortController()
    Effect.runFork(follow(asked, setFollowed), { signal: leaving.signal })
    return () => {
      leaving.abort()
      setFollowed(CONNECTING)
    }
  }, [asked, isFollowed])

  return isFollowed ? followed : CONNECTING
}

interface Asked {
  readonly target: ClusterTarget.ClusterTarget
  readonly question: WorkloadQuestion
}

/** Follows one list, and tells how it stands, until it is interrupted. */
const follow = (asked: Asked, tell: (followed: Followed) => void): Effect.Effect<void> => {
  const feed = new WorkloadFeed()
  let hasNews = false
  const onHeard = () => {
    hasNews = true
  }
  const connection = Effect.tryPromise({
    try: (signal) => followWorkloads({ ...asked, feed, onHeard, signal }),
    catch: (error) => error
  })
  const lose = (error?: unknown) => {
    hasNews = false
    const status = error instanceof ApiFailure ? error.status : undefined
    tell({ state: status === BUSY ? "busy" : "connecting" })
    // What the list is refused for too is not asked again and again.
    return status !== REFUSED
  }
  const connected = connection.pipe(
    Effect.match({ onSuccess: () => lose(), onFailure: lose }),
    Effect.tap(Effect.sleep(AGAIN_MS)),
    Effect.repeat({ while: (isAgain) => isAgain })
  )
  const shown = Effect.sync(() => {
    if (!hasNews || !feed.isReady) return
    hasNews = false
    tell({ state: "live", feed })
  }).pipe(Effect.delay(SHOWN_EVERY_MS), Effect.forever)
  return Effect.sleep(SETTLED_MS).pipe(Effect.andThen(Effect.raceFirst(connected, shown)), Effect.asVoid)
}

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
