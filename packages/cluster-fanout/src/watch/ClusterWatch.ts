/**
 * Follows clusters, their health and their size, for any number of readers.
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

/** Views that nobody reads are kept for who comes back: this many, those that were left last. */
const MOST_IDLE = 32

/** As many changes at once are made when the reader has room for them. */
const MANY = 500

export class ClusterWatch extends Context.Service<
  ClusterWatch,
  {
    /**
     * Tells a sink the row of each cluster of the target, and each change of it, until the scope ends.
     *
     * **Shape** the rows that changed since `lastEventId`, while that is known; else `Reset`, where there was one, and all
     * rows. Then `Ready`. A row holds its coverage: there is no event for that. That only `lastSeen`, `ageMs` or `latencyMs`
     * differ is no change.
     *
     * **Limits** waits `timeoutMs` for clusters. Changes of one row within 250 ms are one. One row a cluster is kept for all
     * keys of one namespace scope, and dropped after ten minutes without a reader.
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
    // A list waits for what is not read yet.
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
    // At once, for a view without a reader may be dropped.
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

/** Keeps one view for all keys of one namespace scope. **Shape** gives what finds it, or makes it of that name. */
const keepViews = Effect.gen(function* () {
  const parts = { cache: yield* ClusterCache, reader: yield* ClusterReader }
  const registry = yield* ClusterRegistry
  const times = yield* WatchTimes
  const clock = yield* Clock.Clock
  const signal = new Signal()
  /** Each with when it was read last: the one that was opened last is the last one. */
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

  /** Who comes back has a view looked at again: until then nobody needs to know. */
  const dropIdle = () => {
    const { steady } = moment()
    for (const kept of views.values()) if (kept.view.readers.size > 0) kept.readAt = steady
    const idle = [...views].filter(([, { view }]) => view.readers.size === 0)
    for (const [place, [key, { readAt }]] of idle.entries()) {
      if (place < idle.length - MOST_IDLE || steady - readAt >= times.idleMs) views.delete(key)
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
    Effect.catchCause((cause) => Effect.logError("telling readers how clusters are failed", cause)),
    Effect.forever,
    Effect.forkScoped
  )
  return viewOf
})

/** One reader: what it was asked to see of a view. Keeps no row. */
const readerOf = (view: ClusterView, query: WatchQuery, sink: WatchSink<ClusterRow>) => {
  const { clusters, lastEventId, target } = query
  const named: ReadonlySet<ClusterName> | undefined = target.mode === "All" ? undefined : new Set(target.clusters)
  const sees = (name: ClusterName) => (named === undefined ? Target.reaches(clusters, name) : named.has(name))
  const binding = EventId.bindingOf(["clusters", query.binding, target.mode, named === undefined ? [] : [...named]])
  const idOf = (number: number) => EventId.print(view.name, number, binding)
  const seen = (row: ClusterRow) => ClusterSummary.withinScope(row, clusters)

  const eventsOf = (changes: ReadonlyArray<ClusterChange>): ReadonlyArray<WatchEvent<ClusterRow>> =>
    changes
      .filter(({ row }) => sees(row.name))
      .map(({ isGone, number, row }) => ({ _tag: isGone ? "Gone" : "Row", id: idOf(number), row: seen(row) }))

  const first = (): ReadonlyArray<WatchEvent<ClusterRow>> =>
    view
      .told()
      .filter(({ name }) => sees(name))
      .map((row) => ({ _tag: "Row", id: EventId.nowhere(view.name), row: seen(row) }))

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
    if (events.length > MANY) sink.pushMany(events)
    else if (events.length > 0) sink.push(events)
  }
  return { begin, take, broken: sink.broken }
}
