/**
 * What a live question was answered by one cluster: rows as they are where each is one object, else a store of its own.
 */
import { Effect } from "effect"
import type { ClusterError } from "../kube/ClusterError.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterStore } from "./ClusterStore.ts"
import type * as FairLanes from "./FairLanes.ts"
import { isMissing } from "./KindTable.ts"
import type * as LiveLists from "./LiveLists.ts"
import type { UnsortedRows } from "./RowSet.ts"
import * as WorkloadSet from "./WorkloadSet.ts"

/** The rows of kinds of which each object is one. `askedAt` is that of the list that began first, by `steadyClock`. */
export interface PlainRows {
  readonly rows: UnsortedRows<WorkloadRow>
  readonly askedAt: number
  /** Kinds that could not be read, and why the first could not, if so. */
  readonly missing: ReadonlyMap<Kind.Kind, ClusterError>
}

/** A list of a kind, or why the kind cannot be read. */
type Part<K extends Kind.Kind> = LiveLists.Listed<K> | ClusterError

/**
 * Lists kinds of which each object is a row.
 *
 * **Errors** what a list fails with; a kind that the credential may not read or the server does not serve is missing.
 */
export const plain = Effect.fnUntraced(function* (
  cluster: Cluster,
  kinds: ReadonlyArray<Kind.PlainKind>,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
) {
  const parts = yield* Effect.all(
    kinds.map((kind) => list(cluster, kind, live, turn)),
    // One alone needs no fiber of its own.
    { concurrency: kinds.length }
  )
  const rows: Array<WorkloadRow> = []
  const missing = new Map<Kind.Kind, ClusterError>()
  let askedAt = yield* steadyClock.now
  for (const [place, part] of parts.entries()) {
    const kind = kinds[place]
    if (!("records" in part)) {
      if (kind !== undefined) missing.set(kind, part)
      continue
    }
    askedAt = Math.min(askedAt, part.askedAt)
    for (const { row } of part.records) rows.push(row)
  }
  const read: PlainRows = { rows: { form: WorkloadSet.FORM, rows }, askedAt, missing }
  return read
})

/** Lists kinds into a store of the question's own. **Errors** as `plain`. */
export const stored = Effect.fnUntraced(function* (
  cluster: Cluster,
  kinds: ReadonlyArray<Kind.Kind>,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
) {
  const store = new ClusterStore(cluster)
  yield* Effect.all(
    kinds.map((kind) => readInto(store, kind, live, turn)),
    { concurrency: kinds.length, discard: true }
  )
  return store
})

const readInto = (
  store: ClusterStore,
  kind: Kind.Kind,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
): Effect.Effect<void, ClusterError> =>
  Effect.map(list(store.cluster, kind, live, turn), (part) => {
    if ("records" in part) {
      store.apply(kind, [...part.records.map((record) => ({ _tag: "Put" as const, record })), SYNCED], part.askedAt)
    } else store.miss(kind, part)
  })

const SYNCED = { _tag: "Synced" } as const

const list = <K extends Kind.Kind>(
  cluster: Cluster,
  kind: K,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
): Effect.Effect<Part<K>, ClusterError> =>
  live
    .list(cluster, kind, turn)
    .pipe(
      Effect.catch((error): Effect.Effect<ClusterError, ClusterError> =>
        isMissing(error) ? Effect.succeed(error) : Effect.fail(error)
      )
    )
