/**
 * Samples every registered cluster, closes its hours, and keeps the history of costs in shape.
 *
 * Each cluster has a life of its own: an open hour that is noted in a journal with every sample, hours that wait to be
 * finished, and a source of usage. It begins when the cluster is registered. When it is dropped, its open hour is closed
 * at its end with what was seen; a cluster that comes back before goes on with it.
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import { Context, Effect, Exit, Layer, Option, Scope, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { HOUR_MS, hourOf } from "../hour/Units.ts"
import { CostHistories } from "../report/CostHistories.ts"
import { CostStore } from "../store/CostStore.ts"
import type { HistoryStore } from "../store/HistoryStore.ts"
import type { SeenCluster } from "../store/HistorySuccession.ts"
import type { Hour } from "../hour/Hour.ts"
import { OpenHours } from "../report/OpenHours.ts"
import { type Around, Prices } from "../price/Prices.ts"
import { Recommender } from "../savings/Recommender.ts"
import type { BackfillState } from "./BackfillState.ts"
import * as ClusterIdentity from "./ClusterIdentity.ts"
import * as HistoryViews from "./HistoryViews.ts"
import { HourJournal } from "./HourJournal.ts"
import * as Pruning from "./Pruning.ts"
import * as RunningHistory from "./RunningHistory.ts"
import * as RepricingRuns from "./RepricingRuns.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import { SamplerSettings } from "./SamplerSettings.ts"
import { UsageSources } from "./UsageSources.ts"

/** A history that was added to until `toMs`. **Units** milliseconds since the epoch. */
export interface UnclosedHistory {
  readonly key: ClusterName
  readonly toMs: number
}

/**
 * Keeps the costs of all clusters current, for as long as its layer lives.
 *
 * **Limits** one program samples a cluster. An interruption loses nothing but the time until the next start: hours are
 * closed whole, and the open one goes on from the journal.
 */
export class CostSampler extends Context.Service<
  CostSampler,
  {
    /** Gives the hour of a history that is not closed yet, as `OpenHours` says. **Limits** built once a second at most. */
    readonly open: (key: ClusterName) => Effect.Effect<Option.Option<Hour>>
    /**
     * Gives closed hours from an instant on the costs that they have by the prices of now, and says how many it rewrote.
     *
     * For `PriceChange.Revised.repriceFromMs`, once the new book counts. What fails is tried again until it has
     * worked, and a crash on the way is made good at the next start. **Limits** `repriceHours` of a cluster at once; one
     * repricing at a time.
     */
    readonly reprice: (fromMs: number) => Effect.Effect<number>
    /** Changes prices with a note before: a crash between the change and {@link reprice} is made good at the next start. */
    readonly repriceNoted: Around
    /** Lists the histories that have hours which are not closed yet, those of clusters that left too. */
    readonly unclosed: Effect.Effect<ReadonlyArray<UnclosedHistory>>
    /** Tells how far the present repricing is. */
    readonly repricing: Effect.Effect<Option.Option<RepricingRuns.Progress>>
    /** Tells how far the past of each cluster is filled in whose source of usage remembers it. */
    readonly backfills: Effect.Effect<ReadonlyArray<BackfillState>>
    /** Tells where the usage of each sampled cluster comes from, and what fails of its costs now. */
    readonly states: Effect.Effect<ReadonlyArray<RunningHistory.SamplingState>>
  }
>()("@quarterdeck/cost/CostSampler") {
  /** Samples, and gives open hours to reports. */
  static readonly layer: Layer.Layer<
    CostSampler | OpenHours,
    CostError,
    | ClusterCache
    | ClusterRegistry
    | HistoryStore
    | CostStore
    | HourJournal
    | KubeApi
    | Prices
    | Recommender
    | UsageSources
  > = Layer.effectContext(
    Effect.suspend(() =>
      Effect.map(make, (sampler) =>
        Context.make(CostSampler, sampler).pipe(Context.add(OpenHours, OpenHours.of({ open: sampler.open })))
      )
    )
  ).pipe(Layer.provide(CostHistories.layer))
}

const make = Effect.gen(function* () {
  const registry = yield* ClusterRegistry
  const sampler: RunningHistory.Sampler = {
    cache: yield* ClusterCache,
    api: yield* KubeApi,
    store: yield* CostStore,
    prices: yield* Prices,
    recommender: yield* Recommender,
    sources: yield* UsageSources,
    journal: yield* HourJournal,
    settings: yield* SamplerSettings,
    scope: yield* Effect.scope,
    histories: yield* CostHistories,
    running: new Map(),
    followed: new Map(),
    lanes: new Map(),
    filling: new Set()
  }
  const { histories, journal, lanes, running } = sampler
  const repricing = yield* RepricingRuns.make({
    ...sampler,
    laneOf: (cluster) => RunningHistory.laneOf(sampler, cluster),
    clusters: () => [...lanes.keys()],
    clusterOf: (key) => HistoryName.clusterOf(histories.nameOf(key))
  })

  for (const [key, hours] of Map.groupBy(yield* journal.kept, ({ cluster }) => cluster)) {
    yield* RunningHistory.start(sampler, { key, cluster: HistoryName.clusterOf(histories.nameOf(key)) }, hours, false)
  }
  yield* take(sampler, (yield* registry.snapshot).clusters)
  yield* Effect.forkScoped(Stream.runForEach(registry.changes, ({ clusters }) => take(sampler, clusters)))
  yield* Effect.forkScoped(repricing.resume)
  yield* Effect.forkScoped(Pruning.run({ ...sampler, isFilling: () => sampler.filling.size > 0 }))

  return CostSampler.of({
    open: (key) => Effect.suspend(() => running.get(key)?.open ?? Effect.succeed(Option.none())),
    unclosed: Effect.sync(() =>
      [...running.values()].flatMap(({ key, seenToMs }) => {
        const toMs = seenToMs()
        return toMs === undefined ? [] : [{ key, toMs }]
      })
    ),
    reprice: repricing.pursue,
    repriceNoted: repricing.noted,
    repricing: repricing.progress,
    states: Effect.sync(() => presentOnes(sampler).map(({ state }) => state())),
    backfills: Effect.suspend(() =>
      Effect.all(
        presentOnes(sampler).flatMap(({ backfill }) => Option.toArray(Option.map(backfill, ({ state }) => state)))
      )
    )
  })
})

