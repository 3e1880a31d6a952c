/**
 * Watches clusters, their health and their size, for any number of readers.
 */
import * as Target from "@quarterdeck/targeting/Target"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { ClusterCache } from "../cache/ClusterCache.ts"
import { ClusterReader } from "../cache/ClusterReader.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { Clusters } from "../list/Clusters.ts"
import * as ClusterSummary from "../list/ClusterSummary.ts"
import type { ClusterRow } from "../projection/Row.ts"
import { ClusterView, type ClusterViewReader } from "./ClusterView.ts"
import { ReaderEvents } from "./ReaderEvents.ts"
import type { WatchSink } from "./WatchEvent.ts"
import * as WatchFeeds from "./WatchFeeds.ts"
import type { WatchQuery } from "./WatchQuery.ts"

export class ClusterWatch extends Context.Service<
  ClusterWatch,
  {
    /**
     * Sends a sink the row of each cluster of the target, then each change, until the scope ends.
     *
     * **Shape** sends the rows that changed since `lastEventId`. If that id is unknown, sends `Reset` and all rows.
     * Without an id, sends all rows. Then sends `Ready`. Coverage is part of the row and has no event of its own. A
     * difference only in `lastSeen`, `ageMs` or `latencyMs` is no change.
     *
     * **Limits** waits up to `timeoutMs` for clusters. Merges changes of one row within 250 ms. Keys of one namespace
     * scope share a view with one row a cluster. A view is dropped after ten minutes without a reader.
     */
    readonly open: (query: WatchQuery, sink: WatchSink<ClusterRow>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/ClusterWatch") {
  static readonly layer = Layer.effect(
    ClusterWatch,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const list = yield* Clusters
  const clock = yield* Clock.Clock
  const moment = () => ({ now: clock.currentTimeMillisUnsafe(), steady: steadyClock.nowUnsafe(clock) })
  const parts = { cache: yield* ClusterCache, reader: yield* ClusterReader, moment }
  const views = yield* WatchFeeds.make<ClusterViewReader, ClusterView>("ClusterWatch")

  const open = Effect.fn("ClusterWatch.open")(function* (query: WatchQuery, sink: WatchSink<ClusterRow>) {
    const { binding, clusters: scope, namespaces, target, timeoutMs } = query
    const limit = Math.max(1, target.clusters.length)
    // The list waits for clusters that have not been read yet.
    yield* list
      .list({
        target,
        scope,
        namespaces,
        page: { sort: "name", order: "asc", limit, consistency: "cache", timeoutMs },
        cursorBinding: binding
      })
      .pipe(Effect.catchTag("CursorInvalid", Effect.die))
    yield* views.join(
      JSON.stringify([namespaces, timeoutMs]),
      (name) => new ClusterView(name, namespaces, timeoutMs, parts),
      (view) => readerOf(view, query, sink)
    )
  })

  return ClusterWatch.of({ open })
})

/** Starts a reader of a view, limited to its query. */
const readerOf = (view: ClusterView, query: WatchQuery, sink: WatchSink<ClusterRow>): ClusterViewReader => {
  const { binding, clusters, lastEventId, target } = query
  const named: ReadonlySet<ClusterName> | undefined = target.mode === "All" ? undefined : new Set(target.clusters)
  const scope = {
    isVisible: ({ name }: ClusterRow) => (named === undefined ? Target.reaches(clusters, name) : named.has(name)),
    shown: (row: ClusterRow) => ClusterSummary.withinScope(row, clusters),
    count: () => {}
  }
  const events = new ReaderEvents(view.log, scope, sink)
  events.bind(["clusters", binding, target.mode, [...(named ?? [])]])
  events.begin(lastEventId, view.reported())
  sink.push([events.ready()])
  return { take: (changes) => events.take(changes), broken: sink.broken }
}
