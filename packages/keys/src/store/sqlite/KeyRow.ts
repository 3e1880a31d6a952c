/**
 * A key on its way to a row of a table and back.
 */
import { DateTime, Result, Schema } from "effect"
import { KeyName } from "../../ApiKey.ts"
import { RecordCorrupt } from "../../KeyError.ts"
import { KeyHash } from "../../KeyHash.ts"
import type { KeyRecord } from "../../KeyStore.ts"
import { Rule } from "../../Rule.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import type { Row } from "./KeyProtocol.ts"

/** An instant as SQLite keeps it. **Units** milliseconds since the epoch. */
export const Millis = Schema.Int.check(Schema.isBetween({ minimum: -8.64e15, maximum: 8.64e15 }))

const StoredKey = Schema.Struct({
  id: Schema.NonEmptyString,
  hash: KeyHash,
  name: KeyName,
  start: Schema.String,
  rule: Schema.fromJsonString(Rule),
  createdAtMs: Millis,
  createdBy: Schema.NullOr(Schema.String),
  rotatedFrom: Schema.NullOr(Schema.String),
  rotatedAtMs: Schema.NullOr(Millis),
  expiresAtMs: Schema.NullOr(Millis),
  revokedAtMs: Schema.NullOr(Millis),
  revokedBy: Schema.NullOr(Schema.String),
  lastUsedAtMs: Schema.NullOr(Millis)
})

const decode = Schema.decodeUnknownResult(StoredKey, { onExcessProperty: "error" })

export const fromRow = (row: unknown): Result.Result<KeyRecord, RecordCorrupt> =>
  Result.mapBoth(decode(row), {
    onFailure: ({ issue }) => new RecordCorrupt(SchemaFault.fromIssue(issue)),
    onSuccess: ({
      createdAtMs,
      createdBy,
      expiresAtMs,
      lastUsedAtMs,
      revokedAtMs,
      revokedBy,
      rotatedAtMs,
      rotatedFrom,
      ...rest
    }): KeyRecord => ({
      ...rest,
      createdAt: DateTime.makeUnsafe(createdAtMs),
      ...(createdBy === null ? {} : { createdBy }),
      ...(rotatedFrom === null ? {} : { rotatedFrom }),
      ...(rotatedAtMs === null ? {} : { rotatedAt: DateTime.makeUnsafe(rotatedAtMs) }),
      ...(expiresAtMs === null ? {} : { expiresAt: DateTime.makeUnsafe(expiresAtMs) }),
      ...(revokedAtMs === null ? {} : { revokedAt: DateTime.makeUnsafe(revokedAtMs) }),
      ...(revokedBy === null ? {} : { revokedBy }),
      ...(lastUsedAtMs === null ? {} : { lastUsedAt: DateTime.makeUnsafe(lastUsedAtMs) })
    })
  })

export const toRow = (record: KeyRecord): Row => ({
  id: record.id,
  hash: record.hash,
  name: record.name,
  start: record.start,
  rule: JSON.stringify(record.rule),
  createdAtMs: DateTime.toEpochMillis(record.createdAt),
  createdBy: record.createdBy ?? null,
  rotatedFrom: record.rotatedFrom ?? null,
  rotatedAtMs: millisOrNull(record.rotatedAt),
  expiresAtMs: millisOrNull(record.expiresAt),
  revokedAtMs: millisOrNull(record.revokedAt),
  revokedBy: record.revokedBy ?? null,
  lastUsedAtMs: millisOrNull(record.lastUsedAt)
})

const millisOrNull = (instant: DateTime.Utc | undefined): number | null =>
  instant === undefined ? null : DateTime.toEpochMillis(instant)
