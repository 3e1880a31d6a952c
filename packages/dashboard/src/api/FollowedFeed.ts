/**
 * A stream that is opened again whenever it ends, and what it has told until then.
 */
import { Clock, Effect, Random } from "effect"
import { WorkloadFeed } from "./WorkloadFeed.ts"

/** The state of the stream; `busy` where the server has too many streams, of this key or in all. */
export type FeedState = "live" | "connecting" | "busy"

/** What was told when it was last shown. **Units** `heardAtMs` milliseconds since the epoch. */
export interface Told extends Pick<WorkloadFeed, "added" | "coverages" | "gone" | "rows"> {
  readonly heardAtMs: number
}

/** The stream's state and news; `told` stays when the stream is lost: it is newer than a list that was read before. */
export interface Followed {
  readonly state: FeedState
  readonly told?: Told
}

/** Why there is no stream. **Shape** `status` is that of a refusal; `retryAfterMs` is how long the server says to wait. */
export interface Loss {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
}

/** Reads one connection to its end. **Shape** calls `onHeard` behind each part that came, with when it did. */
export type Connect = (feed: WorkloadFeed, onHeard: (nowMs: number) => void) => Effect.Effect<void, Loss>

/** Changes that come closer to each other are shown together. */
const SHOWN_EVERY_MS = 250
/** The server says something every 15 s: after three times as long the connection is gone, whatever the browser thinks. */
const SILENT_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

const REFUSED = 400
const BUSY = 429

/** Follows one list, and tells how it stands, until it is interrupted or the server refuses what is asked for. */
export const follow = (connect: Connect, tell: (followed: Followed) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    const feed = new WorkloadFeed()
    let told: Told | undefined
    let hasNews = false
    let heardAtMs = 0
    let losses = 0
    const onHeard = (nowMs: number) => {
      hasNews = true
      heardAtMs = nowMs
    }

    const silence = Effect.gen(function* () {
      heardAtMs = yield* Clock.currentTimeMillis
      for (;;) {
        const leftMs = heardAtMs + SILENT_MS - (yield* Clock.currentTimeMillis)
        if (leftMs <= 0) return
        yield* Effect.sleep(leftMs)
      }
    })

    const lose = Effect.fnUntraced(function* ({ retryAfterMs = 0, status }: Loss) {
      hasNews = false
      tell({ state: status === BUSY ? "busy" : "connecting", ...(told === undefined ? {} : { told }) })
      // What the list is refused for too is not asked again and again.
      if (status === REFUSED) return false
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** losses++, LONGEST_WAIT_MS)
      // Pages that lost the same server do not all come back at once.
      yield* Effect.sleep(Math.max(retryAfterMs, waitMs * (0.5 + (yield* Random.next) / 2)))
      return true
    })
    const connected = Effect.raceFirst(
      silence,
      Effect.suspend(() => connect(feed, onHeard))
    ).pipe(
      Effect.matchEffect({ onSuccess: () => lose({}), onFailure: lose }),
      Effect.repeat({ while: (isAgain) => isAgain })
    )

    const shown = Effect.sync(() => {
      if (!hasNews || !feed.isReady) return
      hasNews = false
      losses = 0
      const { added, coverages, gone, rows } = feed
      told = { added, coverages, gone, rows, heardAtMs }
      tell({ state: "live", told })
    }).pipe(Effect.delay(SHOWN_EVERY_MS), Effect.forever)

    return Effect.raceFirst(connected, shown).pipe(Effect.asVoid)
  })
