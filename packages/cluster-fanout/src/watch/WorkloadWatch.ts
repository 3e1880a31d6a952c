/**
 * Watches workloads of many clusters for any number of readers.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { ClusterCache } from "../cache/ClusterCache.ts"
import { ClusterReader } from "../cache/ClusterReader.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { Signal } from "../kube/Signal.ts"
import type { NamespaceForbidden } from "../list/ListError.ts"
import { Workloads } from "../list/Workloads.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { WatchSink } from "./WatchEvent.ts"
import * as WatchFeeds from "./WatchFeeds.ts"
import { WorkloadFeed } from "./WorkloadFeed.ts"
import { WorkloadReader, type WorkloadWatchQuery } from "./WorkloadReader.ts"

export { WatchTimes } from "./WatchFeeds.ts"

/** The key of the one feed, which all readers share. */
const FEED = "workloads"

/** Longest sleep while a change waits: another change may be due earlier. **Units** milliseconds. */
const TICK_MS = 20

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
     * **Limits** waits up to `timeoutMs` for clusters. Reports a row once it has not changed for 50 ms. Merges the
     * changes of a row within 250 ms. All readers share one log of the last 10,000 changes, dropped after ten minutes
     * without a reader. A reader stores no rows.
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
  const changed = new Signal()
  const parts = { cache: yield* ClusterCache, reader: yield* ClusterReader, now, notify: () => changed.notify() }
  const feeds = yield* WatchFeeds.make<WorkloadReader, WorkloadFeed>("WorkloadWatch")
  const due = () => feeds.find(FEED)?.due
  const flush = Effect.gen(function* () {
    yield* changed.until(() => due() !== undefined)
    yield* Effect.sleep(Math.min(Math.max(0, (due() ?? 0) - now()), TICK_MS))
    if ((due() ?? Infinity) <= now()) feeds.find(FEED)?.flush()
  })
  yield* feeds.keep(flush)

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
    yield* feeds.join(
      FEED,
      (name) => new WorkloadFeed(name, parts),
      (feed) => {
        const reader = new WorkloadReader(feed, query, sink, now() + GRACE_MS)
        reader.begin(now())
        return reader
      }
    )
  })

  return WorkloadWatch.of({ open })
})
