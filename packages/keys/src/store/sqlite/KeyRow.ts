/**
 * Encoding of a key as a row of the table, and decoding.
 */
import { DateTime, Result, Schema } from "effect"
import { AllowFrom } from "../../AllowFrom.ts"
import { RecordCorrupt } from "../../KeyError.ts"
import { KeyHash } from "../../KeyHash.ts"
import type { KeyRecord } from "../../KeyStore.ts"
import { Rule } from "../../Rule.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import type { Row } from "./KeyProtocol.ts"

/** An instant as a column stores it. **Units** milliseconds since the epoch. */
export const Millis = Schema.Int.check(Schema.isBetween({ minimum: -8.64e15, maximum: 8.64e15 }))

const StoredKey = Schema.Struct({
  id: Schema.NonEmptyString,
  hash: KeyHash,
  // Keys of older versions may have names with characters that are refused now.
  name: Schema.NonEmptyString,
  description: Schema.NullOr(Schema.String),
  start: Schema.String,
  rule: Schema.fromJsonString(Rule),
  allowFrom: Schema.NullOr(Schema.fromJsonString(AllowFrom)),
  createdAtMs: Millis,
  createdBy: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.String),
  maker: Schema.NullOr(Schema.String),
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
      allowFrom,
      createdAtMs,
      createdBy,
      description,
      expiresAtMs,
      lastUsedAtMs,
      line,
      maker,
      revokedAtMs,
      revokedBy,
      rotatedAtMs,
      rotatedFrom,
      ...rest
    }): KeyRecord => ({
      ...rest,
      createdAt: DateTime.makeUnsafe(createdAtMs),
      ...(description === null ? {} : { description }),
      ...(allowFrom === null ? {} : { allowFrom }),
      ...(line === null ? {} : { line }),
      ...(maker === null ? {} : { maker }),
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
  description: record.description ?? null,
  start: record.start,
  rule: JSON.stringify(record.rule),
  allowFrom: jsonOrNull(record.allowFrom),
  createdAtMs: DateTime.toEpochMillis(record.createdAt),
  createdBy: record.createdBy ?? null,
  line: record.line ?? null,
  maker: record.maker ?? null,
  rotatedFrom: record.rotatedFrom ?? null,
  rotatedAtMs: millisOrNull(record.rotatedAt),
  expiresAtMs: millisOrNull(record.expiresAt),
  revokedAtMs: millisOrNull(record.revokedAt),
  revokedBy: record.revokedBy ?? null,
  lastUsedAtMs: millisOrNull(record.lastUsedAt)
})

/** Encodes a value as a column stores it: JSON, or NULL if the value is undefined. */
export const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

const millisOrNull = (instant: DateTime.Utc | undefined): number | null =>
  instant === undefined ? null : DateTime.toEpochMillis(instant)