/** Lists what is sampled, each cluster once: without histories that lost their name, whose last hours are being closed. */
const presentOnes = ({ running }: RunningHistory.Sampler): ReadonlyArray<RunningHistory.Running> => {
  const wanted = new Set([...running.values()].flatMap(({ cluster, isWanted }) => (isWanted ? [cluster] : [])))
  return [...running.values()].filter(({ cluster, isWanted }) => isWanted || !wanted.has(cluster))
}

/** Ends the following of a cluster: its open hour stays, and is closed at its end. */
const unfollow = Effect.fnUntraced(function* ({ followed }: RunningHistory.Sampler, name: ClusterName) {
  const before = followed.get(name)
  followed.delete(name)
  if (before !== undefined) yield* Scope.close(before.scope, Exit.void)
})

/** Follows a registered cluster by its present connection. */
const follow = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, cluster: Cluster) {
  const { followed, histories } = sampler
  const { generation, name } = cluster
  if (followed.get(name)?.generation === generation) return
  yield* unfollow(sampler, name)
  const connection = ClusterIdentity.connectionDigest(cluster.connection)
  // What is known of a cluster goes on at once: its past is filled in though the cluster does not answer yet.
  const presumed = histories.presumed(name, connection)
  if (presumed !== undefined) yield* want(sampler, { cluster: name, key: presumed })
  const scope = yield* Scope.fork(sampler.scope)
  followed.set(name, { generation, scope })
  yield* Effect.forkIn(sampleIdentified(sampler, cluster, connection), scope)
})

/** Samples a cluster into the history that it has by its identity, and turns to another one when that changes. */
const sampleIdentified = Effect.fnUntraced(function* (
  sampler: RunningHistory.Sampler,
  cluster: Cluster,
  connection: string
) {
  const { name } = cluster
  const member = yield* sampler.cache.member(cluster)
  while (true) {
    const uid = yield* ClusterIdentity.awaitUid(member)
    const key = yield* settle(sampler, { name, uid, connection })
    const running = yield* want(sampler, { cluster: name, key })
    yield* Effect.scoped(Effect.andThen(running.attach(cluster), ClusterIdentity.awaitOther(member, uid)))
  }
})

/** Decides which history a cluster's costs go to. A store that fails is asked again: nothing is sampled meanwhile. */
const settle = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, seen: SeenCluster) {
  const { histories, journal, running } = sampler
  const { name } = seen
  const before = [...running.values()].find(
    (member) => member.cluster === name && histories.nameOf(member.key) === name
  )
  const { holder, renamed } = yield* histories.settle(seen, before?.seenToMs()).pipe(
    Effect.tapError(({ message }) =>
      Effect.logWarning(`cost of cluster ${name}: its history is not known: ${message}`)
    ),
    Effect.retry(RetrySchedule.forEver),
    Effect.orDie
  )
  if (renamed === undefined) return holder.key
  yield* Effect.logWarning(
    `cost of cluster ${name}: the name leads to another cluster now; the costs of the one before it are ${renamed.renamed}`
  )
  // A source of the past knows clusters by name: what it tells of the time before is of the cluster that had the name.
  const untilMs = hourOf(holder.sinceMs) + HOUR_MS
  yield* journal
    .noteBackfill(name, { untilMs, left: [] })
    .pipe(Effect.catch((error) => Effect.logWarning(`cost of cluster ${name}: ${error.message}`)))
  return holder.key
})

/** Has a history sampled, and no other one under its cluster's name. */
const want = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, history: HistoryViews.SampledHistory) {
  for (const other of sampler.running.values()) {
    if (other.cluster !== history.cluster || other.key === history.key) continue
    other.isWanted = false
    if (Option.isSome(other.backfill)) yield* other.backfill.value.stop
  }
  const member = sampler.running.get(history.key) ?? (yield* RunningHistory.start(sampler, history, [], true))
  member.isWanted = true
  return member
})

const take = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, clusters: ReadonlyArray<Cluster>) {
  const names = new Set(clusters.map(({ name }) => name))
  for (const name of [...sampler.followed.keys()]) if (!names.has(name)) yield* unfollow(sampler, name)
  for (const member of sampler.running.values()) if (!names.has(member.cluster)) member.isWanted = false
  yield* Effect.forEach(clusters, (cluster) => follow(sampler, cluster), { discard: true })
})
