/**
 * Why a call on keys was refused, or could not be answered.
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

/** `allowFrom` is no list of 1 to 32 ranges (HTTP 400, field `allowFrom`). */
export class InvalidAllowFrom extends Schema.TaggedError<InvalidAllowFrom>()("InvalidAllowFrom", {}) {
  override get message(): string {
    return `allowFrom: must have 1 to ${MAX_RANGES} ranges in CIDR notation, such as 203.0.113.0/24`
  }
}

/** The position of a list was not made by an earlier page (HTTP 400 `invalid_cursor`). */
export class InvalidPosition extends Schema.TaggedError<InvalidPosition>()("InvalidPosition", {}) {
  override get message(): string {
    return "the position is none that an earlier page of the list gave"
  }
}

/** The caller's role may not do this to any key but its own (HTTP 403 `role_forbidden`). */
export class RoleForbidden extends Schema.TaggedError<RoleForbidden>()("RoleForbidden", {
  verb: Schema.Literals(["read", "create", "operate", "delete"])
}) {
  override get message(): string {
    return `only an Admin may ${this.verb === "operate" ? "change or rotate" : this.verb} the keys of others`
  }
}

/**
 * The asked rule would reach further than the caller's own, or than that of the key that it is for (HTTP 403
 * `rule_not_contained`).
 */
export class RuleNotContained extends Schema.TaggedError<RuleNotContained>()("RuleNotContained", {
  exceeds: Schema.Literals(["caller", "present"]).pipe(Schema.withConstructorDefault(Effect.succeed("caller")))
}) {
  override get message(): string {
    return this.exceeds === "caller"
      ? "the rule reaches further than the key that asks for it"
      : "the rule reaches further than the key does now: a key is narrowed and never widened; make another one"
  }
}

/**
 * The key could be used from addresses that the calling key may not be used from, or that it may not be used from itself
 * (HTTP 403 `rule_not_contained`, field `allowFrom`).
 */
export class AllowFromNotContained extends Schema.TaggedError<AllowFromNotContained>()("AllowFromNotContained", {
  exceeds: Schema.Literals(["caller", "present"])
}) {
  override get message(): string {
    return this.exceeds === "caller"
      ? "allowFrom: the key would be allowed from more addresses than the key that makes this call"
      : "allowFrom: the key would be allowed from more addresses than now; a key is narrowed and never widened"
  }
}

/** A valid descendant of the key lies outside the caller's rule (HTTP 403 `rule_not_contained`). */
export class DescendantNotContained extends Schema.TaggedError<DescendantNotContained>()("DescendantNotContained", {
  count: Schema.Natural
}) {
  override get message(): string {
    return `${this.count} of the keys that descend from the key reach further than the key that makes this call; no key was revoked`
  }
}

/** The maker has as many live keys as the setting allows (HTTP 409 `too_many_keys`). */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { most: Schema.Natural }) {
  override get message(): string {
    return `the maker of the key has ${this.most} valid keys, the most that keys.maxPerMaker allows; revoke one that is not needed`
  }
}

/** The asked key would end after the one that asks for it (HTTP 403 `rule_not_contained`, field `expire`). */
export class ExpiryNotContained extends Schema.TaggedError<ExpiryNotContained>()("ExpiryNotContained", {
  latest: Schema.String
}) {
  override get message(): string {
    return `expire: a key ends no later than the one that makes it: at ${this.latest}`
  }
}

/** Without this key nobody would be an Admin of everything (HTTP 409 `last_admin`). */
export class LastAdmin extends Schema.TaggedError<LastAdmin>()("LastAdmin", {}) {
  override get message(): string {
    return "the key is the last valid one with the role Admin and no scope: without it, only a keys file lets anybody in; force it if that is meant"
  }
}

/** No key has the id, or its rule lies outside the caller's (HTTP 404 `key_not_found`): the two are not told apart. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {
  override get message(): string {
    return "no such key; keys go by the ids that the list of keys tells, not by their names"
  }
}

/** The key comes from the configuration and changes only there (HTTP 409 `key_configured`). */
export class KeyConfigured extends Schema.TaggedError<KeyConfigured>()("KeyConfigured", {}) {
  override get message(): string {
    return "the key comes from the deployment's configuration; change it there"
  }
}

/** The key is revoked or expired, and changes no more (HTTP 409 `key_ended`). */
export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", {}) {
  override get message(): string {
    return "the key is revoked or expired; make another one"
  }
}

/** Every refusal of a call on keys; recover from one with `Effect.catchReason`. */
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

/** The store did not do what it was asked to. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  operation: Operation,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the key store could not ${this.operation}`
  }
}

/** The store could not be opened. **Shape** `place` is its file. */
export class StoreUnopened extends Schema.TaggedError<StoreUnopened>()("StoreUnopened", {
  place: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the key store ${this.place} cannot be opened: ${this.problem}`
  }
}

/** More calls are waiting for the store than it takes. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", {
  operation: Operation,
  waiting: Schema.Natural
}) {
  override get message(): string {
    return `the key store has ${this.waiting} calls waiting and takes no more`
  }
}

/** The store did not answer in time; whether a write was done is not known. */
export class StoreTimedOut extends Schema.TaggedError<StoreTimedOut>()("StoreTimedOut", {
  operation: Operation,
  timeoutMs: Schema.Natural
}) {
  override get message(): string {
    return `the key store did not ${this.operation} within ${this.timeoutMs} ms`
  }
}

/** A stored key cannot be read: it was changed behind the store's back, or written by another version. */
export class RecordCorrupt extends Schema.TaggedError<RecordCorrupt>()("RecordCorrupt", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `a stored key cannot be read: ${this.field}: ${this.problem}`
  }
}

/** The file was written by a newer version, which may keep things that this one would lose. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", {
  place: Schema.String,
  found: Schema.Natural,
  supported: Schema.Natural
}) {
  override get message(): string {
    return `the key store ${this.place} has schema version ${this.found}, this program knows ${this.supported}: run the newer program, or restore a backup`
  }
}

/** The maker of a new key has as many live keys as its quota allows. Nothing was stored. */
export class MakerFull extends Schema.TaggedError<MakerFull>()("MakerFull", {}) {
  override get message(): string {
    return "the maker of the key has as many live keys as it may"
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

/** The file of deploy-time keys cannot be used at all; single bad entries are refused without this. */
export class KeysFileError extends Schema.TaggedError<KeysFileError>()("KeysFileError", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `keys file ${this.path}: ${this.problem}`
  }
}

/** The first key could not be handed over. */
export class BootstrapError extends Schema.TaggedError<BootstrapError>()("BootstrapError", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `bootstrap key file ${this.path}: ${this.problem}`
  }
}
