/**
 * The port behind the book of histories: which cluster each cost history is of.
 *
 * Adapters: {@link layerMemory} here, `store/Sqlite`, `store/ClickHouse`. All pass one contract suite.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { RenamedHistory } from "@quarterdeck/targeting/HistoryName"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { CostError, StoreUnreadable } from "../hour/CostError.ts"

/**
 * The history of one cluster under one name.
 *
 * **Shape** `key` is the name under which `CostStore` and the journal keep its hours, and never changes: the cluster's own
 * name for the first history of that name. `uid` is that of the namespace `kube-system`, absent where it was never read.
 * `connection` is a digest of server address and authority. `sinceMs` is when the cluster last took the name. `renamed`
 * is present once another cluster has the name.
 */
export const KeptHistory = Schema.Struct({
  key: ClusterName,
  name: ClusterName,
  uid: Schema.optionalKey(Schema.String),
  connection: Schema.optionalKey(Schema.String),
  sinceMs: Schema.Int,
  renamed: Schema.optionalKey(RenamedHistory)
})
export type KeptHistory = typeof KeptHistory.Type

/** Keeps the book of histories. */
export class HistoryStore extends Context.Service<
  HistoryStore,
  {
    /** Reads every history that was saved, in no order. A history that was never saved is that of the cluster it is named after. */
    readonly all: Effect.Effect<ReadonlyArray<KeptHistory>, CostError>
    /** Writes some histories, each in the place of the one with its key: all of them or none. They survive a crash from then on. */
    readonly save: (histories: ReadonlyArray<KeptHistory>) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/HistoryStore") {}

const Text = Schema.fromJsonString(KeptHistory)
const decode = Schema.decodeUnknownResult(Text)
const encode = Schema.encodeSync(Text)

/** Prints a history for an adapter that keeps texts. */
export const print = (history: KeptHistory): string => encode(history)

/** Reads what {@link print} wrote. **Errors** `StoreUnreadable`. */
export const parse = (text: string): Effect.Effect<KeptHistory, CostError> =>
  Effect.fromResult(
    Result.mapError(decode(text), ({ message }) => {
      const problem = `the book of cost histories cannot be read: ${message}`
      return new CostError({ reason: new StoreUnreadable({ problem }) })
    })
  )

/** Keeps the book for as long as the layer lives. */
export const layerMemory: Layer.Layer<HistoryStore> = Layer.sync(HistoryStore, () => {
  const byKey = new Map<ClusterName, KeptHistory>()
  return HistoryStore.of({
    all: Effect.sync(() => [...byKey.values()]),
    save: (histories) =>
      Effect.sync(() => {
        for (const history of histories) byKey.set(history.key, history)
      })
  })
})
