/**
 * An API key as the API shows it: every field except the secret.
 */
import { DateTime, Duration, Schema } from "effect"
import { AllowFrom } from "./AllowFrom.ts"
import { Rule } from "./Rule.ts"

/** Maximum lengths of a name and of a description. **Units** code points. */
export const MAX_NAME = 128
export const MAX_DESCRIPTION = 256

/**
 * Characters that names and descriptions must not contain: control (Cc) and format (Cf) characters, line and paragraph
 * separators, lone surrogates. They break log lines, or make two different names look the same.
 */
const UNSEEN = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}"

/**
 * Control characters: the part of `UNSEEN` that the API document contains. Format characters would need `\p` or `\u`,
 * which many client generators cannot read.
 */
const DOCUMENTED_UNSEEN = "\\x00-\\x1F\\x7F-\\x9F"

const textForPeople = (what: string, shortest: number, longest: number) =>
  Schema.isPattern(new RegExp(`^[^${UNSEEN}]{${shortest},${longest}}$`, "u"), {
    expected: `${what} of ${shortest} to ${longest} characters, without control or format characters`,
    toJsonSchema: () => ({ minLength: shortest, maxLength: longest, pattern: `^[^${DOCUMENTED_UNSEEN}]*$` })
  })

/** Display name of a key. It need not be unique. */
export const KeyName = Schema.String.check(textForPeople("a name", 1, MAX_NAME))
export type KeyName = typeof KeyName.Type

/** Purpose of a key. An empty text means no description. */
export const Description = Schema.String.check(textForPeople("a description", 0, MAX_DESCRIPTION))
export type Description = typeof Description.Type

/** Replaces each character that a {@link KeyName} must not contain with `?`. */
export const withoutUnseen = (text: string): string => text.replace(new RegExp(`[${UNSEEN}]`, "gu"), "?")

/** Format of key ids. Created keys: `key_` and random characters. Configured keys: `cfg_` and a digest of the name. */
const ID = /^(?:key_[0-9A-Za-z]{22}|cfg_[0-9a-f]{20}(?:_[1-9][0-9]{0,9})?)$/

/** Checks whether a text has the format of a key id. No generated secret has this format. */
export const isId = (text: string): boolean => ID.test(text)

/** An instant, RFC 3339 in UTC when encoded. */
export const Timestamp = Schema.String.check(
  Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z$/u, {
    expected: "an RFC 3339 instant in UTC"
  })
)
  .annotate({ format: "date-time" })
  .pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

/** Status of a key. Only `active` and `expiring` keys authenticate. */
export const Status = Schema.Literals(["active", "expiring", "expired", "revoked"])
export type Status = typeof Status.Type

/** Origin of a key: a create call, or the deployment's configuration. */
export const Source = Schema.Literals(["created", "configured"])
export type Source = typeof Source.Type

/**
 * A key without its secret.
 *
 * **Shape** `start`: the first 9 characters of the secret, absent for configured keys. `createdBy`, `rotatedFrom` and
 * `revokedBy`: ids of the keys that created, preceded and revoked this key. `createdAt` of a configured key: when the
 * running server first loaded it. `name`: keys of older versions may contain characters that {@link KeyName} refuses.
 * `isMakerGone`: true, or absent. It is true once the creating key and all its successors are revoked, expired or unknown.
 * It stays absent for a key that a person created, since only the identity provider knows whether the person has left.
 */
export const ApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  start: Schema.optionalKey(Schema.String),
  rule: Rule,
  allowFrom: Schema.optionalKey(AllowFrom),
  status: Status,
  source: Source,
  createdAt: Timestamp,
  createdBy: Schema.optionalKey(Schema.String),
  isMakerGone: Schema.optionalKey(Schema.Boolean),
  rotatedFrom: Schema.optionalKey(Schema.String),
  expiresAt: Schema.optionalKey(Timestamp),
  lastUsedAt: Schema.optionalKey(Timestamp),
  revokedAt: Schema.optionalKey(Timestamp),
  revokedBy: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** Reply to a call that creates or rotates a key: the only reply that contains the secret, `key`. */
export const CreatedApiKey = Schema.Struct({
  key: Schema.RedactedFromValue(Schema.String),
  apiKey: ApiKey
}).annotate({ identifier: "CreatedApiKey" })
export type CreatedApiKey = typeof CreatedApiKey.Type

/** A key whose remaining lifetime is this or less has the status `expiring`. */
export const EXPIRING = Duration.days(7)

/** The instants that decide whether a key is valid. **Shape** `rotatedAt`: when a successor replaced the key. */
export interface Lifespan {
  readonly expiresAt?: DateTime.Utc
  readonly revokedAt?: DateTime.Utc
  readonly rotatedAt?: DateTime.Utc
}

/**
 * Returns the status of a key. Revoked takes precedence over expired, and expired over expiring.
 *
 * **Shape** a key is expired from `expiresAt` on, to the millisecond. A rotated key is expiring during its grace period.
 */
export const statusAt = ({ expiresAt, revokedAt, rotatedAt }: Lifespan, now: DateTime.Utc): Status => {
  if (revokedAt !== undefined) return "revoked"
  if (expiresAt === undefined) return "active"
  if (!DateTime.isLessThan(now, expiresAt)) return "expired"
  if (rotatedAt !== undefined) return "expiring"
  return Duration.isLessThanOrEqualTo(DateTime.distance(now, expiresAt), EXPIRING) ? "expiring" : "active"
}

/** Checks whether a key authenticates. */
export const isValid = (key: Lifespan, now: DateTime.Utc): boolean => {
  const status = statusAt(key, now)
  return status === "active" || status === "expiring"
}
