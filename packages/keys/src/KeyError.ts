/**
 * Errors of calls on keys: refusals of the caller, and failures of the store and of files.
 */
import { Effect, Schema } from "effect"
import { MAX_RANGES } from "./AllowFrom.ts"
import { MAX_DESCRIPTION, MAX_NAME } from "./ApiKey.ts"
import { InvalidExpiry } from "./Expiry.ts"
import { InvalidGrace } from "./Grace.ts"

/** The name is empty, too long, or has a control or format character (HTTP 400, field `name`). */
export class InvalidKeyName extends Schema.TaggedError<InvalidKeyName>()("InvalidKeyName", {}) {
  override get message(): string {
    return `name: must have 1 to ${MAX_NAME} characters, without control or format characters`
  }
}

/** The description is too long, or has a control or format character (HTTP 400, field `description`). */
export class InvalidDescription extends Schema.TaggedError<InvalidDescription>()("InvalidDescription", {}) {
  override get message(): string {
    return `description: must have at most ${MAX_DESCRIPTION} characters, without control or format characters`
  }
}

/** `allowFrom` is not a list of 1 to 32 ranges (HTTP 400, field `allowFrom`). */
export class InvalidAllowFrom extends Schema.TaggedError<InvalidAllowFrom>()("InvalidAllowFrom", {}) {
  override get message(): string {
    return `allowFrom: must have 1 to ${MAX_RANGES} ranges in CIDR notation, such as 203.0.113.0/24`
  }
}

/** The position does not come from an earlier page of the list (HTTP 400 `invalid_cursor`). */
export class InvalidPosition extends Schema.TaggedError<InvalidPosition>()("InvalidPosition", {}) {
  override get message(): string {
    return "the position does not come from an earlier page of this list"
  }
}

/** The caller's role allows this on the caller's own key only (HTTP 403 `role_forbidden`). */
export class RoleForbidden extends Schema.TaggedError<RoleForbidden>()("RoleForbidden", {
  verb: Schema.Literals(["read", "create", "operate", "delete"])
}) {
  override get message(): string {
    return `only an Admin may ${this.verb === "operate" ? "change or rotate" : this.verb} the keys of others`
  }
}

/**
 * The requested rule reaches further than the caller's rule, or than the present rule of the key (HTTP 403
 * `rule_not_contained`).
 */
export class RuleNotContained extends Schema.TaggedError<RuleNotContained>()("RuleNotContained", {
  exceeds: Schema.Literals(["caller", "present"]).pipe(Schema.withConstructorDefault(Effect.succeed("caller")))
}) {
  override get message(): string {
    return this.exceeds === "caller"
      ? "the rule reaches further than the rule of the calling key"
      : "the rule reaches further than the key's present rule; a key can only be narrowed, so create a new key"
  }
}

/**
 * The requested ranges permit addresses that the calling key's ranges, or the key's present ranges, do not permit (HTTP 403
 * `rule_not_contained`, field `allowFrom`).
 */
export class AllowFromNotContained extends Schema.TaggedError<AllowFromNotContained>()("AllowFromNotContained", {
  exceeds: Schema.Literals(["caller", "present"])
}) {
  override get message(): string {
    return this.exceeds === "caller"
      ? "allowFrom: permits addresses that the calling key does not permit"
      : "allowFrom: permits addresses that the key does not permit now; a key can only be narrowed"
  }
}

/** A valid descendant of the key lies outside the caller's rule (HTTP 403 `rule_not_contained`). */
export class DescendantNotContained extends Schema.TaggedError<DescendantNotContained>()("DescendantNotContained", {
  count: Schema.Natural
}) {
  override get message(): string {
    return `${this.count} of the keys that descend from this key reach further than the calling key; no key was revoked`
  }
}

/** The maker already has the maximum number of valid keys that the setting allows (HTTP 409 `too_many_keys`). */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { most: Schema.Natural }) {
  override get message(): string {
    return `the maker of the key has ${this.most} valid keys, the most that keys.maxPerMaker allows; revoke one that is not needed`
  }
}

/** The requested expiry is later than the expiry of the calling key (HTTP 403 `rule_not_contained`, field `expire`). */
export class ExpiryNotContained extends Schema.TaggedError<ExpiryNotContained>()("ExpiryNotContained", {
  latest: Schema.String
}) {
  override get message(): string {
    return `expire: a key cannot outlive the key that creates it, which expires at ${this.latest}`
  }
}

/** The key is the last valid Admin key without a scope (HTTP 409 `last_admin`). */
export class LastAdmin extends Schema.TaggedError<LastAdmin>()("LastAdmin", {}) {
  override get message(): string {
    return "the key is the last valid Admin key without a scope; without it, only a keys file can restore access; use force to proceed"
  }
}

