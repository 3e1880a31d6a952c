/**
 * Creates, lists, changes and revokes keys for a caller, within the caller's own rule.
 */
import { Context, DateTime, type Duration, Effect, Layer, Option, Schema, Semaphore } from "effect"
import * as AllowFrom from "./AllowFrom.ts"
import { type ApiKey, type CreatedApiKey, KeyName } from "./ApiKey.ts"
import * as Expiry from "./Expiry.ts"
import * as KeyChange from "./KeyChange.ts"
import { KeyConfig } from "./KeyConfig.ts"
import { AllowFromNotContained, InvalidKeyName, KeyNotFound, LastAdmin, RuleNotContained } from "./KeyError.ts"
import * as KeyFamily from "./KeyFamily.ts"
import * as KeyList from "./KeyList.ts"
import {
  areLastAdmins,
  type Caller,
  checkDescription,
  endOf,
  type Failure,
  find,
  findCreated,
  type Keys,
  makerOf,
  noted,
  readAllowFrom,
  readEnd,
  refuse,
  requireRole,
  show,
  showCreated,
  visibleTo,
  withinQuota
} from "./KeyRealm.ts"
import { KeyStore } from "./KeyStore.ts"
import { newKey } from "./NewKey.ts"
import * as Person from "./Person.ts"
import * as Rule from "./Rule.ts"
import * as RuleContainment from "./RuleContainment.ts"

/** Maximum lifetime of a new key. */
export const MaxLifetime = Context.Reference<Duration.Duration>("@quarterdeck/keys/KeyIssuer/MaxLifetime", {
  defaultValue: () => Expiry.DEFAULT_MAX_LIFETIME
})

/** Limits per maker: number of live keys, and lifetime of the keys that signed-in people create. */
export const MakerLimits = Context.Reference<{
  readonly maxPerMaker: number
  readonly maxLifetimeOfPeople: Duration.Duration | undefined
}>("@quarterdeck/keys/KeyIssuer/MakerLimits", {
  defaultValue: () => ({ maxPerMaker: 1_000, maxLifetimeOfPeople: undefined })
})

/**
 * Fields of a new key.
 *
 * **Shape** `expire`: see `Expiry.parse`; when absent, the key expires with the caller's key, or never. `allowFrom`: when
 * absent, the ranges of the caller's key.
 */
export interface CreateOptions {
  readonly name: string
  readonly description?: string
  readonly rule: Rule.Rule
  readonly allowFrom?: AllowFrom.AllowFrom
  readonly expire?: string
}

