/**
 * Reads one cluster live, into a store that only the request uses.
 */
import { Effect } from "effect"
import type { ClusterError } from "../kube/ClusterError.ts"
import type * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterStore } from "./ClusterStore.ts"
import type * as FairLanes from "./FairLanes.ts"
import { isMissing, isTooLarge } from "./KindTable.ts"
import type * as LiveLists from "./LiveLists.ts"

/** The list of a kind, or the error if the kind cannot be read. */
type Part<K extends Kind.Kind> = LiveLists.Listed<K> | ClusterError

/** Kinds to list. `counting` are those that only add to the rows of others. */
interface Kinds {
  readonly kinds: ReadonlyArray<Kind.Kind>
  readonly counting: ReadonlyArray<Kind.Kind>
}

/**
 * Lists kinds into a store.
 *
 * **Errors** the failure of a list. A kind that the credential may not read or the server does not serve is marked
 * missing instead. A kind of `counting` that is too large, or whose list is invalid, is left unread.
 */
export const read = Effect.fnUntraced(function* (
  cluster: Cluster,
  { counting, kinds }: Kinds,
  live: LiveLists.LiveLists,
  turn: FairLanes.Turn
) {
  const store = new ClusterStore(cluster)
  yield* Effect.all(
    kinds.map((kind) =>
      readInto(store, kind, live, turn).pipe(
        Effect.catchIf(
          (error) => counting.includes(kind) && (isTooLarge(error) || error.reason._tag === "ClusterAnswerInvalid"),
          (error) => Effect.sync(() => store.fail(kind, error))
        )
      )
    ),
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
