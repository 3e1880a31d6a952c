/**
 * Keeps sessions in the SQLite file of the keys, through its thread.
 */
import { DateTime, Effect, Option, Result, Schema } from "effect"
import { KeyStoreError, RecordCorrupt } from "../../KeyError.ts"
import { KeyHash } from "../../KeyHash.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { SessionHash } from "../../session/SessionId.ts"
import { type SessionRecord, SessionStore } from "../../session/SessionStore.ts"
import { Millis } from "./KeyRow.ts"
import type { KeyClient } from "./KeyClient.ts"

const StoredSession = Schema.Struct({ hash: SessionHash, keyHash: KeyHash, createdAtMs: Millis, lastUsedAtMs: Millis })
const decode = Schema.decodeUnknownResult(StoredSession, { onExcessProperty: "error" })

const fromRow = (row: unknown): Result.Result<SessionRecord, KeyStoreError> =>
  Result.mapBoth(decode(row), {
    onFailure: ({ issue }) => new KeyStoreError({ reason: new RecordCorrupt(SchemaFault.fromIssue(issue)) }),
    onSuccess: ({ createdAtMs, hash, keyHash, lastUsedAtMs }) => ({
      hash,
      keyHash,
      createdAt: DateTime.makeUnsafe(createdAtMs),
      lastUsedAt: DateTime.makeUnsafe(lastUsedAtMs)
    })
  })

/** Makes the store of an open file. */
export const make = ({ call }: KeyClient): SessionStore["Service"] =>
  SessionStore.of({
    insert: ({ createdAt, hash, keyHash, lastUsedAt }, { createdBefore, lastUsedBefore, perKey }) =>
      Effect.asVoid(
        call({
          operation: "insertSession",
          row: {
            hash,
            keyHash,
            createdAtMs: DateTime.toEpochMillis(createdAt),
            lastUsedAtMs: DateTime.toEpochMillis(lastUsedAt)
          },
          createdBeforeMs: DateTime.toEpochMillis(createdBefore),
          lastUsedBeforeMs: DateTime.toEpochMillis(lastUsedBefore),
          perKey
        })
      ),
    find: Effect.fnUntraced(function* (hash) {
      const [row] = yield* call({ operation: "findSession", hash })
      return row === undefined ? Option.none() : Option.some(yield* Effect.fromResult(fromRow(row)))
    }),
    touch: (hash, at) => Effect.asVoid(call({ operation: "touchSession", hash, atMs: DateTime.toEpochMillis(at) })),
    remove: (hash) => Effect.asVoid(call({ operation: "removeSession", hash })),
    removeOfKey: (keyHash) => Effect.asVoid(call({ operation: "removeSessionsOfKey", keyHash }))
  })
