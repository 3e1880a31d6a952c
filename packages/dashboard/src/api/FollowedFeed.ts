/**
 * A stream of workloads that reconnects whenever it ends.
 */
import { Clock, Effect, Random } from "effect"
import { WorkloadFeed } from "./WorkloadFeed.ts"

/** State of the stream. `busy`: the key or the server has too many streams. */
export type FeedState = "live" | "connecting" | "busy"

/** The content of the stream when it was last shown. **Units** `receivedAtMs` milliseconds since the epoch. */
export interface FeedSnapshot extends Pick<WorkloadFeed, "added" | "coverages" | "gone" | "rows"> {
  readonly receivedAtMs: number
}

/** State and content of the stream. `snapshot` stays after the connection is lost: it is newer than the list read before. */
export interface Followed {
  readonly state: FeedState
  readonly snapshot?: FeedSnapshot
}

/** Reason of a lost connection. **Shape** `status` of a refusal; `retryAfterMs` if the server says when to retry. */
export interface Loss {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
}

/** Reads one connection to its end. Calls `onReceived` after each chunk with the time of its arrival. */
export type Connect = (feed: WorkloadFeed, onReceived: (nowMs: number) => void) => Effect.Effect<void, Loss>

/** Changes within this interval are shown together. */
const SHOWN_EVERY_MS = 250
/** Silence after which the connection counts as lost. The server sends a comment every 15 s. */
const SILENT_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

const REFUSED = 400
const BUSY = 429

/** Follows a list and reports its state, until interrupted or until the server refuses the request with 400. */
export const follow = (connect: Connect, report: (followed: Followed) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    const feed = new WorkloadFeed()
    let snapshot: FeedSnapshot | undefined
    let hasNews = false
    let receivedAtMs = 0
    let losses = 0
    const onReceived = (nowMs: number) => {
      hasNews = true
      receivedAtMs = nowMs
    }

    const silence = Effect.gen(function* () {
      receivedAtMs = yield* Clock.currentTimeMillis
      for (;;) {
        const leftMs = receivedAtMs + SILENT_MS - (yield* Clock.currentTimeMillis)
        if (leftMs <= 0) return
        yield* Effect.sleep(leftMs)
      }
    })

    const lose = Effect.fnUntraced(function* ({ retryAfterMs = 0, status }: Loss) {
      hasNews = false
      report({ state: status === BUSY ? "busy" : "connecting", ...(snapshot === undefined ? {} : { snapshot }) })
      // The request is invalid: a retry would be refused again.
      if (status === REFUSED) return false
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** losses++, LONGEST_WAIT_MS)
      // Jitter: pages that lost the same server reconnect at different times.
      yield* Effect.sleep(Math.max(retryAfterMs, waitMs * (0.5 + (yield* Random.next) / 2)))
      return true
    })
    const connected = Effect.raceFirst(
      silence,
      Effect.suspend(() => connect(feed, onReceived))
    ).pipe(
      Effect.matchEffect({ onSuccess: () => lose({}), onFailure: lose }),
      Effect.repeat({ while: (isAgain) => isAgain })
    )

    const shown = Effect.sync(() => {
      if (!hasNews || !feed.isReady) return
      hasNews = false
      losses = 0
      const { added, coverages, gone, rows } = feed
      snapshot = { added, coverages, gone, rows, receivedAtMs }
      report({ state: "live", snapshot })
    }).pipe(Effect.delay(SHOWN_EVERY_MS), Effect.forever)

    return Effect.raceFirst(connected, shown).pipe(Effect.asVoid)
  })
