/**
 * Samples every registered cluster, closes its hours, and maintains the cost history.
 *
 * Each cluster has an open hour, saved to a journal with every sample, ended hours that wait to be closed, and a usage source.
 * Sampling starts when the cluster is registered. If the cluster is removed, its open hour is closed at the end of the hour
 * with the observations so far. If the cluster is registered again before that, the hour continues.
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

/** A cost history with hours that are not closed, observed until `toMs`. **Units** milliseconds since the epoch. */
export interface UnclosedHistory {
  readonly key: ClusterName
  readonly toMs: number
}

/**
 * Keeps the costs of all clusters current while its layer exists.
 *
 * **Limits** only one process may sample a cluster. A restart loses only the time during which the process did not run: the
 * open hour continues from the journal.
 */
export class CostSampler extends Context.Service<
  CostSampler,
  {
    /** Returns the open hour of a history, as `OpenHours` does. **Limits** computed at most once a second. */
    readonly open: (key: ClusterName) => Effect.Effect<Option.Option<Hour>>
    /**
     * Reprices closed hours from an instant on, and returns how many were rewritten.
     *
     * Call it with `PriceChange.Revised.repriceFromMs` once the new price book applies. A failed repricing is retried until it
     * succeeds, also after a restart. **Limits** rewrites `repriceHours` hours of a cluster at once; one repricing runs at a
     * time.
     */
    readonly reprice: (fromMs: number) => Effect.Effect<number>
    /**
     * Records that closed hours must be repriced, and then changes the prices. After a crash in between, the next start
     * runs {@link reprice}.
     */
    readonly repriceNoted: Around
    /** Lists the histories with hours that are not closed, those of removed clusters included. */
    readonly unclosed: Effect.Effect<ReadonlyArray<UnclosedHistory>>
    /** Returns the progress of the running repricing. */
    readonly repricing: Effect.Effect<Option.Option<RepricingRuns.Progress>>
    /** Returns the state of each back-fill. Only sources that store past usage have one. */
    readonly backfills: Effect.Effect<ReadonlyArray<BackfillState>>
    /** Returns the usage source and the failing activities of each sampled cluster. */
    readonly states: Effect.Effect<ReadonlyArray<RunningHistory.SamplingState>>
  }
>()("@quarterdeck/cost/CostSampler") {
  /** Samples clusters, and provides their open hours to reports. */
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
  yield* applyClusters(sampler, (yield* registry.snapshot).clusters)
  yield* Effect.forkScoped(Stream.runForEach(registry.changes, ({ clusters }) => applyClusters(sampler, clusters)))
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
    states: Effect.sync(() => presentHistories(sampler).map(({ state }) => state())),
    backfills: Effect.suspend(() =>
      Effect.all(
        presentHistories(sampler).flatMap(({ backfill }) => Option.toArray(Option.map(backfill, ({ state }) => state)))
      )
    )
  })
})

/**
 * Lists the sampled histories, one per cluster. Omits a history that lost its name, if another history has that name
 * now.
 */
const presentHistories = ({ running }: RunningHistory.Sampler): ReadonlyArray<RunningHistory.Running> => {
  const wanted = new Set([...running.values()].flatMap(({ cluster, isWanted }) => (isWanted ? [cluster] : [])))
  return [...running.values()].filter(({ cluster, isWanted }) => isWanted || !wanted.has(cluster))
}

/** Stops observing a cluster. Its open hour is closed once that hour ends. */
const unfollow = Effect.fnUntraced(function* ({ followed }: RunningHistory.Sampler, name: ClusterName) {
  const before = followed.get(name)
  followed.delete(name)
  if (before !== undefined) yield* Scope.close(before.scope, Exit.void)
})

/** Observes a registered cluster through its present connection. */
const follow = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, cluster: Cluster) {
  const { followed, histories } = sampler
  const { generation, name } = cluster
  if (followed.get(name)?.generation === generation) return
  yield* unfollow(sampler, name)
  const connection = ClusterIdentity.connectionDigest(cluster.connection)
  // A known history starts at once, so that its back-fill does not wait for the cluster to answer.
  const presumed = histories.presumed(name, connection)
  if (presumed !== undefined) yield* ensureSampled(sampler, { cluster: name, key: presumed })
  const scope = yield* Scope.fork(sampler.scope)
  followed.set(name, { generation, scope })
  yield* Effect.forkIn(sampleIdentified(sampler, cluster, connection), scope)
})

/**
 * Samples a cluster into its cost history. If the UID behind the cluster's name changes, switches to another history.
 */
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
    const running = yield* ensureSampled(sampler, { cluster: name, key })
    yield* Effect.scoped(Effect.andThen(running.attach(cluster), ClusterIdentity.awaitOther(member, uid)))
  }
})

/** Decides to which history a cluster's costs belong. Retries while the store fails; the cluster is not sampled meanwhile. */
const settle = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, seen: SeenCluster) {
  const { histories, journal, running } = sampler
  const { name } = seen
  const before = [...running.values()].find(
    (member) => member.cluster === name && histories.nameOf(member.key) === name
  )
  const { holder, renamed } = yield* histories.settle(seen, before?.seenToMs()).pipe(
    Effect.tapError(({ message }) =>
      Effect.logWarning(`cost of cluster ${name}: could not determine its history, will retry: ${message}`)
    ),
    Effect.retry(RetrySchedule.forEver),
    Effect.orDie
  )
  if (renamed === undefined) return holder.key
  yield* Effect.logWarning(
    `cost of cluster ${name}: the name now belongs to another cluster; the earlier costs were renamed to ${renamed.renamed}`
  )
  // Sources of past usage know clusters by name, so their data before now belongs to the earlier cluster.
  const untilMs = hourOf(holder.sinceMs) + HOUR_MS
  yield* journal
    .noteBackfill(name, { untilMs, left: [] })
    .pipe(Effect.catch((error) => Effect.logWarning(`cost of cluster ${name}: ${error.message}`)))
  return holder.key
})

/**
 * Returns the sampling of a history, which is started if needed. Every other history of the cluster is no longer
 * wanted.
 */
const ensureSampled = Effect.fnUntraced(function* (
  sampler: RunningHistory.Sampler,
  history: HistoryViews.SampledHistory
) {
  for (const other of sampler.running.values()) {
    if (other.cluster !== history.cluster || other.key === history.key) continue
    other.isWanted = false
    if (Option.isSome(other.backfill)) yield* other.backfill.value.stop
  }
  const member = sampler.running.get(history.key) ?? (yield* RunningHistory.start(sampler, history, [], true))
  member.isWanted = true
  return member
})

const applyClusters = Effect.fnUntraced(function* (sampler: RunningHistory.Sampler, clusters: ReadonlyArray<Cluster>) {
  const names = new Set(clusters.map(({ name }) => name))
  for (const name of [...sampler.followed.keys()]) if (!names.has(name)) yield* unfollow(sampler, name)
  for (const member of sampler.running.values()) if (!names.has(member.cluster)) member.isWanted = false
  yield* Effect.forEach(clusters, (cluster) => follow(sampler, cluster), { discard: true })
})
