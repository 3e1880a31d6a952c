/**
 * Reads one cluster, from the cache or live, and returns the same form for both.
 */
import type { ProvenLabels } from "@quarterdeck/targeting/NamespaceFilter"
import { Context, Effect, Layer, Option, Result } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterCache, isSettled, type Member } from "./ClusterCache.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import { ClusterStore } from "./ClusterStore.ts"
import type { Breaker } from "../kube/Breaker.ts"
import { isTooLarge } from "./KindTable.ts"
import type { Consistency } from "../kube/Coverage.ts"
import type * as FairLanes from "./FairLanes.ts"
import * as Freshness from "./Freshness.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import { traced } from "../kube/Traced.ts"
import * as LiveLists from "./LiveLists.ts"
import * as LiveReading from "./LiveReading.ts"

/** A read request. **Units** `timeoutMs` is the caller's whole deadline; a cached read ends shortly before it. */
export interface Question {
  readonly kinds: ReadonlyArray<Kind.Kind>
  /** Kinds that identify the owners of other rows. They are read too, but the answer does not fail without them. */
  readonly naming?: ReadonlyArray<Kind.Kind>
  /**
   * Kinds whose objects only add to the rows of other kinds. They are read too, but do not affect the age of the
   * answer. They do not count as missing if the credential may not read them.
   */
  readonly counting?: ReadonlyArray<Kind.Kind>
  readonly consistency: Consistency
  readonly timeoutMs: number
  /** True if the answer depends on namespace labels. */
  readonly needsLabels: boolean
}

/**
 * Result of reading one cluster.
 *
 * **Shape** `missingKinds` lists the kinds that could not be read. It includes `Namespace` if labels are needed but
 * were not confirmed within the last 30 s. Then no label matches.
 */
export interface Reading {
  readonly store: ClusterStore
  readonly labels: (namespace: string) => ProvenLabels
  readonly ageMs: number
  readonly isStale: boolean
  /** Why the reading is stale: the failure of the last probe, call or list. Absent if none of them failed. */
  readonly staleCause: ClusterError | undefined
  readonly missingKinds: ReadonlyArray<string>
}

export class ClusterReader extends Context.Service<
  ClusterReader,
  {
    /**
     * Reads some kinds of one cluster.
     *
     * **Errors** the reason if none of the kinds could be read, or if one is too large and has no earlier rows. A kind
     * that the credential may not read or the server does not serve is missing, not an error, if another kind was read.
     *
     * **Limits** cached: waits for a first sync up to the deadline, then answers with the kinds that have synced. Live:
     * one list a kind, at most `LiveLists.LiveLanes` at a time for a cluster and `LiveLists.LiveLimits` in total.
     * Callers that ask for the same list before it begins share it.
     */
    readonly read: (cluster: Cluster, question: Question, turn?: FairLanes.Turn) => Effect.Effect<Reading, ClusterError>
    /**
     * Reads from the cache without waiting.
     *
     * **Shape** `undefined` if `read` would fail, or would wait for a kind's first sync or for current namespace
     * labels. **Units** `now` milliseconds by `steadyClock`.
     */
    readonly readNow: (cluster: Cluster, question: Question, now: number) => Reading | undefined
    /**
     * Reads the kinds that have synced so far, as `read` does at its deadline.
     *
     * **Shape** `undefined` while the cluster is not followed yet. **Units** `now` milliseconds by `steadyClock`.
     */
    readonly look: (
      cluster: Cluster,
      question: Question,
      now: number
    ) => Result.Result<Reading, ClusterError> | undefined
  }
>()("@quarterdeck/cluster-fanout/ClusterReader") {
  static readonly layer = Layer.effect(
    ClusterReader,
    Effect.gen(function* () {
      const cache = yield* ClusterCache
      const live = yield* LiveLists.make
      const read = (cluster: Cluster, question: Question, turn = NO_TURN) => {
        const { consistency } = question
        const reading =
          consistency === "live" ? readLive(cluster, question, live, turn) : readCached(cluster, question, cache)
        return traced("ClusterReader.read", () => ({ cluster: cluster.name, consistency }))(reading)
      }
      const readNow = (cluster: Cluster, question: Question, now: number) => {
        if (question.consistency === "live") return undefined
        const member = cache.find(cluster)
        if (member === undefined) return undefined
        want(member, question, now)
        if (!hasAll(member, question, now)) return undefined
        return Result.getOrUndefined(settledReading(cluster, member, question, now))
      }
      const look = (cluster: Cluster, question: Question, now: number) => {
        const member = cache.find(cluster)
        return member === undefined ? undefined : settledReading(cluster, member, question, now)
      }
      return ClusterReader.of({ look, read, readNow })
    })
  )
}

