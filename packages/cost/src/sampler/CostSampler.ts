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
import { Cause, Context, Effect, Exit, Layer, Metric, Option, Queue, Scope, Semaphore, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { OpenHours } from "../report/OpenHours.ts"
import { type Around, Prices } from "../price/Prices.ts"
import { Recommender } from "../savings/Recommender.ts"
import * as Backfill from "./Backfill.ts"
import type { BackfillState } from "./BackfillState.ts"
import * as ClusterSampling from "./ClusterSampling.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"
import * as Pruning from "./Pruning.ts"
import * as RepricingRuns from "./RepricingRuns.ts"
import { SamplerSettings } from "./SamplerSettings.ts"
import * as FailureLog from "./FailureLog.ts"
import type { UsageSource } from "../usage/UsageSource.ts"
import { UsageSources } from "./UsageSources.ts"

/** How the sampling of a cluster goes. **Shape** `troubles` have failed, and not worked since. */
export interface SamplingState {
  readonly cluster: ClusterName
  readonly usage: UsageSource["_tag"]
  readonly troubles: ReadonlyArray<FailureLog.Failure>
}

/** A cluster that is sampled, and by which connection it is followed now. */
interface Running {
  /** Whether it is registered; one that is not ends once its hours are finished. */
  isWanted: boolean
  readonly attach: (cluster: Cluster) => Effect.Effect<void, never, Scope.Scope>
  readonly open: Effect.Effect<Option.Option<Hour>>
  readonly backfill: Option.Option<Effect.Effect<BackfillState>>
  readonly state: () => SamplingState
  /** Runs once nothing is left to do for the cluster. */
  readonly ended: Effect.Effect<void>
  readonly scope: Scope.Closeable
  attached: { readonly generation: string; readonly scope: Scope.Closeable } | undefined
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
    /** Gives the hour of a cluster that is not closed yet, as `OpenHours` says. **Limits** built once a second at most. */
    readonly open: (cluster: ClusterName) => Effect.Effect<Option.Option<Hour>>
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
    /** Tells how far the present repricing is. */
    readonly repricing: Effect.Effect<Option.Option<RepricingRuns.Progress>>
    /** Tells how far the past of each cluster is filled in whose source of usage remembers it. */
    readonly backfills: Effect.Effect<ReadonlyArray<BackfillState>>
    /** Tells where the usage of each sampled cluster comes from, and what fails of its costs now. */
    readonly states: Effect.Effect<ReadonlyArray<SamplingState>>
  }
>()("@quarterdeck/cost/CostSampler") {
  /** Samples, and gives open hours to reports. */
  static readonly layer: Layer.Layer<
    CostSampler | OpenHours,
    CostError,
    ClusterCache | ClusterRegistry | CostStore | HourJournal | KubeApi | Prices | Recommender | UsageSources
  > = Layer.effectContext(
    Effect.suspend(() =>
      Effect.map(make, (sampler) =>
        Context.make(CostSampler, sampler).pipe(Context.add(OpenHours, OpenHours.of({ open: sampler.open })))
      )
    )
  )
}

/** The sampling of all clusters. */
interface Sampler {
  readonly cache: ClusterCache["Service"]
  readonly api: KubeApi["Service"]
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly recommender: Recommender["Service"]
  readonly sources: UsageSources["Service"]
  readonly journal: HourJournal["Service"]
  readonly settings: SamplerSettings
  readonly scope: Scope.Scope
  readonly running: Map<ClusterName, Running>
  readonly lanes: Map<ClusterName, Semaphore.Semaphore>
  /** What hours of the past are still coming in for. */
  readonly filling: Set<object>
}

const make = Effect.gen(function* () {
  const registry = yield* ClusterRegistry
  const sampler: Sampler = {
    cache: yield* ClusterCache,
    api: yield* KubeApi,
    store: yield* CostStore,
    prices: yield* Prices,
    recommender: yield* Recommender,
    sources: yield* UsageSources,
    journal: yield* HourJournal,
    settings: yield* SamplerSettings,
    scope: yield* Effect.scope,
    running: new Map(),
    lanes: new Map(),
    filling: new Set()
  }
  const { journal, lanes, running } = sampler
  const repricing = yield* RepricingRuns.make({
    ...sampler,
    laneOf: (cluster) => laneOf(sampler, cluster),
    clusters: () => [...lanes.keys()]
  })

  for (const [name, hours] of Map.groupBy(yield* journal.kept, ({ cluster }) => cluster))
    yield* start(sampler, name, hours, false)
  yield* take(sampler, (yield* registry.snapshot).clusters)
  yield* Effect.forkScoped(Stream.runForEach(registry.changes, ({ clusters }) => take(sampler, clusters)))
  yield* Effect.forkScoped(repricing.resume)
  yield* Effect.forkScoped(Pruning.run({ ...sampler, isFilling: () => sampler.filling.size > 0 }))

  return CostSampler.of({
    open: (cluster) => Effect.suspend(() => running.get(cluster)?.open ?? Effect.succeed(Option.none())),
    reprice: repricing.pursue,
    repriceNoted: repricing.noted,
    repricing: repricing.progress,
    states: Effect.sync(() => Array.from(running.values(), ({ state }) => state())),
    backfills: Effect.suspend(() =>
      Effect.all(Array.from(running.values(), ({ backfill }) => Option.toArray(backfill)).flat())
    )
  })
})

/** Gives what keeps two writers of one cluster's hours apart. */
const laneOf = ({ lanes }: Sampler, cluster: ClusterName): Semaphore.Semaphore => {
  const lane = lanes.get(cluster) ?? Semaphore.makeUnsafe(1)
  lanes.set(cluster, lane)
  return lane
}

const refusedUsage = Metric.gauge("quarterdeck_cost_usage_refused", {
  description:
    "1 while a cluster is charged by requests alone because the source of usage in the settings cannot be used for it"
})

const measureRefused = (cluster: ClusterName, value: 0 | 1): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refusedUsage, { cluster }), value)

