/**
 * Port for the book of histories, which maps each cost history to its cluster.
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
 * **Shape** `key` is the name under which `CostStore` and the journal keep its hours. It never changes. The first history of a
 * name has that name as its key. `uid` is the uid of the namespace `kube-system`, absent if it was never read. `connection` is
 * a digest of server address and authority. `sinceMs` is when the cluster last took the name. `renamed` is present once another
 * cluster has the name.
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
    /**
     * Reads every saved history, in no particular order. A history that was never saved belongs to the cluster with its name.
     */
    readonly all: Effect.Effect<ReadonlyArray<KeptHistory>, CostError>
    /** Writes histories, each replacing the one with its key. Atomic. They survive a crash once the call returns. */
    readonly save: (histories: ReadonlyArray<KeptHistory>) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/HistoryStore") {}

const Text = Schema.fromJsonString(KeptHistory)
const decode = Schema.decodeUnknownResult(Text)
const encode = Schema.encodeSync(Text)

/** Encodes a history as text. */
export const print = (history: KeptHistory): string => encode(history)

/** Decodes the output of {@link print}. **Errors** `StoreUnreadable`. */
export const parse = (text: string): Effect.Effect<KeptHistory, CostError> =>
  Effect.fromResult(
    Result.mapError(decode(text), ({ message }) => {
      const problem = `the book of cost histories cannot be read: ${message}`
      return new CostError({ reason: new StoreUnreadable({ problem }) })
    })
  )

/** Keeps the book in memory until the layer ends. */
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
