/**
 * The sampling of one cost history: what keeps its open hour, closes its hours, and fills in its past.
 */
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Effect, Exit, Metric, Option, Queue, Scope, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"
import type { Prices } from "../price/Prices.ts"
import type { CostHistories } from "../report/CostHistories.ts"
import type { Recommender } from "../savings/Recommender.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { UsageSource } from "../usage/UsageSource.ts"
import * as Backfill from "./Backfill.ts"
import type { BackfillState } from "./BackfillState.ts"
import * as ClusterSampling from "./ClusterSampling.ts"
import * as FailureLog from "./FailureLog.ts"
import * as HistoryViews from "./HistoryViews.ts"
import type { HourJournal, KeptHour } from "./HourJournal.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"
import type { UsageSources } from "./UsageSources.ts"

/** How the sampling of a cluster goes. **Shape** `troubles` have failed, and not worked since. */
export interface SamplingState {
  readonly cluster: ClusterName
  readonly usage: UsageSource["_tag"]
  readonly troubles: ReadonlyArray<FailureLog.Failure>
}

/** A history that is sampled. */
export interface Running extends HistoryViews.SampledHistory {
  /** Whether its cluster is registered and has its name; one that is not ends once its hours are finished. */
  isWanted: boolean
  readonly attach: (cluster: Cluster) => Effect.Effect<void, never, Scope.Scope>
  readonly open: Effect.Effect<Option.Option<Hour>>
  readonly seenToMs: () => number | undefined
  readonly backfill: Option.Option<Filling>
  readonly state: () => SamplingState
  /** Runs once nothing is left to do for the history. */
  readonly ended: Effect.Effect<void>
  readonly scope: Scope.Closeable
}

/** The past of a history that is filled in. */
export interface Filling {
  readonly state: Effect.Effect<BackfillState>
  readonly stop: Effect.Effect<void>
}

/** A registered cluster that is followed by its present connection. */
interface Followed {
  readonly generation: string
  readonly scope: Scope.Closeable
}

/** The sampling of all clusters. */
export interface Sampler {
  readonly cache: ClusterCache["Service"]
  readonly api: KubeApi["Service"]
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly recommender: Recommender["Service"]
  readonly sources: UsageSources["Service"]
  readonly journal: HourJournal["Service"]
  readonly settings: SamplerSettings
  readonly scope: Scope.Scope
  readonly histories: CostHistories["Service"]
  /** By the keys of their histories. */
  readonly running: Map<ClusterName, Running>
  readonly followed: Map<ClusterName, Followed>
  readonly lanes: Map<ClusterName, Semaphore.Semaphore>
  /** What hours of the past are still coming in for. */
  readonly filling: Set<object>
}

