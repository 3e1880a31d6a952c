/**
 * Watches workloads of many clusters for any number of readers.
 */
import { Clock, Context, Effect, Layer, Random, type Scope } from "effect"
import { ClusterCache } from "../cache/ClusterCache.ts"
import { ClusterReader } from "../cache/ClusterReader.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { Signal } from "../kube/Signal.ts"
import type { NamespaceForbidden } from "../list/ListError.ts"
import { Workloads } from "../list/Workloads.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { WatchSink } from "./WatchEvent.ts"
import { WorkloadFeed } from "./WorkloadFeed.ts"
import { WorkloadReader, type WorkloadWatchQuery } from "./WorkloadReader.ts"

/** Interval of cluster updates, and time for which the feed is kept without a reader. **Units** milliseconds. */
export const WatchTimes = Context.Reference("@quarterdeck/cluster-fanout/watch/WatchTimes", {
  defaultValue: () => ({ surveyMs: 250, idleMs: 600_000 })
})

/** Time that a reader waits for clusters beyond the list's timeout. **Units** milliseconds. */
const GRACE_MS = 500

export class WorkloadWatch extends Context.Service<
  WorkloadWatch,
  {
    /**
     * Sends a sink the matching rows, then each change of them, until the scope ends.
     *
     * **Shape** sends the changes since `lastEventId`. If that id is unknown, sends `Reset` and all rows. Without an
     * id, sends all rows. Then sends `Ready`.
     *
     * **Errors** `NamespaceForbidden`, as for a list.
     *
     * **Limits** waits up to `timeoutMs` for clusters. Merges changes of one row within 250 ms. All readers share one
     * log of the last 10,000 changes, dropped after ten minutes without a reader. A reader stores no rows.
     */
    readonly open: (
      query: WorkloadWatchQuery,
      sink: WatchSink<WorkloadRow>
    ) => Effect.Effect<void, NamespaceForbidden, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/WorkloadWatch") {
  static readonly layer = Layer.effect(
    WorkloadWatch,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const workloads = yield* Workloads
  const clock = yield* Clock.Clock
  const now = () => steadyClock.nowUnsafe(clock)
  const begin = yield* keepFeed(now)

  const open = Effect.fn("WorkloadWatch.open")(function* (query: WorkloadWatchQuery, sink: WatchSink<WorkloadRow>) {
    const { binding, filter, namespaces, target, timeoutMs } = query
    // The list waits for clusters that have not been read, and rejects namespaces out of scope. Unlike a list, a watch
    // continues if no cluster answers.
    yield* workloads
      .list({
        target,
        namespaces,
        filter,
        page: { sort: "name", order: "asc", limit: 1, consistency: "cache", timeoutMs },
        cursorBinding: binding
      })
      .pipe(
        Effect.catchTag("FanOutFailed", () => Effect.void),
        Effect.catchTag("CursorInvalid", Effect.die)
      )
    const feed = yield* begin
    const reader = new WorkloadReader(feed, query, sink, now() + GRACE_MS)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        reader.begin(now())
        feed.readers.add(reader)
      }),
      () => Effect.sync(() => feed.readers.delete(reader))
    )
  })

  return WorkloadWatch.of({ open })
})

/** Keeps one feed while it has readers, and for `idleMs` after that. Returns the effect that starts or joins it. */
const keepFeed = Effect.fnUntraced(function* (now: () => number) {
  const parts = { cache: yield* ClusterCache, reader: yield* ClusterReader, now }
  const registry = yield* ClusterRegistry
  const times = yield* WatchTimes
  const signal = new Signal()
  let feed: WorkloadFeed | undefined
  let readAt = 0

  const begin = Effect.gen(function* () {
    const { clusters } = yield* registry.snapshot
    const name = Math.abs(yield* Random.nextInt).toString(36)
    const isFirst = feed === undefined
    feed ??= new WorkloadFeed(name, parts)
    feed.follow(clusters, isFirst)
    readAt = now()
    signal.notify()
    return feed
  })

  const report = Effect.gen(function* () {
    yield* signal.until(() => feed !== undefined)
    const current = feed
    if (current === undefined) return
    yield* Effect.raceFirst(
      current.signal.until(() => current.due !== undefined),
      signal.until(() => feed !== current)
    )
    const { due } = current
    if (due === undefined) return
    yield* Effect.sleep(Math.max(0, due - now()))
    current.flush()
  })

  const survey = Effect.gen(function* () {
    yield* signal.until(() => feed !== undefined)
    yield* Effect.sleep(times.surveyMs)
    const { clusters } = yield* registry.snapshot
    if (feed === undefined) return
    feed.follow(clusters, false)
    feed.survey()
    if (feed.readers.size > 0) readAt = now()
    if (now() - readAt < times.idleMs) return
    feed.end()
    feed = undefined
    signal.notify()
  })

  const keep = (step: Effect.Effect<void>) =>
    Effect.forever(
      Effect.catchCause(step, (cause) => Effect.logError("WorkloadWatch: reporting changes to readers failed", cause))
    )
  yield* Effect.forkScoped(keep(report))
  yield* Effect.forkScoped(keep(survey))
  yield* Effect.addFinalizer(() => Effect.sync(() => feed?.end()))
  return begin
})
