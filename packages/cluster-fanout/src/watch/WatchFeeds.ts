/**
 * Feeds of row changes. Each is kept while it has readers, and for some time after that.
 */
import { Clock, Context, Effect, Random, type Scope } from "effect"
import * as steadyClock from "../kube/SteadyClock.ts"
import { Signal } from "../kube/Signal.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"

/** Interval of cluster updates, and time for which a feed is kept without a reader. **Units** milliseconds. */
export const WatchTimes = Context.Reference("@quarterdeck/cluster-fanout/watch/WatchTimes", {
  defaultValue: () => ({ surveyMs: 250, idleMs: 600_000 })
})

/** Feeds without readers that are kept for reconnecting readers, the most recently used. */
const MAX_IDLE = 32

export interface FeedReader {
  /** Called when no more events will come, because of a defect. */
  readonly broken: (defect: unknown) => void
}

export class FeedReaders<Reader extends FeedReader> extends Set<Reader> {
  /** Notifies all readers. A defect of one reader does not affect the others. */
  notify(tell: (reader: Reader) => void): void {
    for (const reader of this) {
      try {
        tell(reader)
      } catch (defect) {
        this.delete(reader)
        reader.broken(defect)
      }
    }
  }
}

/** The rows of some clusters and their changes, for any number of readers. */
interface Feed<Reader extends FeedReader> {
  readonly readers: FeedReaders<Reader>
  /** Brings the rows up to date before a reader joins. */
  readonly prepare: (clusters: ReadonlyArray<Cluster>) => void
  /** Compares the rows with the registered clusters, and updates the readers. Called at each `surveyMs`. */
  readonly survey: (clusters: ReadonlyArray<Cluster>) => void
  readonly end?: () => void
}

/** Starts the feeds of one kind. `watch` is its name in the log. */
export const make = Effect.fnUntraced(function* <Reader extends FeedReader, F extends Feed<Reader>>(watch: string) {
  const registry = yield* ClusterRegistry
  const times = yield* WatchTimes
  const clock = yield* Clock.Clock
  const now = () => steadyClock.nowUnsafe(clock)
  const signal = new Signal()
  /** Feeds by key with the time of their last use. The feed that a reader joined last is the last entry. */
  const feeds = new Map<string, { readonly feed: F; usedAt: number }>()

  const feedOf = (key: string, start: () => F, clusters: ReadonlyArray<Cluster>): F => {
    const feed = feeds.get(key)?.feed ?? start()
    feed.prepare(clusters)
    feeds.delete(key)
    feeds.set(key, { feed, usedAt: now() })
    signal.notify()
    return feed
  }

  /**
   * Adds a reader to the feed of a key until the scope ends. If there is no feed, `start` makes one with the given
   * unique name.
   */
  const join = (
    key: string,
    start: (name: string) => F,
    readerOf: (feed: F) => Reader
  ): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen(function* () {
      const { clusters } = yield* registry.snapshot
      const name = Math.abs(yield* Random.nextInt).toString(36)
      // In one synchronous step: a feed without a reader may be dropped.
      const begin = () => {
        const feed = feedOf(key, () => start(name), clusters)
        const reader = readerOf(feed)
        feed.readers.add(reader)
        return () => feed.readers.delete(reader)
      }
      yield* Effect.acquireRelease(Effect.sync(begin), (leave) => Effect.sync(leave))
    })

  const dropIdle = () => {
    for (const entry of feeds.values()) if (entry.feed.readers.size > 0) entry.usedAt = now()
    const idle = [...feeds].filter(([, { feed }]) => feed.readers.size === 0)
    for (const [place, [key, { feed, usedAt }]] of idle.entries()) {
      if (place >= idle.length - MAX_IDLE && now() - usedAt < times.idleMs) continue
      feeds.delete(key)
      feed.end?.()
    }
  }

  const survey = Effect.gen(function* () {
    yield* signal.until(() => feeds.size > 0)
    yield* Effect.sleep(times.surveyMs)
    dropIdle()
    const { clusters } = yield* registry.snapshot
    for (const { feed } of [...feeds.values()]) {
      feed.survey(clusters)
      yield* Effect.yieldNow
    }
  })

  /** Repeats a step until the scope ends. A defect is logged. */
  const keep = (step: Effect.Effect<void>) =>
    step.pipe(
      Effect.catchCause((cause) => Effect.logError(`${watch}: reporting changes to readers failed`, cause)),
      Effect.forever,
      Effect.forkScoped
    )
  yield* keep(survey)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { feed } of feeds.values()) feed.end?.()
    })
  )
  return { find: (key: string) => feeds.get(key)?.feed, join, keep }
})