export class KeyIssuer extends Context.Service<
  KeyIssuer,
  {
    /**
     * Creates a key whose rule lies within the caller's rule.
     *
     * **Shape** the key expires no later than the caller's key. Without `expire`, it expires with the caller's key.
     *
     * **Errors** `RoleForbidden`, `InvalidKeyName`, `InvalidDescription`, `InvalidAllowFrom`, `InvalidExpiry`,
     * `RuleNotContained`, `AllowFromNotContained`, `ExpiryNotContained`, in this order. `KeyEnded` if the caller's key was
     * revoked or has expired during the call, `TooManyKeys`.
     */
    readonly create: (caller: Caller, options: CreateOptions) => Effect.Effect<CreatedApiKey, Failure>
    /**
     * Lists the keys whose rule lies within the caller's rule, including revoked and expired keys.
     *
     * **Shape** deploy-time keys first, by name; then created keys, oldest first. Positions stay valid while keys change.
     *
     * **Errors** `RoleForbidden`, `InvalidPosition`. **Limits** reads the keys after `position` at most once.
     */
    readonly list: (caller: Caller, options: KeyList.ListOptions) => Effect.Effect<KeyList.KeyPage, Failure>
    /** Gets a key that `list` would return. **Errors** `RoleForbidden`, `KeyNotFound`. */
    readonly get: (caller: Caller, id: string) => Effect.Effect<ApiKey, Failure>
    /**
     * Changes the name or description of a key, or narrows its rule or its address ranges.
     *
     * **Shape** the new rule must lie within the caller's rule and within the key's present rule. The same holds for the
     * address ranges.
     *
     * **Errors** `RoleForbidden`, `InvalidKeyName`, `InvalidDescription`, `InvalidAllowFrom`, `KeyNotFound`,
     * `KeyConfigured`, `KeyEnded`, `AllowFromNotContained`, `RuleNotContained`, `LastAdmin`, in this order.
     */
    readonly update: (caller: Caller, id: string, options: KeyChange.UpdateOptions) => Effect.Effect<ApiKey, Failure>
    /**
     * Replaces a key by a successor with the same name, description, rule and address ranges. Any caller may rotate its own
     * key; an Admin may also rotate the keys within its rule.
     *
     * **Shape** the old key expires at the end of the grace period, or earlier at its own expiry. The successor keeps the old
     * expiry unless `expire` is set, and expires no later than the caller's key.
     *
     * **Errors** `RoleForbidden`, `InvalidGrace`, `InvalidExpiry`, `KeyNotFound`, `KeyConfigured`, `KeyEnded`,
     * `AllowFromNotContained`, `ExpiryNotContained`, in this order. `KeyEnded` if the caller's key was revoked or has expired
     * during the call, `TooManyKeys`.
     */
    readonly rotate: (
      caller: Caller,
      id: string,
      options?: KeyChange.RotateOptions
    ) => Effect.Effect<CreatedApiKey, Failure>
    /**
     * Revokes a key immediately and permanently. Any caller may revoke its own key; an Admin may also revoke the keys within
     * its rule. Revoking a revoked key changes nothing.
     *
     * **Shape** returns the revoked key. The keys that it created stay valid; `list` finds them by `createdBy`.
     *
     * **Errors** `RoleForbidden`, `KeyNotFound`, `KeyConfigured`, `LastAdmin`, and the errors of `admit`.
     */
    readonly revoke: <E = never, R = never>(
      caller: Caller,
      id: string,
      options?: KeyFamily.RevokeOptions<E, R>
    ) => Effect.Effect<ApiKey, Failure | E, R>
    /**
     * Revokes a key and all of its valid descendants, all or none. Requires an Admin.
     *
     * **Shape** descendants are the keys that the key created or was rotated to, and their descendants.
     *
     * **Errors** those of `revoke`, and `DescendantNotContained` if a descendant lies outside the caller's rule.
     *
     * **Limits** reads all keys twice.
     */
    readonly revokeFamily: <E = never, R = never>(
      caller: Caller,
      id: string,
      options?: KeyFamily.RevokeOptions<E, R>
    ) => Effect.Effect<KeyFamily.RevokedFamily, Failure | E, R>
    /** Counts the descendants that `revokeFamily` would revoke with the key. **Errors** `RoleForbidden`, `KeyNotFound`. */
    readonly countDescendants: (caller: Caller, id: string) => Effect.Effect<number, Failure>
    /** Returns the caller's own key. **Errors** `KeyNotFound` if its entry was just removed from the configuration. */
    readonly whoami: (caller: Caller) => Effect.Effect<ApiKey, Failure>
  }
>()("@quarterdeck/keys/KeyIssuer") {
  static readonly layer: Layer.Layer<KeyIssuer, never, KeyConfig | KeyStore> = Layer.effect(
    KeyIssuer,
    Effect.suspend(() => make())
  )
}

