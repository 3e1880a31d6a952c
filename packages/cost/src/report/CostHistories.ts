/**
 * Maps the names of cost histories, which users see, to their keys in the stores, and back.
 */
import { ClusterName, is as isClusterName } from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import type { CostError } from "../hour/CostError.ts"
import { HOUR_MS, hourOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"
import { CostStore, type Extent } from "../store/CostStore.ts"
import { HistoryStore, type KeptHistory } from "../store/HistoryStore.ts"
import * as HistorySuccession from "../store/HistorySuccession.ts"

/** One history with closed hours. **Units** milliseconds since the epoch. */
export interface CostHistory {
  readonly name: HistoryName.HistoryName
  readonly key: ClusterName
  /** Start of the first and end of the last closed hour. */
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Lifetime of the cached history names and of the first and last closed hour of each history. Another process may
 * change them.
 */
const READ_EVERY_MS = 60_000

/**
 * Finds histories by name, and decides which history a cluster's costs belong to.
 *
 * **Shape** a history's `key` identifies it in `CostStore`, `RecommendationStore` and the journal.
 */
export class CostHistories extends Context.Service<
  CostHistories,
  {
    /** Lists the histories with closed hours in a window. **Limits** reads the stores at most once a minute. */
    readonly within: (window: Window) => Effect.Effect<ReadonlyArray<CostHistory>, CostError>
    /** Returns the key of a history. An unknown history's key is its cluster name. **Limits** no I/O. */
    readonly keyOf: (name: HistoryName.HistoryName) => ClusterName
    /** Returns the name of a history. **Limits** no I/O. */
    readonly nameOf: (key: ClusterName) => HistoryName.HistoryName
    /**
     * Returns the earliest hour of a history that may be back-filled from metrics found by cluster name.
     *
     * **Shape** `undefined` means no lower bound, because no other cluster ever had the name.
     */
    readonly fillableFromMs: (key: ClusterName) => number | undefined
    /** Predicts which history a cluster continues, from its name and connection, until its UID is read. **Limits** no I/O. */
    readonly presumed: (name: ClusterName, connection: string) => ClusterName | undefined
    /**
     * Decides which history a cluster's costs belong to, and stores the decision.
     *
     * **Shape** `seenToMs` is the time up to which the sampler has observed the present history of the cluster's name.
     *
     * **Errors** those of the stores if an existing history must be renamed. The decision is not made then.
     */
    readonly settle: (
      seen: HistorySuccession.SeenCluster,
      seenToMs: number | undefined
    ) => Effect.Effect<HistorySuccession.Succession, CostError>
    /** Registers an imported history under its name, and returns its key. **Errors** those of the stores. */
    readonly adopt: (name: HistoryName.HistoryName) => Effect.Effect<ClusterName, CostError>
  }
>()("@quarterdeck/cost/CostHistories") {
  /** Reads the stored histories once. **Errors** those of the stores. */
  static readonly layer: Layer.Layer<CostHistories, CostError, CostStore | HistoryStore> = Layer.effect(
    CostHistories,
    Effect.suspend(() => make)
  )
}

const notKept =
  ({ name }: HistorySuccession.SeenCluster) =>
  ({ message }: CostError) =>
    Effect.logWarning(`cost of cluster ${name}: could not store its uid, will retry: ${message}`)

const nameIn = ({ name, renamed }: KeptHistory): HistoryName.HistoryName => renamed ?? name

/** The in-memory cache of cost histories, with the first and last closed hour (extent) of each. */
class Book {
  histories: ReadonlyArray<KeptHistory> = []
  extents: ReadonlyArray<Extent> = []
  readAtMs = Number.NEGATIVE_INFINITY
  /** Index for reports, which look up the key of every cluster. */
  byName: ReadonlyMap<HistoryName.HistoryName, ClusterName> = new Map()
  byKey: ReadonlyMap<ClusterName, KeptHistory> = new Map()

  note(histories: ReadonlyArray<KeptHistory>): void {
    this.histories = histories
    this.byName = new Map(histories.map((history) => [nameIn(history), history.key]))
    this.byKey = new Map(histories.map((history) => [history.key, history]))
  }

  nameOf(key: ClusterName): HistoryName.HistoryName {
    const found = this.byKey.get(key)
    return found === undefined ? key : nameIn(found)
  }

  presumed(name: ClusterName, connection: string): ClusterName | undefined {
    const holder = HistorySuccession.holderOf(this.histories, name)
    if (holder === undefined) return this.byKey.has(name) ? undefined : name
    return holder.connection === undefined || holder.connection === connection ? holder.key : undefined
  }

  fillableFromMs(key: ClusterName): number | undefined {
    const history = this.byKey.get(key)
    const hasOthers = this.histories.some((candidate) => candidate.name === history?.name && candidate.key !== key)
    return history === undefined || !hasOthers ? undefined : hourOf(history.sinceMs) + HOUR_MS
  }
}

const make = Effect.gen(function* () {
  const store = yield* CostStore
  const historyStore = yield* HistoryStore
  const turn = yield* Semaphore.make(1)
  const book = new Book()
  book.note(yield* historyStore.all)

  const read = Effect.gen(function* () {
    book.note(yield* historyStore.all)
    book.extents = yield* store.extents
    book.readAtMs = yield* Clock.currentTimeMillis
  })
  const refresh = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (Math.abs(nowMs - book.readAtMs) >= READ_EVERY_MS) yield* turn.withPermit(read)
  })

  const within = Effect.fnUntraced(function* ({ endMs, startMs }: Window) {
    yield* refresh
    return book.extents
      .filter(({ fromMs, toMs }) => fromMs < endMs && toMs > startMs)
      .map(({ cluster, fromMs, toMs }): CostHistory => ({ name: book.nameOf(cluster), key: cluster, fromMs, toMs }))
  })
  const freshKey = Effect.sync(() => ClusterName.make(`history-${randomUUID()}`))
  const decide = Effect.fnUntraced(function* (seen: HistorySuccession.SeenCluster, seenToMs: number | undefined) {
    const endMsOf = (key: ClusterName) => seenToMs ?? book.extents.find(({ cluster }) => cluster === key)?.toMs
    const facts = { nowMs: yield* Clock.currentTimeMillis, freshKey: yield* freshKey, endMsOf }
    return HistorySuccession.settle(book.histories, seen, facts)
  })
  const put = Effect.fnUntraced(function* (changed: ReadonlyArray<KeptHistory>) {
    yield* historyStore.save(changed)
    const keys = new Set(changed.map(({ key }) => key))
    book.note([...book.histories.filter(({ key }) => !keys.has(key)), ...changed])
  })
  const settle = Effect.fn("CostHistories.settle")(
    function* (seen: HistorySuccession.SeenCluster, seenToMs: number | undefined) {
      yield* Effect.annotateCurrentSpan({ cluster: seen.name })
      const first = yield* decide(seen, seenToMs)
      // A rename is decided on fresh data: another process may have changed histories or added hours. Renames are rare.
      if (first.renamed !== undefined) yield* read
      const found = first.renamed === undefined ? first : yield* decide(seen, seenToMs)
      if (found.changed.length === 0) return found
      // Without a rename, a failure of the store is only logged. The history stays usable, and the next call tries again.
      yield* found.renamed === undefined ? put(found.changed).pipe(Effect.catch(notKept(seen))) : put(found.changed)
      return found
    },
    (run) => Effect.uninterruptible(turn.withPermit(run))
  )
  const adopt = Effect.fn("CostHistories.adopt")(
    function* (name: HistoryName.HistoryName) {
      const known = book.byName.get(name)
      if (known !== undefined) return known
      if (isClusterName(name) && !book.byKey.has(name)) return name
      const key = yield* freshKey
      const cluster = HistoryName.clusterOf(name)
      const sinceMs = yield* Clock.currentTimeMillis
      yield* put([{ key, name: cluster, sinceMs, ...(isClusterName(name) ? {} : { renamed: name }) }])
      return key
    },
    (run) => turn.withPermit(run)
  )
  return CostHistories.of({
    within,
    keyOf: (name) => book.byName.get(name) ?? HistoryName.clusterOf(name),
    nameOf: (key) => book.nameOf(key),
    fillableFromMs: (key) => book.fillableFromMs(key),
    presumed: (name, connection) => book.presumed(name, connection),
    settle,
    adopt
  })
})