const readCached = Effect.fnUntraced(function* (cluster: Cluster, question: Question, cache: ClusterCache["Service"]) {
  const { kinds, needsLabels, timeoutMs } = question
  const needed = neededKinds(question)
  // Ends before the deadline, to leave time for answering with the kinds that have synced by then.
  const waitMs = Math.max(0, timeoutMs - Math.min(100, timeoutMs / 10))
  const startedAt = yield* steadyClock.now
  const known = cache.find(cluster)
  if (known !== undefined && hasAll(known, question, startedAt)) return yield* readSettled(cluster, known, question)
  const found = yield* Effect.timeoutOption(cache.member(cluster), waitMs)
  if (Option.isNone(found)) return yield* timedOut(cluster, timeoutMs)
  const member = found.value
  const { store } = member
  want(member, question, yield* steadyClock.now)

  const settled = store.signal.until(() => needed.every((kind) => isSettled(member, kind)))
  const spentMs = (yield* steadyClock.now) - startedAt
  yield* Effect.timeoutOption(settled, Math.max(0, waitMs - spentMs))

  if (needsLabels && kinds.some((kind) => store.table(kind).sync._tag === "Synced")) {
    const leftMs = waitMs - ((yield* steadyClock.now) - startedAt)
    yield* Effect.timeoutOption(member.proveLabels, Math.max(0, leftMs))
  }
  return yield* readSettled(cluster, member, question)
})

/** Reads the kinds that have synced so far. */
const readSettled = (cluster: Cluster, member: Member, question: Question): Effect.Effect<Reading, ClusterError> =>
  Effect.flatMap(steadyClock.now, (now) => Effect.fromResult(settledReading(cluster, member, question, now)))

const settledReading = (
  cluster: Cluster,
  { breaker, store }: Member,
  question: Question,
  now: number
): Result.Result<Reading, ClusterError> => {
  const { kinds, timeoutMs } = question
  const error = lastError(store, kinds, breaker.refusal())
  if (error !== undefined) return Result.fail(error)
  return kinds.some((kind) => store.table(kind).sync._tag === "Synced")
    ? Result.succeed(reading(store, question, breaker, now))
    : Result.fail(timedOut(cluster, timeoutMs))
}

/** Starts or prolongs the watch of events, which are followed only on request. */
const want = ({ wantEvents }: Member, { kinds }: Question, now: number): void => {
  if (kinds.includes("Event")) wantEvents(now)
}

/** Returns whether the answer is already as complete as waiting could make it. */
const hasAll = (member: Member, question: Question, now: number): boolean =>
  neededKinds(question).every((kind) => isSettled(member, kind))
  && (!question.needsLabels || member.store.provesLabels(now))

/** The position in the queue of live lists for callers that are not part of a larger request. */
const NO_TURN: FairLanes.Turn = { request: 0, place: 0 }

/** Lists the kinds live, into a store that only this request uses. */
const readLive = Effect.fnUntraced(function* (
  cluster: Cluster,
  question: Question,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
) {
  const store = yield* LiveReading.read(
    cluster,
    { kinds: neededKinds(question), counting: question.counting ?? [] },
    live,
    turn
  )
  const failure = lastError(store, question.kinds)
  if (failure !== undefined) return yield* failure
  return reading(store, question, undefined, yield* steadyClock.now)
})

const reading = (
  store: ClusterStore,
  { counting = [], kinds: requested, naming = [], needsLabels }: Question,
  breaker: Breaker | undefined,
  now: number
): Reading => {
  const dated = [...requested, ...naming]
  const kinds = [...dated, ...counting]
  const unread = kinds.filter((kind) => {
    const { _tag } = store.table(kind).sync
    return _tag === "Pending" || (_tag === "Missing" && !counting.includes(kind))
  })
  const ageMs = store.ageMs(dated, now)
  const isUnproven = needsLabels && !store.provesLabels(now) && !unread.includes("Namespace")
  const tooLarge = dated.map((kind) => store.table(kind).sync.error).find(isTooLarge)
  const isStale = tooLarge !== undefined || Freshness.isStale(store.silentMs(kinds, now), breaker?.isSilent() ?? false)
  const staleCause = isStale ? (breaker?.refusal() ?? tooLarge ?? store.health.error) : undefined
  return {
    store,
    labels: store.labelsAt(now),
    ageMs,
    isStale,
    staleCause,
    missingKinds: isUnproven ? [...unread, "Namespace"] : unread
  }
}

/** Returns the kinds to read, including namespaces if their labels are needed. */
const neededKinds = ({ counting = [], kinds, naming = [], needsLabels }: Question): ReadonlyArray<Kind.Kind> => {
  const all = [...kinds, ...naming, ...counting]
  return needsLabels && !all.includes("Namespace") ? [...all, "Namespace"] : all
}

/**
 * Returns why a cluster has no answer: nothing could be read, or a kind is too large and has no earlier rows.
 *
 * **Shape** `undefined` if there is an answer. A temporary failure takes precedence over a permanent one.
 */
const lastError = (
  store: ClusterStore,
  kinds: ReadonlyArray<Kind.Kind>,
  refusal?: ClusterError
): ClusterError | undefined => {
  const syncs = kinds.map((kind) => store.table(kind).sync)
  const tooLarge = syncs.find((sync) => sync._tag === "Pending" && isTooLarge(sync.error))
  if (tooLarge !== undefined) return tooLarge.error
  if (syncs.some((sync) => sync._tag === "Synced")) return undefined
  const pending = syncs.filter((sync) => sync._tag === "Pending")
  if (pending.length === 0) return syncs.find((sync) => sync._tag === "Missing")?.error
  return refusal ?? pending.find((sync) => sync.error !== undefined)?.error ?? store.health.error
}

const timedOut = (cluster: Cluster, timeoutMs: number) =>
  new ClusterError({ cluster: cluster.name, reason: new ClusterTimeout({ timeoutMs }) })