const make = Effect.fnUntraced(function* () {
  const keys: Keys = {
    config: yield* KeyConfig,
    store: yield* KeyStore,
    maxLifetime: yield* MaxLifetime,
    ...(yield* MakerLimits)
  }
  /**
   * Serializes changes. If two Admins revoke each other concurrently, one of them stays. Each change is checked against the
   * result of the previous change. No key can create another key while its family is being revoked.
   */
  const turn = yield* Semaphore.make(1)
  return KeyIssuer.of({
    create: Effect.fn("KeyIssuer.create")((caller, options) => turn.withPermit(create(keys, caller, options))),
    list: Effect.fn("KeyIssuer.list")((caller, options) => KeyList.list(keys, caller, options)),
    get: Effect.fn("KeyIssuer.get")((caller, id) => get(keys, caller, id)),
    update: Effect.fn("KeyIssuer.update")((caller, id, options) =>
      turn.withPermit(KeyChange.update(keys, caller, id, options))
    ),
    rotate: Effect.fn("KeyIssuer.rotate")((caller, id, options = {}) =>
      turn.withPermit(KeyChange.rotate(keys, caller, id, options))
    ),
    revoke: Effect.fn("KeyIssuer.revoke")((caller, id, options) => turn.withPermit(revoke(keys, caller, id, options))),
    revokeFamily: Effect.fn("KeyIssuer.revokeFamily")((caller, id, options) =>
      turn.withPermit(KeyFamily.revoke(keys, caller, id, options))
    ),
    countDescendants: Effect.fn("KeyIssuer.countDescendants")((caller, id) => KeyFamily.count(keys, caller, id)),
    whoami: Effect.fn("KeyIssuer.whoami")((caller) => whoami(keys, caller))
  })
})

const create = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  { allowFrom, description = "", expire, name, rule }: CreateOptions
): Effect.fn.Return<CreatedApiKey, Failure> {
  yield* requireRole(caller, "create")
  if (!Schema.is(KeyName)(name)) return yield* refuse(new InvalidKeyName({}))
  yield* checkDescription(description)
  const addresses = (yield* readAllowFrom(allowFrom)) ?? caller.allowFrom
  const now = yield* DateTime.now
  const asked = yield* readEnd(keys, caller, expire, now)
  if (!RuleContainment.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
  if (!AllowFrom.isWithin(addresses, caller.allowFrom)) {
    return yield* refuse(new AllowFromNotContained({ exceeds: "caller" }))
  }
  const expiresAt = yield* endOf(caller, asked)
  const maker = yield* makerOf(keys, caller, now)
  const { key, record } = yield* newKey({
    name,
    ...(description === "" ? {} : { description }),
    rule,
    ...(addresses === undefined ? {} : { allowFrom: addresses }),
    createdBy: caller.keyId,
    maker,
    ...(expiresAt === undefined ? {} : { expiresAt })
  })
  yield* withinQuota(keys, keys.store.insert(record, { most: keys.maxPerMaker, at: now }))
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": record.id })
  yield* Effect.logInfo("key created", noted(record, caller))
  return { key, apiKey: yield* showCreated(keys, record, now) }
})

const get = Effect.fnUntraced(function* (keys: Keys, caller: Caller, id: string): Effect.fn.Return<ApiKey, Failure> {
  yield* requireRole(caller, "read")
  const found = yield* find(keys, id)
  if (!visibleTo(caller)(found.key)) return yield* refuse(new KeyNotFound({}))
  return yield* show(keys, found, yield* DateTime.now)
})

const revoke = Effect.fnUntraced(function* <E = never, R = never>(
  keys: Keys,
  caller: Caller,
  id: string,
  { admit = Effect.void, force = false }: KeyFamily.RevokeOptions<E, R> = {}
): Effect.fn.Return<ApiKey, Failure | E, R> {
  if (id !== caller.keyId) yield* requireRole(caller, "delete")
  const key = yield* findCreated(keys, caller, id)
  const now = yield* DateTime.now
  if (!force && (yield* areLastAdmins(keys, [key], now))) return yield* refuse(new LastAdmin({}))
  if (key.revokedAt === undefined) yield* admit
  const revoked = Option.getOrUndefined(yield* keys.store.revoke(id, now, caller.keyId))
  if (revoked === undefined) return yield* refuse(new KeyNotFound({}))
  if (key.revokedAt === undefined) yield* Effect.logInfo("key revoked", noted(revoked, caller))
  return yield* showCreated(keys, revoked, now)
})

const whoami = Effect.fnUntraced(function* (keys: Keys, caller: Caller): Effect.fn.Return<ApiKey, Failure> {
  return Person.view(caller) ?? (yield* show(keys, yield* find(keys, caller.keyId), yield* DateTime.now))
})
