/**
 * Asks many clusters at once and keeps every answer, including failures.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Clock, Context, Effect, Exit, Layer, Metric, Option, Result } from "effect"
import { Breakers } from "../kube/Breaker.ts"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { Turn } from "../cache/FairLanes.ts"
import type { ClusterReader, Question, Reading } from "../cache/ClusterReader.ts"
import { ClusterRegistry, type RegistrySnapshot } from "../registry/ClusterRegistry.ts"
import * as Coverage from "../kube/Coverage.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import { askByDeadline, type Outcome } from "./DeadlineFanOut.ts"
import { FanOutFailed } from "./ListError.ts"

/** Answer of one cluster. **Units** `ageMs` milliseconds since the data was last known to be current. */
export interface Answer<A> {
  readonly value: A
  /** Matching rows in this cluster, before paging. */
  readonly count: number
  readonly ageMs: number
  readonly isStale: boolean
  /** Reason for staleness, if known. */
  readonly staleCause?: ClusterError | undefined
  readonly missingKinds: ReadonlyArray<string>
}

/** Reply of one cluster. **Shape** `value` is absent if the cluster did not answer; `coverage` says why. */
export interface Reply<A> {
  readonly coverage: Coverage.Coverage
  readonly value: A | undefined
}

export interface AskOptions<A> {
  readonly source: Coverage.Consistency
  /** Deadline of the whole answer, and so of each cluster, in milliseconds. */
  readonly timeoutMs: number
  /**
   * Answers for a cluster from the cache, without a deadline or a fiber, or returns `undefined` if the cluster has to
   * be asked. Without this function, every cluster is asked.
   *
   * **Units** `now` milliseconds by `steadyClock`.
   */
  readonly askNow?: (cluster: Cluster, now: number) => Answer<A> | undefined
  /** Called before the fan-out yields to other fibers. Other fibers may change rows that `askNow` has read. */
  readonly beforeOthers?: () => void
}

/** Makes the `ask` and `askNow` functions of a request that needs one `ClusterReader` reading of each cluster. */
export const byReading = <A>(
  reader: ClusterReader["Service"],
  question: Question,
  answerOf: (reading: Reading) => Answer<A>
) => ({
  ask: (cluster: Cluster, turn: Turn): Effect.Effect<Answer<A>, ClusterError> =>
    Effect.map(reader.read(cluster, question, turn), answerOf),
  askNow: (cluster: Cluster, now: number): Answer<A> | undefined => {
    const reading = reader.readNow(cluster, question, now)
    return reading === undefined ? undefined : answerOf(reading)
  }
})

/** Clusters that one request asks at the same time. High, so that unreachable clusters do not delay the others. */
export const MaxFanOut = Context.Reference<number>("@quarterdeck/cluster-fanout/FanOut/MaxFanOut", {
  defaultValue: () => 256
})

const seconds = Metric.histogram("quarterdeck_fanout_seconds", {
  description: "Wall time of one fan-out in seconds",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})
const answers = Metric.counter("quarterdeck_fanout_answers_total", {
  description: "Replies of clusters to fan-outs, by status",
  incremental: true
})

/** Counters by status, made once. */
const answersOf: ReadonlyMap<Coverage.Status, typeof answers> = new Map(
  Coverage.Status.literals.map((status) => [status, Metric.withAttributes(answers, { status })])
)

const countAnswers = (replies: ReadonlyArray<Reply<unknown>>, services: Context.Context<never>): void => {
  const counts = new Map<Coverage.Status, number>()
  for (const { coverage } of replies) counts.set(coverage.status, (counts.get(coverage.status) ?? 0) + 1)
  for (const [status, count] of counts) answersOf.get(status)?.updateUnsafe(count, services)
}

/** Time spent on cached answers before other fibers get their turn, in milliseconds. */
const TURN_MS = 4

