/** Asks the clusters for which `FanOut` has no answer in the cache, all under one deadline. */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Effect, Exit } from "effect"
import type { Breaker, Breakers } from "../kube/Breaker.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import type { Consistency } from "../kube/Coverage.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import type { Cluster } from "../registry/Cluster.ts"
import type { Turn } from "../cache/FairLanes.ts"

/** Settings of one request. **Units** `startedAt` is in milliseconds by `steadyClock`. */
interface Asking {
  readonly breakers: Breakers["Service"]
  readonly source: Consistency
  readonly startedAt: number
  readonly timeoutMs: number
  /** Clusters asked at the same time. */
  readonly concurrency: number
  /** Number of the request, by which live lists of several requests take turns (`FairLanes`). */
  readonly request: number
}

/** Result of one cluster. **Units** `latencyMs` is whole milliseconds since the cluster was asked. */
export interface Outcome<A> {
  readonly result: Exit.Exit<A, ClusterError>
  readonly latencyMs: number
}

/** A cluster that was asked and has not answered yet. */
interface Open {
  readonly breaker: Breaker
  readonly askedAt: number
  isDoubted: boolean
}

/** A cluster and its position in the request. */
type Asked = readonly [cluster: Cluster, place: number]

type Question<A, R> = (cluster: Cluster, turn: Turn) => Effect.Effect<A, ClusterError, R>

/** State of one fan-out while it runs. */
interface Answers<A, R> {
  readonly asking: Asking
  readonly ask: Question<A, R>
  readonly outcomes: Map<Cluster, Outcome<A>>
  readonly open: Map<Cluster, Open>
}

/** Time without an answer to a live read after which the cluster is probed. */
const DOUBT_AFTER_MS = 500

/**
 * Asks each cluster and returns its result or, after the deadline, `ClusterTimeout`.
 *
 * **Limits** one fiber a cluster and one for the shared deadline. A live read goes through the cluster's breaker. A
 * cluster that has not answered for 500 ms is probed, before the caller's deadline passes.
 */
export const askByDeadline = Effect.fnUntraced(function* <A, R>(
  asking: Asking,
  clusters: ReadonlyArray<Asked>,
  ask: Question<A, R>
) {
  const outcomes = new Map<Cluster, Outcome<A>>()
  const open = new Map<Cluster, Open>()
  const askOne = (position: Asked) => askCluster({ asking, ask, outcomes, open }, position)
  const all = Effect.forEach(clusters, askOne, { concurrency: asking.concurrency, discard: true })
  yield* Effect.raceFirst(all, awaitDeadline(asking, open))

  const now = yield* steadyClock.now
  for (const [cluster] of clusters) {
    if (outcomes.has(cluster)) continue
    const unanswered = open.get(cluster)
    if (unanswered !== undefined) yield* unanswered.breaker.suspect
    const result = Exit.fail(timedOut(cluster.name, asking.timeoutMs))
    outcomes.set(cluster, { result, latencyMs: latency(unanswered?.askedAt ?? now, now) })
  }
  return outcomes
})

const askCluster = Effect.fnUntraced(function* <A, R>(
  { ask, asking, open, outcomes }: Answers<A, R>,
  [cluster, place]: Asked
) {
  const breaker = yield* asking.breakers.find(cluster)
  const askedAt = yield* steadyClock.now
  open.set(cluster, { breaker, askedAt, isDoubted: false })
  const question = Effect.suspend(() => ask(cluster, { request: asking.request, place }))
  const result = yield* Effect.exit(asking.source === "live" ? breaker.guard(question) : question)
  if (Exit.isFailure(result) && Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
  open.delete(cluster)
  outcomes.set(cluster, { result, latencyMs: latency(askedAt, yield* steadyClock.now) })
})

/** Makes the error of a cluster that did not answer within the deadline. */
export const timedOut = (cluster: ClusterName, timeoutMs: number) =>
  new ClusterError({ cluster, reason: new ClusterTimeout({ timeoutMs }) })

const latency = (askedAt: number, now: number): number => Math.max(0, Math.round(now - askedAt))

/**
 * Waits for the deadline. For a live read, also requests a probe of each cluster that has not answered for
 * `DOUBT_AFTER_MS`.
 */
const awaitDeadline = Effect.fnUntraced(function* (
  { source, startedAt, timeoutMs }: Asking,
  open: ReadonlyMap<Cluster, Open>
) {
  const deadline = startedAt + timeoutMs
  while (true) {
    const now = yield* steadyClock.now
    if (now >= deadline) return
    let until = source === "live" ? Math.min(deadline, now + DOUBT_AFTER_MS) : deadline
    for (const unanswered of source === "live" ? open.values() : []) {
      if (unanswered.isDoubted) continue
      unanswered.isDoubted = now >= unanswered.askedAt + DOUBT_AFTER_MS
      if (unanswered.isDoubted) yield* unanswered.breaker.suspect
      else until = Math.min(until, unanswered.askedAt + DOUBT_AFTER_MS)
    }
    yield* Effect.sleep(until - now)
  }
})
