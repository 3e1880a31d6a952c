/**
 * Samples one cost history: fills its open hour, closes ended hours, and back-fills past hours.
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

/**
 * The state of a cluster's sampling. **Shape** `troubles` are the activities, such as reading usage, that are failing
 * now.
 */
export interface SamplingState {
  readonly cluster: ClusterName
  readonly usage: UsageSource["_tag"]
  readonly troubles: ReadonlyArray<FailureLog.Failure>
}

/** A history that is being sampled. */
export interface Running extends HistoryViews.SampledHistory {
  /** True while the cluster is registered under the history's name. Otherwise sampling stops once all hours are closed. */
  isWanted: boolean
  readonly attach: (cluster: Cluster) => Effect.Effect<void, never, Scope.Scope>
  readonly open: Effect.Effect<Option.Option<Hour>>
  readonly seenToMs: () => number | undefined
  readonly backfill: Option.Option<Filling>
  readonly state: () => SamplingState
  /** Runs when the history has nothing left to do. */
  readonly ended: Effect.Effect<void>
  readonly scope: Scope.Closeable
}

/** The back-fill of a history. */
export interface Filling {
  readonly state: Effect.Effect<BackfillState>
  readonly stop: Effect.Effect<void>
}

/** A registered cluster, observed through its present connection. **Shape** `generation` identifies that connection. */
interface Followed {
  readonly generation: string
  readonly scope: Scope.Closeable
}

/** Shared state of the sampling of all clusters. */
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
  /** Sampled histories by history key. */
  readonly running: Map<ClusterName, Running>
  readonly followed: Map<ClusterName, Followed>
  readonly lanes: Map<ClusterName, Semaphore.Semaphore>
  /** Histories whose past hours are still arriving. */
  readonly filling: Set<object>
}

/** Returns the lock that serializes writes to one history's hours. */
export const laneOf = ({ lanes }: Sampler, key: ClusterName): Semaphore.Semaphore => {
  const lane = lanes.get(key) ?? Semaphore.makeUnsafe(1)
  lanes.set(key, lane)
  return lane
}

const refusedUsage = Metric.gauge("quarterdeck_cost_usage_refused", {
  description: "1 while a cluster is charged by requests only because the configured usage source cannot be used for it"
})

const measureRefused = (cluster: ClusterName, value: 0 | 1): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refusedUsage, { cluster }), value)

const isRefused = (source: UsageSource): boolean => source._tag === "RequestsOnly" && source.problem !== undefined

/** Reports in the log and in a metric if the configured usage source cannot be used for a cluster. */
const reportRefused = (
  cluster: ClusterName,
  source: UsageSource,
  failureLog: FailureLog.FailureLog
): Effect.Effect<void> =>
  source._tag !== "RequestsOnly" || source.problem === undefined
    ? measureRefused(cluster, 0)
    : Effect.andThen(measureRefused(cluster, 1), failureLog.failed("usage", source.problem))

/** Starts sampling a history, restores its journaled hours, and starts its back-fill if the history owns the cluster's name. */
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
  yield* reportRefused(cluster, source, parts.failureLog)
  const sampling = yield* ClusterSampling.make(parts)
  for (const { startMs } of kept) {
    yield* sampling
      .restore({ cluster, startMs })
      .pipe(Effect.catch((error: CostError) => parts.failureLog.failed("journal", error.message)))
  }

  const attempted = Effect.sync(() => {
    mayFold = true
  })
  const setFilling = (isFilling: boolean): void => void (isFilling ? filling.add(parts) : filling.delete(parts))
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
            setFilling
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
  setFilling(true)
  yield* backfill.value.run.pipe(Effect.ensuring(Effect.sync(() => setFilling(false))), Effect.forkIn(fillingScope))
  return member
})

/** Samples until the scope closes. Hours are closed in a second fiber, because the store may be slow. */
const sampleAndClose = Effect.fnUntraced(function* (
  sampler: Sampler,
  member: Running,
  sampling: Effect.Success<ReturnType<typeof ClusterSampling.make>>
) {
  const { cluster } = member
  const wake = yield* Queue.sliding<void>(1)
  // The first round runs at once, because restored hours may be due.
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

/** Ends the sampling of a history. Uses a separate fiber, because closing the scope ends the calling fiber. */
const end = Effect.fnUntraced(function* ({ recommender, running, scope }: Sampler, { key }: Running) {
  const member = running.get(key)
  if (member === undefined) return
  running.delete(key)
  const isStillSampled = [...running.values()].some(({ cluster }) => cluster === member.cluster)
  if (!isStillSampled) yield* member.ended
  yield* recommender.release(key)
  yield* Effect.forkIn(Scope.close(member.scope, Exit.void), scope)
})

/** Keeps sampling alive if one round fails with a defect. */
const survive = (cluster: ClusterName, what: string, effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(`cost of cluster ${cluster}: ${what}`, cause)
  )
