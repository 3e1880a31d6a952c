/**
 * Watches clusters, their health and their size, for any number of readers.
 */
import * as Target from "@quarterdeck/targeting/Target"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Context, Effect, Layer, Random, type Scope } from "effect"
import { ClusterCache } from "../cache/ClusterCache.ts"
import { ClusterReader } from "../cache/ClusterReader.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { Signal } from "../kube/Signal.ts"
import { Clusters } from "../list/Clusters.ts"
import * as ClusterSummary from "../list/ClusterSummary.ts"
import type { ClusterRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterRegistry } from "../registry/ClusterRegistry.ts"
import { type ClusterChange, ClusterView } from "./ClusterView.ts"
import * as EventId from "./EventId.ts"
import type { WatchEvent, WatchSink } from "./WatchEvent.ts"
import type { WatchQuery } from "./WatchQuery.ts"
import { WatchTimes } from "./WorkloadWatch.ts"

/** Views without readers that are kept for reconnecting readers, the most recently used. */
const MAX_IDLE = 32

/** The most events of a batch that is encoded at once. A larger batch is encoded when the reader has room for it. */
const LARGE_BATCH = 500

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
  const registry = yield* ClusterRegistry
  const viewOf = yield* keepViews

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
    const name = Math.abs(yield* Random.nextInt).toString(36)
    const { clusters } = yield* registry.snapshot
    // In one synchronous step: a view without a reader may be dropped.
    const begin = () => {
      const view = viewOf(query, clusters, name)
      const reader = readerOf(view, query, sink)
      reader.begin()
      view.readers.add(reader)
      return () => view.readers.delete(reader)
    }
    yield* Effect.acquireRelease(Effect.sync(begin), (end) => Effect.sync(end))
  })

  return ClusterWatch.of({ open })
})

/** Keeps one view for all keys of one namespace scope. Returns the function that finds or makes a view. */
const keepViews = Effect.gen(function* () {
  const parts = { cache: yield* ClusterCache, reader: yield* ClusterReader }
  const registry = yield* ClusterRegistry
  const times = yield* WatchTimes
  const clock = yield* Clock.Clock
  const signal = new Signal()
  /** Views with the time of their last use, the most recently opened last. */
  const views = new Map<string, { readonly view: ClusterView; readAt: number }>()
  const moment = () => ({ now: clock.currentTimeMillisUnsafe(), steady: steadyClock.nowUnsafe(clock) })

  const viewOf = ({ namespaces, timeoutMs }: WatchQuery, clusters: ReadonlyArray<Cluster>, name: string) => {
    const key = JSON.stringify([namespaces, timeoutMs])
    const view = views.get(key)?.view ?? new ClusterView(name, namespaces, timeoutMs, parts)
    const now = moment()
    view.survey(clusters, now, false)
    views.delete(key)
    views.set(key, { view, readAt: now.steady })
    signal.notify()
    return view
  }

  /** Drops views without readers. A view is surveyed again when a reader comes back. */
  const dropIdle = () => {
    const { steady } = moment()
    for (const entry of views.values()) if (entry.view.readers.size > 0) entry.readAt = steady
    const idle = [...views].filter(([, { view }]) => view.readers.size === 0)
    for (const [place, [key, { readAt }]] of idle.entries()) {
      if (place < idle.length - MAX_IDLE || steady - readAt >= times.idleMs) views.delete(key)
    }
  }

  const survey = Effect.gen(function* () {
    yield* signal.until(() => views.size > 0)
    yield* Effect.sleep(times.surveyMs)
    dropIdle()
    const { clusters } = yield* registry.snapshot
    for (const { view } of [...views.values()]) {
      if (view.readers.size === 0) continue
      view.survey(clusters, moment(), true)
      yield* Effect.yieldNow
    }
  })

  yield* survey.pipe(
    Effect.catchCause((cause) => Effect.logError("ClusterWatch: reporting cluster changes to readers failed", cause)),
    Effect.forever,
    Effect.forkScoped
  )
  return viewOf
})

/** A reader of a view, limited to its query. Keeps no row. */
const readerOf = (view: ClusterView, query: WatchQuery, sink: WatchSink<ClusterRow>) => {
  const { clusters, lastEventId, target } = query
  const named: ReadonlySet<ClusterName> | undefined = target.mode === "All" ? undefined : new Set(target.clusters)
  const isVisible = (name: ClusterName) => (named === undefined ? Target.reaches(clusters, name) : named.has(name))
  const binding = EventId.bindingOf(["clusters", query.binding, target.mode, named === undefined ? [] : [...named]])
  const idOf = (number: number) => EventId.print(view.name, number, binding)
  const withinScope = (row: ClusterRow) => ClusterSummary.withinScope(row, clusters)

  const eventsOf = (changes: ReadonlyArray<ClusterChange>): ReadonlyArray<WatchEvent<ClusterRow>> =>
    changes
      .filter(({ row }) => isVisible(row.name))
      .map(({ isGone, number, row }) => ({ _tag: isGone ? "Gone" : "Row", id: idOf(number), row: withinScope(row) }))

  const first = (): ReadonlyArray<WatchEvent<ClusterRow>> =>
    view
      .reported()
      .filter(({ name }) => isVisible(name))
      .map((row) => ({ _tag: "Row", id: EventId.nowhere(view.name), row: withinScope(row) }))

  const begin = () => {
    const from = lastEventId === undefined ? undefined : EventId.parse(lastEventId, view.name, binding)
    const missed = from === undefined ? undefined : view.since(from)
    if (lastEventId !== undefined && missed === undefined)
      sink.push([{ _tag: "Reset", id: EventId.nowhere(view.name) }])
    sink.pushLater(missed === undefined ? first() : eventsOf(missed))
    sink.push([{ _tag: "Ready", id: idOf(view.last) }])
  }

  const take = (changes: ReadonlyArray<ClusterChange>) => {
    const events = eventsOf(changes)
    if (events.length > LARGE_BATCH) sink.pushMany(events)
    else if (events.length > 0) sink.push(events)
  }
  return { begin, take, broken: sink.broken }
}