export class FanOut extends Context.Service<
  FanOut,
  {
    /**
     * Asks every cluster and returns the replies in the same order.
     *
     * **Errors** `FanOutFailed` if at least one cluster was asked and none answered.
     *
     * **Limits** ends within `timeoutMs`; asks `MaxFanOut` clusters at a time. A live read goes through the cluster's
     * breaker. While the breaker is open, requests share one probe. A caller's deadline does not count as a failure of
     * the cluster.
     */
    readonly ask: <A, R>(
      clusters: ReadonlyArray<ClusterName>,
      options: AskOptions<A>,
      ask: (cluster: Cluster, turn: Turn) => Effect.Effect<Answer<A>, ClusterError, R>
    ) => Effect.Effect<ReadonlyArray<Reply<A>>, FanOutFailed, R>
    /** Does the same as `ask`, but never fails: the replies say that no cluster answered. */
    readonly askEach: <A, R>(
      clusters: ReadonlyArray<ClusterName>,
      options: AskOptions<A>,
      ask: (cluster: Cluster, turn: Turn) => Effect.Effect<Answer<A>, ClusterError, R>
    ) => Effect.Effect<ReadonlyArray<Reply<A>>, never, R>
    /**
     * Answers for every cluster from the cache in one synchronous step.
     *
     * **Shape** `undefined` if a cluster has no cached answer, if the registry's snapshot is not ready, or if the work
     * takes longer than one turn (4 ms). Every `look` runs before the first answer is made.
     *
     * **Units** `now` milliseconds by `steadyClock`.
     */
    readonly askNow: <A>(
      clusters: ReadonlyArray<ClusterName>,
      look: (cluster: Cluster, now: number) => (() => Answer<A>) | undefined
    ) => ReadonlyArray<Reply<A>> | undefined
  }
>()("@quarterdeck/cluster-fanout/FanOut") {
  static readonly layer = Layer.effect(
    FanOut,
    Effect.gen(function* () {
      const registry = yield* ClusterRegistry
      const breakers = yield* Breakers
      const concurrency = yield* MaxFanOut
      const clustersByName = byName()
      const services = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      let requests = 0

      const askEach = Effect.fn("FanOut.ask")(function* <A, R>(
        clusters: ReadonlyArray<ClusterName>,
        options: AskOptions<A>,
        ask: (cluster: Cluster, turn: Turn) => Effect.Effect<Answer<A>, ClusterError, R>
      ) {
        yield* Effect.annotateCurrentSpan({ clusters: clusters.length, source: options.source })
        const known = clustersByName(yield* registry.snapshot)
        const startedAt = yield* steadyClock.now
        const request = ++requests
        const replies = new Map<ClusterName, Reply<A>>()
        const waiting: Array<readonly [cluster: Cluster, place: number]> = []
        let turnBegan = startedAt
        for (const [place, name] of clusters.entries()) {
          let now = yield* steadyClock.now
          if (now - turnBegan >= TURN_MS) {
            options.beforeOthers?.()
            yield* Effect.yieldNow
            // Other fibers may have run for long. Read the clock again: their time does not count against this turn.
            now = yield* steadyClock.now
            turnBegan = now
          }
          const cluster = known.get(name)
          if (cluster === undefined) {
            replies.set(name, unregistered(name, options.source))
            continue
          }
          const cached = Result.try(() => options.askNow?.(cluster, now))
          if (Result.isFailure(cached)) replies.set(name, yield* defectOf<A>(name, options.source, 0, cached.failure))
          else if (cached.success === undefined) waiting.push([cluster, place])
          else replies.set(name, replied(name, cached.success, options.source, 0))
        }
        options.beforeOthers?.()
        if (waiting.length > 0) {
          const outcomes = askByDeadline({ breakers, concurrency, request, startedAt, ...options }, waiting, ask)
          for (const [cluster, outcome] of yield* outcomes)
            replies.set(cluster.name, yield* replyOf(cluster, outcome, options.source))
        }
        const inOrder = clusters.flatMap((name) => replies.get(name) ?? [])
        yield* Metric.update(seconds, ((yield* steadyClock.now) - startedAt) / 1_000)
        countAnswers(inOrder, services)
        return inOrder
      })

      const askNow = <A>(
        clusters: ReadonlyArray<ClusterName>,
        look: (cluster: Cluster, now: number) => (() => Answer<A>) | undefined
      ): ReadonlyArray<Reply<A>> | undefined => {
        const snapshot = Effect.runSyncExitWith(services)(registry.snapshot)
        if (Exit.isFailure(snapshot)) return undefined
        const known = clustersByName(snapshot.value)
        const now = steadyClock.nowUnsafe(clock)
        const ready: Array<readonly [name: ClusterName, answer: () => Answer<A>]> = []
        for (const name of clusters) {
          // `look` may derive and sort changed rows, which takes time.
          if (steadyClock.nowUnsafe(clock) - now >= TURN_MS) return undefined
          const cluster = known.get(name)
          const answer = cluster === undefined ? undefined : look(cluster, now)
          if (answer === undefined) return undefined
          ready.push([name, answer])
        }
        const replies: Array<Reply<A>> = []
        for (const [name, answer] of ready) {
          if (steadyClock.nowUnsafe(clock) - now >= TURN_MS) return undefined
          replies.push(replied(name, answer(), "cache", 0))
        }
        seconds.updateUnsafe((steadyClock.nowUnsafe(clock) - now) / 1_000, services)
        countAnswers(replies, services)
        return replies
      }

      return FanOut.of({
        askEach,
        askNow,
        ask: (clusters, options, ask) => Effect.flatMap(askEach(clusters, options, ask), requireAnswer)
      })
    })
  )
}