/** Gives what keeps two writers of one history's hours apart. */
export const laneOf = ({ lanes }: Sampler, key: ClusterName): Semaphore.Semaphore => {
  const lane = lanes.get(key) ?? Semaphore.makeUnsafe(1)
  lanes.set(key, lane)
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
    ? measureRefused(cluster, 0)
    : Effect.andThen(measureRefused(cluster, 1), failureLog.failed("usage", source.problem))

/** Samples a history, after its hours that the journal has, and fills in its past where it has its name. */
export const start = Effect.fnUntraced(function* (
  sampler: Sampler,
  history: HistoryViews.SampledHistory,
  kept: ReadonlyArray<KeptHour>,
  isWanted: boolean
) {
  const { filling, histories, running, sources } = sampler
  const { cluster, key } = history
  const scope = yield* Scope.fork(sampler.scope)
  const source = sources.of(cluster)
  const hasName = histories.nameOf(key) === cluster
  let mayFold = source._tag !== "Hourly" || !hasName
  const parts = {
    ...sampler,
    store: HistoryViews.storeOf(sampler.store, history),
    journal: HistoryViews.journalOf(sampler.journal, history),
    recommender: HistoryViews.recommenderOf(sampler.recommender, history),
    cluster,
    source,
    lane: laneOf(sampler, key),
    failureLog: FailureLog.make(cluster),
    mayFold: () => mayFold
  }
  yield* noteRefused(cluster, source, parts.failureLog)
  const sampling = yield* ClusterSampling.make(parts)
  for (const { startMs } of kept) {
    yield* sampling
      .restore({ cluster, startMs })
      .pipe(Effect.catch((error: CostError) => parts.failureLog.failed("journal", error.message)))
  }

  const attempted = Effect.sync(() => {
    mayFold = true
  })
  const noteFilling = (isFilling: boolean): void => void (isFilling ? filling.add(parts) : filling.delete(parts))
  const sinceMs = histories.fillableFromMs(key)
  const backfill =
    source._tag === "Hourly" && hasName
      ? Option.some(
          Backfill.make({
            ...parts,
            ...(sinceMs === undefined
              ? {}
              : {
                  store: HistoryViews.storeSince(parts.store, sinceMs),
                  recommender: HistoryViews.recommenderSince(parts.recommender, sinceMs)
                }),
            source,
            attempted,
            noteFilling
          })
        )
      : Option.none()
  const fillingScope = yield* Scope.fork(scope)
  const member: Running = {
    cluster,
    key,
    isWanted,
    scope,
    attach: sampling.attach,
    open: sampling.open,
    seenToMs: sampling.seenToMs,
    backfill: Option.map(backfill, ({ state }) => ({
      state,
      stop: Effect.andThen(Scope.close(fillingScope, Exit.void), attempted)
    })),
    ended: isRefused(source) ? measureRefused(cluster, 0) : Effect.void,
    state: () => ({ cluster, usage: source._tag, troubles: parts.failureLog.active() })
  }
  running.set(key, member)
  yield* sampleAndClose(sampler, member, sampling)
  if (Option.isNone(backfill)) return member
  noteFilling(true)
  yield* backfill.value.run.pipe(Effect.ensuring(Effect.sync(() => noteFilling(false))), Effect.forkIn(fillingScope))
  return member
})

/** Samples until the scope of a cluster ends; hours are closed beside that, as their store may be slow. */
const sampleAndClose = Effect.fnUntraced(function* (
  sampler: Sampler,
  member: Running,
  sampling: Effect.Success<ReturnType<typeof ClusterSampling.make>>
) {
  const { cluster } = member
  const wake = yield* Queue.sliding<void>(1)
  // The first at once: what was kept from before may be due.
  const tick = Effect.andThen(survive(cluster, "sampling", sampling.tick), Queue.offer(wake, undefined))
  const ticks = Effect.forever(Effect.andThen(tick, ClusterSampling.untilNext(sampler.settings.sampleSeconds)))
  const closes = Effect.gen(function* () {
    while (true) {
      yield* Queue.take(wake)
      yield* survive(cluster, "closing hours", sampling.close)
      if (sampling.isDone() && !member.isWanted) return yield* end(sampler, member)
    }
  })
  yield* Effect.forkIn(ticks, member.scope)
  yield* Effect.forkIn(closes, member.scope)
})

/** Lets go of a history of which nothing is left to do, by a fiber of its own, since it ends the asking one. */
const end = Effect.fnUntraced(function* ({ recommender, running, scope }: Sampler, { key }: Running) {
  const member = running.get(key)
  if (member === undefined) return
  running.delete(key)
  const goesOn = [...running.values()].some(({ cluster }) => cluster === member.cluster)
  if (!goesOn) yield* member.ended
  yield* recommender.release(key)
  yield* Effect.forkIn(Scope.close(member.scope, Exit.void), scope)
})

/** One hour that cannot be computed must not end the sampling of the cluster. */
const survive = (cluster: ClusterName, what: string, effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(`cost of cluster ${cluster}: ${what}`, cause)
  )
