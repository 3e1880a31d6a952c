/**
 * Makes, lists, changes and revokes keys on behalf of a caller, who never reaches beyond its own rule.
 */
import { Context, DateTime, type Duration, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { type ApiKey, type CreatedApiKey, KeyName } from "./ApiKey.ts"
import { ofCreated } from "./ApiKeyView.ts"
import * as Expiry from "./Expiry.ts"
import * as KeyChange from "./KeyChange.ts"
import { KeyConfig } from "./KeyConfig.ts"
import { InvalidKeyName, KeyNotFound, LastAdmin, RuleNotContained } from "./KeyError.ts"
import * as KeyList from "./KeyList.ts"
import {
  type Caller,
  endOf,
  type Failure,
  find,
  findCreated,
  isLastAdmin,
  type Keys,
  noted,
  refuse,
  requireRole,
  show,
  visibleTo
} from "./KeyRealm.ts"
import { KeyStore } from "./KeyStore.ts"
import { newKey } from "./NewKey.ts"
import * as Person from "./Person.ts"
import * as Rule from "./Rule.ts"
import * as RuleContainment from "./RuleContainment.ts"

/** How long a key that is made may live at most. */
export const MaxLifetime = Context.Reference<Duration.Duration>("@quarterdeck/keys/KeyIssuer/MaxLifetime", {
  defaultValue: () => Expiry.DEFAULT_MAX_LIFETIME
})

/** The name, rule and expiry of a new key. **Shape** `expire` as `Expiry.parse` reads it; absent never expires. */
export interface CreateOptions {
  readonly name: string
  readonly rule: Rule.Rule
  readonly expire?: string
}

/** How a key is revoked; `force` revokes the last Admin of everything, too. */
interface RevokeOptions {
  readonly force?: boolean
}

export class KeyIssuer extends Context.Service<
  KeyIssuer,
  {
    /**
     * Makes a key whose rule lies inside the caller's.
     *
     * **Shape** it ends with the caller's key at the latest: at that instant where no end is asked for.
     *
     * **Errors** `RoleForbidden`, `InvalidKeyName`, `InvalidExpiry`, `RuleNotContained`, `ExpiryNotContained`, in this order.
     */
    readonly create: (caller: Caller, options: CreateOptions) => Effect.Effect<CreatedApiKey, Failure>
    /**
     * Lists the keys whose rule lies inside the caller's, revoked and expired ones too.
     *
     * **Shape** deploy-time keys first, by name; then the created ones, the oldest first. Valid under churn.
     *
     * **Errors** `RoleForbidden`, `InvalidPosition`. **Limits** at worst reads the keys after `position` once.
     */
    readonly list: (caller: Caller, options: KeyList.ListOptions) => Effect.Effect<KeyList.KeyPage, Failure>
    /** Gets one of those that `list` shows. **Errors** `RoleForbidden`, `KeyNotFound`. */
    readonly get: (caller: Caller, id: string) => Effect.Effect<ApiKey, Failure>
    /**
     * Renames a key, or narrows its rule: a key never reaches further than before, whoever asks.
     *
     * **Shape** the new rule lies inside the caller's and inside the key's present one.
     *
     * **Errors** `RoleForbidden`, `InvalidKeyName`, `KeyNotFound`, `KeyConfigured`, `KeyEnded`, `RuleNotContained`,
     * `LastAdmin`, in this order.
     */
    readonly update: (caller: Caller, id: string, options: KeyChange.UpdateOptions) => Effect.Effect<ApiKey, Failure>
    /**
     * Makes a key with the name and rule of another, which ends after a grace: the caller's own, or an Admin one inside
     * its rule.
     *
     * **Shape** the old key ends at the grace's end, or at its own if that is sooner. The new one keeps the old one's end
     * unless another is asked for, and ends with the caller's key at the latest.
     *
     * **Errors** `RoleForbidden`, `InvalidGrace`, `InvalidExpiry`, `KeyNotFound`, `KeyConfigured`, `KeyEnded`,
     * `ExpiryNotContained`, in this order.
     */
    readonly rotate: (
      caller: Caller,
      id: string,
      options?: KeyChange.RotateOptions
    ) => Effect.Effect<CreatedApiKey, Failure>
    /**
     * Revokes a key, at once and for ever: the caller's own, or an Admin one inside its rule. Again changes nothing.
     *
     * **Shape** the key as it is now. Keys that it made stay valid: `list` finds them by `createdBy`.
     *
     * **Errors** `RoleForbidden`, `KeyNotFound`, `KeyConfigured`, `LastAdmin`.
     */
    readonly revoke: (caller: Caller, id: string, options?: RevokeOptions) => Effect.Effect<ApiKey, Failure>
    /** Shows the caller's own key. **Errors** `KeyNotFound` when its entry has just left the configuration. */
    readonly whoami: (caller: Caller) => Effect.Effect<ApiKey, Failure>
  }
>()("@quarterdeck/keys/KeyIssuer") {
  static readonly layer: Layer.Layer<KeyIssuer, never, KeyConfig | KeyStore> = Layer.effect(
    KeyIssuer,
    Effect.suspend(() => make())
  )
}

const make = Effect.fnUntraced(function* () {
  const keys: Keys = { config: yield* KeyConfig, store: yield* KeyStore, maxLifetime: yield* MaxLifetime }
  /** One at a time: of two Admins that revoke each other at once, one stays, and a change is judged by the last one. */
  const turn = yield* Semaphore.make(1)
  return KeyIssuer.of({
    create: Effect.fn("KeyIssuer.create")((caller, options) => create(keys, caller, options)),
    list: Effect.fn("KeyIssuer.list")((caller, options) => KeyList.list(keys, caller, options)),
    get: Effect.fn("KeyIssuer.get")((caller, id) => get(keys, caller, id)),
    update: Effect.fn("KeyIssuer.update")((caller, id, options) =>
      turn.withPermit(KeyChange.update(keys, caller, id, options))
    ),
    rotate: Effect.fn("KeyIssuer.rotate")((caller, id, options = {}) =>
      turn.withPermit(KeyChange.rotate(keys, caller, id, options))
    ),
    revoke: Effect.fn("KeyIssuer.revoke")((caller, id, options) => turn.withPermit(revoke(keys, caller, id, options))),
    whoami: Effect.fn("KeyIssuer.whoami")((caller) => whoami(keys, caller))
  })
})

const create = Effect.fnUntraced(function* (
  { maxLifetime, store }: Keys,
  caller: Caller,
  { expire, name, rule }: CreateOptions
): Effect.fn.Return<CreatedApiKey, Failure> {
  yield* requireRole(caller, "create")
  if (!Schema.is(KeyName)(name)) return yield* refuse(new InvalidKeyName({}))
  const now = yield* DateTime.now
  const asked =
    expire === undefined
      ? undefined
      : yield* Effect.fromResult(Expiry.parse(expire, { now, maxLifetime })).pipe(Effect.catch(refuse))
  if (!RuleContainment.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
  const expiresAt = yield* endOf(caller, asked)
  const expiry = expiresAt === undefined ? {} : { expiresAt }
  const { key, record } = yield* newKey({ name, rule, createdBy: caller.keyId, ...expiry })
  yield* store.insert(record)
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": record.id })
  yield* Effect.logInfo("key created", noted(record, caller))
  return { key, apiKey: ofCreated(record, now) }
})

const get = Effect.fnUntraced(function* (keys: Keys, caller: Caller, id: string): Effect.fn.Return<ApiKey, Failure> {
  yield* requireRole(caller, "read")
  const found = yield* find(keys, id)
  if (!visibleTo(caller)(found.key)) return yield* refuse(new KeyNotFound({}))
  return show(found, yield* DateTime.now)
})

const revoke = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { force = false }: RevokeOptions = {}
): Effect.fn.Return<ApiKey, Failure> {
  if (id !== caller.keyId) yield* requireRole(caller, "delete")
  const key = yield* findCreated(keys, caller, id)
  const now = yield* DateTime.now
  if (!force && (yield* isLastAdmin(keys, key, now))) return yield* refuse(new LastAdmin({}))
  const revoked = Option.getOrUndefined(yield* keys.store.revoke(id, now, caller.keyId))
  if (revoked === undefined) return yield* refuse(new KeyNotFound({}))
  if (key.revokedAt === undefined) yield* Effect.logInfo("key revoked", noted(revoked, caller))
  return ofCreated(revoked, now)
})

const whoami = Effect.fnUntraced(function* (keys: Keys, caller: Caller): Effect.fn.Return<ApiKey, Failure> {
  return Person.view(caller) ?? show(yield* find(keys, caller.keyId), yield* DateTime.now)
})