/** Finds clusters by name. The map is made once per snapshot. */
const byName = () => {
  let last: RegistrySnapshot | undefined
  let clusters: ReadonlyMap<ClusterName, Cluster> = new Map()
  return (snapshot: RegistrySnapshot): ReadonlyMap<ClusterName, Cluster> => {
    if (snapshot !== last) clusters = new Map(snapshot.clusters.map((cluster) => [cluster.name, cluster]))
    last = snapshot
    return clusters
  }
}

/** Converts the result of a cluster that was asked. A defect fails only that cluster's reply. */
const replyOf = <A>(
  { name }: Cluster,
  { latencyMs, result }: Outcome<Answer<A>>,
  source: Coverage.Consistency
): Effect.Effect<Reply<A>> => {
  if (Exit.isSuccess(result)) return Effect.succeed(replied(name, result.value, source, latencyMs))
  const error = Cause.findErrorOption(result.cause)
  if (Option.isNone(error)) return defectOf<A>(name, source, latencyMs, Cause.squash(result.cause))
  const reply: Reply<A> = { coverage: Coverage.fromError(error.value, { source, latencyMs }), value: undefined }
  return Effect.succeed(reply)
}

const replied = <A>(
  name: ClusterName,
  answer: Answer<A>,
  source: Coverage.Consistency,
  latencyMs: number
): Reply<A> => ({ coverage: coverageOf(name, answer, source, latencyMs), value: answer.value })

/** Logs the defect. The client sees only `internal_error`. */
const defectOf = <A>(name: ClusterName, source: Coverage.Consistency, latencyMs: number, defect: unknown) =>
  Effect.as(
    Effect.logError(`FanOut: a defect while asking cluster ${name}`, Cause.die(defect)),
    failed<A>(
      name,
      source,
      latencyMs,
      "internal_error",
      "an internal error occurred in the service while it asked this cluster"
    )
  )

/** Returns the failure of the whole fan-out. **Shape** `undefined` if a cluster answered or none was asked. */
export const failureOf = (coverages: ReadonlyArray<Coverage.Coverage>): FanOutFailed | undefined => {
  if (coverages.length === 0 || coverages.some(Coverage.answered)) return undefined
  const all = (status: Coverage.Status) => coverages.every((coverage) => coverage.status === status)
  const code = all("timeout") ? "cluster_timeout" : all("throttled") ? "cluster_throttled" : "cluster_unreachable"
  return new FanOutFailed({ code, coverages })
}

const requireAnswer = <A>(replies: ReadonlyArray<Reply<A>>): Effect.Effect<ReadonlyArray<Reply<A>>, FanOutFailed> => {
  const failure = failureOf(replies.map((reply) => reply.coverage))
  return failure === undefined ? Effect.succeed(replies) : Effect.fail(failure)
}

/** Describes a cluster that answered. */
export const coverageOf = <A>(
  name: ClusterName,
  answer: Answer<A>,
  source: Coverage.Consistency,
  latencyMs: number
): Coverage.Coverage => ({
  name,
  status: answer.isStale ? "stale" : "ok",
  source,
  count: answer.count,
  ageMs: Math.round(answer.ageMs),
  latencyMs,
  ...(answer.missingKinds.length === 0 ? {} : { missingKinds: answer.missingKinds }),
  ...(answer.staleCause === undefined ? {} : { error: Coverage.problemOf(answer.staleCause) })
})

/** Reply of a cluster that was removed from the registry after the target was resolved. */
export const unregistered = <A>(name: ClusterName, source: Coverage.Consistency): Reply<A> =>
  failed(name, source, 0, "cluster_removed", "is no longer registered")

const failed = <A>(
  name: ClusterName,
  source: Coverage.Consistency,
  latencyMs: number,
  code: string,
  problem: string
): Reply<A> => ({
  coverage: {
    name,
    status: "error",
    source,
    count: 0,
    ageMs: 0,
    latencyMs,
    error: { code, message: `cluster ${name}: ${problem}` }
  },
  value: undefined
})
