/**
 * Stores registered clusters in the SQLite file of the keys, through its worker thread.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { DateTime, Effect, Schema } from "effect"
import { KeyStoreError, RecordCorrupt } from "../../KeyError.ts"
import { RegisteredClusterStore } from "../../RegisteredClusterStore.ts"
import type { KeyClient } from "./KeyClient.ts"
import { Millis } from "./KeyRow.ts"

const StoredCluster = Schema.Struct({
  name: ClusterName,
  sealed: Schema.String,
  createdAtMs: Millis,
  createdBy: Schema.String
})
const Answer = <const S extends ReadonlyArray<string>>(states: S) =>
  Schema.Tuple([Schema.Struct({ state: Schema.Literals(states) })])

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(StoredCluster), { onExcessProperty: "error" })
const decodeInserted = Schema.decodeUnknownEffect(Answer(["inserted", "taken", "full"]))
const decodeRemoved = Schema.decodeUnknownEffect(Answer(["removed", "unknown"]))

const corrupt = ({ issue }: Schema.SchemaError) =>
  new KeyStoreError({ reason: new RecordCorrupt(SchemaFault.fromIssue(issue)) })

/** Makes the store of registered clusters over an open file. */
export const make = ({ call }: KeyClient): RegisteredClusterStore["Service"] =>
  RegisteredClusterStore.of({
    list: Effect.gen(function* () {
      const rows = yield* Effect.mapError(decodeRows(yield* call({ operation: "listClusters" })), corrupt)
      return rows.map(({ createdAtMs, ...row }) => ({ ...row, createdAt: DateTime.makeUnsafe(createdAtMs) }))
    }),
    insert: Effect.fnUntraced(function* ({ createdAt, ...record }, most) {
      const row = { ...record, createdAtMs: DateTime.toEpochMillis(createdAt) }
      const answer = yield* call({ operation: "insertCluster", row, most })
      const [{ state }] = yield* Effect.mapError(decodeInserted(answer), corrupt)
      return state
    }),
    remove: Effect.fnUntraced(function* (name) {
      const answer = yield* call({ operation: "removeCluster", name })
      const [{ state }] = yield* Effect.mapError(decodeRemoved(answer), corrupt)
      return state === "removed"
    })
  })
