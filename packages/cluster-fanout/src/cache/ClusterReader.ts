/**
 * Reads one cluster, from the cache or from the cluster itself, in one form for both.
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

/** What to read. **Units** `timeoutMs` is the caller's whole deadline; a cached read answers a little before it. */
export interface Question {
  readonly kinds: ReadonlyArray<Kind.Kind>
  /** Kinds that name what the others belong to: they are read too, and an answer without them is still one. */
  readonly naming?: ReadonlyArray<Kind.Kind>
  /** Kinds that add to the rows of the others. They are read too, prove no row, and are not missing if the credential may not read them. */
  readonly counting?: ReadonlyArray<Kind.Kind>
  readonly consistency: Consistency
  readonly timeoutMs: number
  /** Whether the answer depends on the labels of namespaces. */
  readonly needsLabels: boolean
}

/**
 * One cluster as it was read.
 *
 * **Shape** `missingKinds` names what could not be read, and `Namespace` when labels are needed and not proven: then
 * no label matches.
 */
export interface Reading {
  readonly store: ClusterStore
  readonly labels: (namespace: string) => ProvenLabels
  readonly ageMs: number
  readonly isStale: boolean
  /** The failure of its last probe or call, or of a kind that is too large, while it is stale; absent where it was only quiet. */
  readonly staleCause: ClusterError | undefined
  readonly missingKinds: ReadonlyArray<string>
}

export class ClusterReader extends Context.Service<
  ClusterReader,
  {
    /**
     * Reads some kinds of one cluster.
     *
     * **Errors** the reason when none of the kinds could be read, or one is too large and has no old rows to show; a kind that the credential may not read or the server
     * does not serve is missing, not an error, as long as another was read.
     *
     * **Limits** cached: waits for a first sync up to the deadline, then answers with what has synced. Live: one list a
     * kind, `LiveLists.LiveLanes` at a time for a cluster and `LiveLists.LiveLimits` for all; a list is shared by those
     * who ask for it before it begins.
     */
    readonly read: (cluster: Cluster, question: Question, turn?: FairLanes.Turn) => Effect.Effect<Reading, ClusterError>
    /**
     * Reads what is there now: from the cache, all of whose part has settled and is proven, and could be read.
     *
     * **Shape** `undefined` when `read` would have to wait, or would fail. **Units** `now` milliseconds by `steadyClock`.
     */
    readonly readNow: (cluster: Cluster, question: Question, now: number) => Reading | undefined
    /**
     * Reads what has synced by now, as `read` does once its time is over.
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
      const read = (cluster: Cluster, question: Question, turn = NOBODYS) => {
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
  // Leaves the time to answer with what has synced by then.
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

/** Reads what has synced by now. */
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

/** Has followed what is followed on demand alone. */
const want = ({ wantEvents }: Member, { kinds }: Question, now: number): void => {
  if (kinds.includes("Event")) wantEvents(now)
}

/** Tells whether waiting would bring nothing more. */
const hasAll = (member: Member, question: Question, now: number): boolean =>
  neededKinds(question).every((kind) => isSettled(member, kind))
  && (!question.needsLabels || member.store.provesLabels(now))

/** The turn of those who are no part of a larger request. */
const NOBODYS: FairLanes.Turn = { request: 0, place: 0 }

/** Lists the kinds now, into a store of the question's own. */
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
  { counting = [], kinds: asked, naming = [], needsLabels }: Question,
  breaker: Breaker | undefined,
  now: number
): Reading => {
  const shown = [...asked, ...naming]
  const kinds = [...shown, ...counting]
  const unread = kinds.filter((kind) => {
    const { _tag } = store.table(kind).sync
    return _tag === "Pending" || (_tag === "Missing" && !counting.includes(kind))
  })
  const ageMs = store.ageMs(shown, now)
  const isUnproven = needsLabels && !store.provesLabels(now) && !unread.includes("Namespace")
  const tooLarge = shown.map((kind) => store.table(kind).sync.error).find(isTooLarge)
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

/** The kinds asked for, and the namespaces where their labels decide. */
const neededKinds = ({ counting = [], kinds, naming = [], needsLabels }: Question): ReadonlyArray<Kind.Kind> => {
  const all = [...kinds, ...naming, ...counting]
  return needsLabels && !all.includes("Namespace") ? [...all, "Namespace"] : all
}

/**
 * Says why a cluster has no answer, if so: nothing could be read, or a kind is too large and has no old rows to show. A failure
 * that may pass comes before one that will not.
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
