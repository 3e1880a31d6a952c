/**
 * Stores sessions in the SQLite file of the keys, through its worker thread.
 */
import { DateTime, Effect, Option, Result, Schema } from "effect"
import { KeyStoreError, RecordCorrupt } from "../../KeyError.ts"
import { KeyHash } from "../../KeyHash.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { SessionHash } from "../../session/SessionId.ts"
import { ownerText, type SessionOwner, type SessionRecord, SessionStore } from "../../session/SessionStore.ts"
import { Millis } from "./KeyRow.ts"
import type { KeyClient } from "./KeyClient.ts"

const common = { hash: SessionHash, createdAtMs: Millis, lastUsedAtMs: Millis }

/** The column `person`. */
const StoredPerson = Schema.fromJsonString(
  Schema.Struct({
    subject: Schema.String,
    name: Schema.String,
    groups: Schema.Array(Schema.String),
    readAtMs: Millis,
    sealedTokens: Schema.String
  })
)
const printPerson = Schema.encodeSync(StoredPerson)

const StoredSession = Schema.Union([
  Schema.Struct({ ...common, owner: KeyHash, person: Schema.Null }),
  Schema.Struct({ ...common, owner: Schema.String, person: StoredPerson })
])
const decode = Schema.decodeUnknownResult(StoredSession, { onExcessProperty: "error" })

const decodeHash = Schema.decodeUnknownResult(Schema.Struct({ hash: SessionHash }), { onExcessProperty: "error" })

const corrupt = ({ issue }: Schema.SchemaError) =>
  new KeyStoreError({ reason: new RecordCorrupt(SchemaFault.fromIssue(issue)) })

const ownerOf = ({ owner, person }: typeof StoredSession.Type): SessionOwner => {
  if (person === null) return { _tag: "Key", keyHash: KeyHash.make(owner) }
  const { readAtMs, sealedTokens, ...claims } = person
  return { _tag: "Person", person: claims, readAt: DateTime.makeUnsafe(readAtMs), sealedTokens }
}

const columnsOf = (owner: SessionOwner) => {
  const text = ownerText(owner)
  if (owner._tag === "Key") return { owner: text, person: null }
  const { person, readAt, sealedTokens } = owner
  return { owner: text, person: printPerson({ ...person, readAtMs: DateTime.toEpochMillis(readAt), sealedTokens }) }
}

const fromRow = (row: unknown): Result.Result<SessionRecord, KeyStoreError> =>
  Result.mapBoth(decode(row), {
    onFailure: corrupt,
    onSuccess: (stored) => ({
      hash: stored.hash,
      owner: ownerOf(stored),
      createdAt: DateTime.makeUnsafe(stored.createdAtMs),
      lastUsedAt: DateTime.makeUnsafe(stored.lastUsedAtMs)
    })
  })

/** Makes the session store over an open file. */
export const make = ({ call }: KeyClient): SessionStore["Service"] =>
  SessionStore.of({
    insert: ({ createdAt, hash, lastUsedAt, owner }, { createdBefore, lastUsedBefore, perOwner }) =>
      Effect.asVoid(
        call({
          operation: "insertSession",
          row: {
            hash,
            ...columnsOf(owner),
            createdAtMs: DateTime.toEpochMillis(createdAt),
            lastUsedAtMs: DateTime.toEpochMillis(lastUsedAt)
          },
          createdBeforeMs: DateTime.toEpochMillis(createdBefore),
          lastUsedBeforeMs: DateTime.toEpochMillis(lastUsedBefore),
          perOwner
        })
      ),
    find: Effect.fnUntraced(function* (hash) {
      const [row] = yield* call({ operation: "findSession", hash })
      return row === undefined ? Option.none() : Option.some(yield* Effect.fromResult(fromRow(row)))
    }),
    newest: Effect.fnUntraced(function* (count) {
      const rows = yield* call({ operation: "newestSessions", count })
      return yield* Effect.forEach(rows, (row) =>
        Effect.fromResult(Result.mapBoth(decodeHash(row), { onFailure: corrupt, onSuccess: ({ hash }) => hash }))
      )
    }),
    touch: (hash, at) => Effect.asVoid(call({ operation: "touchSession", hash, atMs: DateTime.toEpochMillis(at) })),
    replaceOwner: (hash, owner) => Effect.asVoid(call({ operation: "replaceSessionOwner", hash, ...columnsOf(owner) })),
    remove: (hash) => Effect.asVoid(call({ operation: "removeSession", hash })),
    removeOfOwner: (owner) => Effect.asVoid(call({ operation: "removeSessionsOfOwner", owner }))
  })
