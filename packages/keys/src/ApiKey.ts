/**
 * A key as people and programs see it: everything but the secret.
 */
import { DateTime, Duration, Schema } from "effect"
import { AllowFrom } from "./AllowFrom.ts"
import { Rule } from "./Rule.ts"

/** Longest name, and longest description. **Units** code points. */
export const MAX_NAME = 128
export const MAX_DESCRIPTION = 256

/**
 * Characters that a text for people must not have: control (Cc) and format (Cf) characters, line and paragraph
 * separators, lone surrogates. They break log lines, or make two names look alike.
 */
const UNSEEN = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}"

/** The control characters among them. Format characters need `\p` or `\u`, which many generators cannot read. */
const DOCUMENTED_UNSEEN = "\\x00-\\x1F\\x7F-\\x9F"

const textForPeople = (what: string, shortest: number, longest: number) =>
  Schema.isPattern(new RegExp(`^[^${UNSEEN}]{${shortest},${longest}}$`, "u"), {
    expected: `${what} of ${shortest} to ${longest} characters, without control or format characters`,
    toJsonSchema: () => ({ minLength: shortest, maxLength: longest, pattern: `^[^${DOCUMENTED_UNSEEN}]*$` })
  })

/** What people call a key. It need not be unique. */
export const KeyName = Schema.String.check(textForPeople("a name", 1, MAX_NAME))
export type KeyName = typeof KeyName.Type

/** What a key is for. An empty description is none. */
export const Description = Schema.String.check(textForPeople("a description", 0, MAX_DESCRIPTION))
export type Description = typeof Description.Type

/** Replaces the characters that no {@link KeyName} has. */
export const withoutUnseen = (text: string): string => text.replace(new RegExp(`[${UNSEEN}]`, "gu"), "?")

/**
 * The form of a key's id: `key_` and random characters where the key was created, `cfg_` and a digest of its name where
 * it was configured.
 */
const ID = /^(?:key_[0-9A-Za-z]{22}|cfg_[0-9a-f]{20}(?:_[1-9][0-9]{0,9})?)$/

/** Tells whether a text has the form of a key's id, which no generated secret has. */
export const isId = (text: string): boolean => ID.test(text)

/** An instant, RFC 3339 in UTC when encoded. */
export const Timestamp = Schema.String.check(
  Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z$/u, {
    expected: "an RFC 3339 instant in UTC"
  })
)
  .annotate({ format: "date-time" })
  .pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

/** Where a key is in its life; only `active` and `expiring` keys authenticate. */
export const Status = Schema.Literals(["active", "expiring", "expired", "revoked"])
export type Status = typeof Status.Type

/** Where a key comes from: a create call, or the configuration of the deployment. */
export const Source = Schema.Literals(["created", "configured"])
export type Source = typeof Source.Type

/**
 * A key without its secret.
 *
 * **Shape** `start` is the first 9 characters of the secret; configured keys have none. `createdBy` is the id of the
 * key that made this one, `rotatedFrom` of the one that it replaces, `revokedBy` of the one that revoked it. `createdAt` of
 * a configured key is when the running program first loaded it. Names of older versions may have characters that
 * {@link KeyName} refuses. `isMakerGone` is present, and true, once the key's maker and every key that the maker was
 * rotated to are revoked, expired or unknown. A person who made a key is never gone here: only the identity provider
 * knows.
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

/** The reply to a call that makes a key: the only one that carries the secret, `key`. */
export const CreatedApiKey = Schema.Struct({
  key: Schema.RedactedFromValue(Schema.String),
  apiKey: ApiKey
}).annotate({ identifier: "CreatedApiKey" })
export type CreatedApiKey = typeof CreatedApiKey.Type

/** A key with this much left, or less, is said to be expiring. */
export const EXPIRING = Duration.days(7)

/** What decides whether a key is valid. **Shape** `rotatedAt` is when another key took its place. */
export interface Lifespan {
  readonly expiresAt?: DateTime.Utc
  readonly revokedAt?: DateTime.Utc
  readonly rotatedAt?: DateTime.Utc
}

/**
 * Tells the status of a key: revoked before expired before expiring before active.
 *
 * **Shape** expired from `expiresAt` on, to the millisecond; expiring also for as long as a rotated key is let live.
 */
export const statusAt = ({ expiresAt, revokedAt, rotatedAt }: Lifespan, now: DateTime.Utc): Status => {
  if (revokedAt !== undefined) return "revoked"
  if (expiresAt === undefined) return "active"
  if (!DateTime.isLessThan(now, expiresAt)) return "expired"
  if (rotatedAt !== undefined) return "expiring"
  return Duration.isLessThanOrEqualTo(DateTime.distance(now, expiresAt), EXPIRING) ? "expiring" : "active"
}

/** Tells whether a key authenticates. */
export const isValid = (key: Lifespan, now: DateTime.Utc): boolean => {
  const status = statusAt(key, now)
  return status === "active" || status === "expiring"
}