const isRefused = (source: UsageSource): boolean => source._tag === "RequestsOnly" && source.problem !== undefined

/** Logs and measures that the source of usage in the settings cannot be used for a cluster. */
const noteRefused = (
  cluster: ClusterName,
  source: UsageSource,
  failureLog: FailureLog.FailureLog
): Effect.Effect<void> =>
  source._tag !== "RequestsOnly" || source.problem === undefined
    ? Effect.void
    : Effect.andThen(measureRefused(cluster, 1), failureLog.failed("usage", source.problem))

/** Samples a cluster, after its hours that the journal has, and fills in its past. */
const start = Effect.fnUntraced(function* (
  sampler: Sampler,
  name: ClusterName,
  kept: ReadonlyArray<KeptHour>,
  isWanted: boolean
) {
  const { filling, running, sources } = sampler
  const scope = yield* Scope.fork(sampler.scope)
  const source = sources.of(name)
  let mayFold = source._tag !== "Hourly"
  const parts = {
    ...sampler,
    cluster: name,
    source,
    lane: laneOf(sampler, name),
    failureLog: FailureLog.make(name),
    mayFold: () => mayFold
  }
  yield* noteRefused(name, source, parts.failureLog)
  const sampling = yield* ClusterSampling.make(parts)
  for (const hour of kept) {
    yield* sampling
      .restore(hour)
      .pipe(Effect.catch((error: CostError) => parts.failureLog.failed("journal", error.message)))
  }

  const attempted = Effect.sync(() => {
    mayFold = true
  })
  const noteFilling = (isFilling: boolean): void => void (isFilling ? filling.add(parts) : filling.delete(parts))
  const backfill =
    source._tag === "Hourly" ? Option.some(Backfill.make({ ...parts, source, attempted, noteFilling })) : Option.none()
  const member: Running = {
    isWanted,
    scope,
    attach: sampling.attach,
    open: sampling.open,
    attached: undefined,
    backfill: Option.map(backfill, ({ state }) => state),
    ended: isRefused(source) ? measureRefused(name, 0) : Effect.void,
    state: () => ({ cluster: name, usage: source._tag, troubles: parts.failureLog.active() })
  }
  running.set(name, member)
  yield* sampleAndClose(sampler, name, member, sampling)
  if (Option.isNone(backfill)) return member
  noteFilling(true)
  yield* backfill.value.run.pipe(Effect.ensuring(Effect.sync(() => noteFilling(false))), Effect.forkIn(scope))
  return member
})

/** Samples until the scope of a cluster ends; hours are closed beside that, as their store may be slow. */
const sampleAndClose = Effect.fnUntraced(function* (
  sampler: Sampler,
  name: ClusterName,
  member: Running,
  sampling: Effect.Success<ReturnType<typeof ClusterSampling.make>>
) {
  const wake = yield* Queue.sliding<void>(1)
  // The first at once: what was kept from before may be due.
  const tick = Effect.andThen(survive(name, "sampling", sampling.tick), Queue.offer(wake, undefined))
  const ticks = Effect.forever(Effect.andThen(tick, ClusterSampling.untilNext(sampler.settings.sampleSeconds)))
  const closes = Effect.gen(function* () {
    while (true) {
      yield* Queue.take(wake)
      yield* survive(name, "closing hours", sampling.close)
      if (sampling.isDone() && !member.isWanted) return yield* end(sampler, name)
    }
  })
  yield* Effect.forkIn(ticks, member.scope)
  yield* Effect.forkIn(closes, member.scope)
})

/** Lets go of a cluster of which nothing is left to do, by a fiber of its own, since it ends the asking one. */
const end = Effect.fnUntraced(function* ({ recommender, running, scope }: Sampler, name: ClusterName) {
  const member = running.get(name)
  if (member === undefined) return
  running.delete(name)
  yield* member.ended
  yield* recommender.release(name)
  yield* Effect.forkIn(Scope.close(member.scope, Exit.void), scope)
})

const detach = Effect.fnUntraced(function* (member: Running) {
  const { attached } = member
  member.attached = undefined
  if (attached !== undefined) yield* Scope.close(attached.scope, Exit.void)
})

const follow = Effect.fnUntraced(function* (sampler: Sampler, cluster: Cluster) {
  const member = sampler.running.get(cluster.name) ?? (yield* start(sampler, cluster.name, [], true))
  member.isWanted = true
  if (member.attached?.generation === cluster.generation) return
  yield* detach(member)
  const scope = yield* Scope.fork(member.scope)
  member.attached = { generation: cluster.generation, scope }
  yield* member.attach(cluster).pipe(Scope.provide(scope), Effect.forkIn(scope))
})

const take = Effect.fnUntraced(function* (sampler: Sampler, clusters: ReadonlyArray<Cluster>) {
  const names = new Set(clusters.map(({ name }) => name))
  for (const [name, member] of sampler.running) {
    if (names.has(name)) continue
    member.isWanted = false
    yield* detach(member)
  }
  yield* Effect.forEach(clusters, (cluster) => follow(sampler, cluster), { discard: true })
})

/** One hour that cannot be computed must not end the sampling of the cluster. */
const survive = (cluster: ClusterName, what: string, effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(`cost of cluster ${cluster}: ${what}`, cause)
  )