/**
 * No key has the id, or the key's rule lies outside the caller's rule (HTTP 404 `key_not_found`). The reply is the same
 * for both.
 */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {
  override get message(): string {
    return "no such key; use the id from the list of keys, not the name"
  }
}

/** The key comes from the configuration and changes only there (HTTP 409 `key_configured`). */
export class KeyConfigured extends Schema.TaggedError<KeyConfigured>()("KeyConfigured", {}) {
  override get message(): string {
    return "the key comes from the deployment's configuration; change it there"
  }
}

/** The key is revoked or expired and can no longer be changed (HTTP 409 `key_ended`). */
export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", {}) {
  override get message(): string {
    return "the key is revoked or expired; create a new key"
  }
}

/** Every refusal of a call on keys. Recover from one of them with `Effect.catchReason`. */
export class KeyError extends Schema.TaggedError<KeyError>()("KeyError", {
  reason: Schema.Union([
    InvalidKeyName,
    InvalidDescription,
    InvalidAllowFrom,
    InvalidExpiry,
    InvalidGrace,
    InvalidPosition,
    RoleForbidden,
    RuleNotContained,
    AllowFromNotContained,
    DescendantNotContained,
    ExpiryNotContained,
    LastAdmin,
    TooManyKeys,
    KeyNotFound,
    KeyConfigured,
    KeyEnded
  ])
}) {
  override get message(): string {
    return this.reason.message
  }
}

const Operation = Schema.Literals([
  ...["open", "close", "insert", "findByHash", "find", "list", "revoke", "revokeAll"],
  ...["findLiving", "update", "rotate", "touch", "count"],
  ...[
    "insertSession",
    "findSession",
    "newestSessions",
    "touchSession",
    "removeSession",
    "replaceSessionOwner",
    "removeSessionsOfOwner"
  ],
  ...["beginIdempotent", "endIdempotent", "removeIdempotent"],
  ...["listClusters", "insertCluster", "removeCluster"]
] as const)
export type Operation = typeof Operation.Type

/** An operation of the store failed. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  operation: Operation,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the key store could not ${this.operation}`
  }
}

/** The store could not be opened. **Shape** `place`: its file. */
export class StoreUnopened extends Schema.TaggedError<StoreUnopened>()("StoreUnopened", {
  place: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the key store ${this.place} cannot be opened: ${this.problem}`
  }
}

/** The queue of calls to the store is full. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", {
  operation: Operation,
  waiting: Schema.Natural
}) {
  override get message(): string {
    return `the key store has ${this.waiting} waiting calls, its maximum; retry later`
  }
}

/** The store did not answer in time. A write may or may not have happened. */
export class StoreTimedOut extends Schema.TaggedError<StoreTimedOut>()("StoreTimedOut", {
  operation: Operation,
  timeoutMs: Schema.Natural
}) {
  override get message(): string {
    return `the key store did not ${this.operation} within ${this.timeoutMs} ms`
  }
}

/** A stored key cannot be decoded: another program changed it, or another version wrote it. */
export class RecordCorrupt extends Schema.TaggedError<RecordCorrupt>()("RecordCorrupt", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `a stored key cannot be read: ${this.field}: ${this.problem}`
  }
}

/** The file was written by a newer version. It may contain data that this version would lose. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", {
  place: Schema.String,
  found: Schema.Natural,
  supported: Schema.Natural
}) {
  override get message(): string {
    return `the key store ${this.place} has schema version ${this.found}, this program knows ${this.supported}: run the newer program, or restore a backup`
  }
}

/** The maker of a new key already has the maximum number of live keys. Nothing was stored. */
export class MakerFull extends Schema.TaggedError<MakerFull>()("MakerFull", {}) {
  override get message(): string {
    return "the maker of the key has the maximum number of live keys"
  }
}

/** Every failure of the store (HTTP 503 `key_store_unavailable`). */
export class KeyStoreError extends Schema.TaggedError<KeyStoreError>()("KeyStoreError", {
  reason: Schema.Union([StoreFailed, StoreUnopened, StoreBusy, StoreTimedOut, RecordCorrupt, StoreTooNew, MakerFull])
}) {
  override get message(): string {
    return this.reason.message
  }
}

/** A keys file cannot be used at all. Single invalid entries do not raise this error. */
export class KeysFileError extends Schema.TaggedError<KeysFileError>()("KeysFileError", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `keys file ${this.path}: ${this.problem}`
  }
}

/** The first key could not be written to its file. */
export class BootstrapError extends Schema.TaggedError<BootstrapError>()("BootstrapError", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `bootstrap key file ${this.path}: ${this.problem}`
  }
}
