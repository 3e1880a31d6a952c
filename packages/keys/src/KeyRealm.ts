/**
 * Parts that all calls on keys share: finding keys, checking that the caller may see them, and checking requested values.
 */
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import * as Access from "./Access.ts"
import * as AllowFrom from "./AllowFrom.ts"
import { type ApiKey, Description, isValid, type Lifespan } from "./ApiKey.ts"
import { ofConfigured, ofCreated } from "./ApiKeyView.ts"
import * as Expiry from "./Expiry.ts"
import type { KeyConfig, LoadedKey } from "./KeyConfig.ts"
import {
  ExpiryNotContained,
  InvalidAllowFrom,
  InvalidDescription,
  KeyConfigured,
  KeyEnded,
  KeyError,
  KeyNotFound,
  RoleForbidden,
  TooManyKeys
} from "./KeyError.ts"
import type { KeyStoreError } from "./KeyError.ts"
import { type KeyRecord, type KeyStore, lineOf, type Position } from "./KeyStore.ts"
import * as Person from "./Person.ts"
import type { Principal } from "./Principal.ts"
import * as Rule from "./Rule.ts"
import * as RuleContainment from "./RuleContainment.ts"

/** Number of records per read of the store. Most of them may lie outside the caller's rule. */
export const SCAN = 500

export type Caller = Principal["Service"]
export type Failure = KeyError | KeyStoreError

/** The sources of keys, and the limits for new keys. */
export interface Keys {
  readonly config: KeyConfig["Service"]
  readonly store: KeyStore["Service"]
  readonly maxLifetime: Duration.Duration
  /** Maximum lifetime of keys that signed-in people create. If undefined, only `maxLifetime` applies. */
  readonly maxLifetimeOfPeople: Duration.Duration | undefined
  /** Maximum number of live keys per maker. */
  readonly maxPerMaker: number
}

type Found =
  | { readonly source: "configured"; readonly key: LoadedKey }
  | { readonly source: "created"; readonly key: KeyRecord }

export const refuse = (reason: KeyError["reason"]): Effect.Effect<never, KeyError> =>
  Effect.fail(new KeyError({ reason }))

export const requireRole = (caller: Caller, verb: RoleForbidden["verb"]): Effect.Effect<void, KeyError> =>
  Access.decide(caller.rule, "apiKeys", verb) === "allowed" ? Effect.void : refuse(new RoleForbidden({ verb }))

/** Checks whether a caller may see a key: the key's rule lies within the caller's rule. */
export const visibleTo =
  (caller: Caller) =>
  (key: { readonly rule: Rule.Rule }): boolean =>
    RuleContainment.isWithin(key.rule, caller.rule)

/** Finds a key without checking whether the caller may see it. **Errors** `KeyNotFound`. */
export const find = Effect.fnUntraced(function* (
  { config, store }: Keys,
  id: string
): Effect.fn.Return<Found, Failure> {
  const configured = (yield* config.current).byId.get(id)
  if (configured !== undefined) return { source: "configured", key: configured }
  const created = Option.getOrUndefined(yield* store.find(id))
  return created === undefined ? yield* refuse(new KeyNotFound({})) : { source: "created", key: created }
})

/**
 * Finds a created key that the caller may change: the caller's own key, or a key within the caller's rule.
 *
 * **Errors** `KeyNotFound`, `KeyConfigured`.
 */
export const findCreated = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string
): Effect.fn.Return<KeyRecord, Failure> {
  // A person's rule comes from the configuration, like the rule of a configured key.
  if (id === caller.keyId && caller.signedInAt !== undefined) return yield* refuse(new KeyConfigured({}))
  const { key, source } = yield* find(keys, id)
  if (id !== caller.keyId && !visibleTo(caller)(key)) return yield* refuse(new KeyNotFound({}))
  if (source === "configured") return yield* refuse(new KeyConfigured({}))
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": id })
  return key
})

/** Finds a valid created key. **Errors** those of {@link findCreated}, and `KeyEnded` for an expired or revoked key. */
export const findValid = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string
): Effect.fn.Return<KeyRecord, Failure> {
  const key = yield* findCreated(keys, caller, id)
  return isValid(key, yield* DateTime.now) ? key : yield* refuse(new KeyEnded({}))
})

export const show = (keys: Keys, found: Found, now: DateTime.Utc): Effect.Effect<ApiKey, KeyStoreError> =>
  found.source === "configured" ? Effect.succeed(ofConfigured(found.key, now)) : showCreated(keys, found.key, now)

/** Returns the API's view of a created key, which states whether the key's maker is gone. */
export const showCreated = (keys: Keys, record: KeyRecord, now: DateTime.Utc): Effect.Effect<ApiKey, KeyStoreError> =>
  Effect.map(findOrphans(keys, [record], now), (orphans) => showAmong(orphans, record, now))

/**
 * Returns the API's view of a created key. **Shape** `orphans`: the result of `findOrphans` for records that include
 * this key.
 */
export const showAmong = (orphans: ReadonlySet<string>, record: KeyRecord, now: DateTime.Utc): ApiKey =>
  orphans.has(record.id) ? { ...ofCreated(record, now), isMakerGone: true } : ofCreated(record, now)

/**
 * Finds the ids of the keys whose maker is gone: the key that created them and all keys that it was rotated to are
 * invalid.
 *
 * **Shape** a person counts as present. The first key of a deployment has no maker.
 *
 * **Limits** one read of the store for all keys, none if only people and valid configured keys created them.
 */
export const findOrphans = Effect.fnUntraced(function* (
  { config, store }: Keys,
  records: ReadonlyArray<KeyRecord>,
  now: DateTime.Utc
): Effect.fn.Return<ReadonlySet<string>, KeyStoreError> {
  const made = records.flatMap((record) => {
    const { id, maker } = record
    return maker === undefined || maker === lineOf(record) || Person.isIdOfPerson(maker) ? [] : [{ id, maker }]
  })
  if (made.length === 0) return new Set()
  const { byId } = yield* config.current
  const isConfiguredAndValid = (maker: string) => {
    const configured = byId.get(maker)
    return configured !== undefined && isValid(configured, now)
  }
  const lines = [...new Set(made.map(({ maker }) => maker))].filter((maker) => !isConfiguredAndValid(maker))
  if (lines.length === 0) return new Set()
  const living = yield* store.findLiving(lines, now)
  const gone = new Set(lines.filter((line) => !living.has(line)))
  return new Set(made.filter(({ maker }) => gone.has(maker)).map(({ id }) => id))
})

/**
 * Returns the maker whose quota a new key of the caller counts against.
 *
 * **Errors** `KeyEnded` if the caller's key was revoked or has expired since the request was authenticated.
 */
export const makerOf = Effect.fnUntraced(function* (
  { store }: Keys,
  { keyId, source }: Caller,
  now: DateTime.Utc
): Effect.fn.Return<string, Failure> {
  const record = source === "configured" ? undefined : Option.getOrUndefined(yield* store.find(keyId))
  if (record === undefined) return keyId
  return isValid(record, now) ? lineOf(record) : yield* refuse(new KeyEnded({}))
})

/**
 * Returns the expiry of a new key: the requested or else the usual expiry, but no later than that of the caller's key.
 *
 * **Errors** `ExpiryNotContained` if the requested expiry is later than the expiry of the caller's key.
 */
export const endOf = (
  { expiresAt: latest }: Caller,
  asked: DateTime.Utc | undefined,
  usual?: DateTime.Utc
): Effect.Effect<DateTime.Utc | undefined, KeyError> => {
  if (latest === undefined) return Effect.succeed(asked ?? usual)
  if (asked === undefined) return Effect.succeed(usual === undefined ? latest : DateTime.min(usual, latest))
  return DateTime.isGreaterThan(asked, latest)
    ? refuse(new ExpiryNotContained({ latest: DateTime.formatIso(latest) }))
    : Effect.succeed(asked)
}

/**
 * Reads the requested expiry of a new key.
 *
 * **Shape** `kept`: the expiry that a rotated key keeps if none is requested. If people's keys have a maximum lifetime, a
 * signed-in person must request an expiry within it, or keep one that lies within it.
 *
 * **Errors** `InvalidExpiry`.
 */
export const readEnd = (
  { maxLifetime, maxLifetimeOfPeople }: Keys,
  { signedInAt }: Caller,
  expire: string | undefined,
  now: DateTime.Utc,
  kept?: DateTime.Utc
): Effect.Effect<DateTime.Utc | undefined, KeyError> => {
  const ofPeople = signedInAt === undefined ? undefined : maxLifetimeOfPeople
  const longest = ofPeople === undefined ? maxLifetime : Duration.min(maxLifetime, ofPeople)
  if (expire !== undefined) {
    return Effect.fromResult(Expiry.parse(expire, { now, maxLifetime: longest })).pipe(Effect.catch(refuse))
  }
  if (ofPeople === undefined) return Effect.succeed(undefined)
  const latest = DateTime.addDuration(now, longest)
  if (kept !== undefined && DateTime.isLessThanOrEqualTo(kept, latest)) return Effect.succeed(undefined)
  return refuse(new Expiry.InvalidExpiry({ problem: "missing", latest: DateTime.formatIso(latest) }))
}

/** **Errors** `InvalidDescription`. */
export const checkDescription = (text: string | undefined): Effect.Effect<void, KeyError> =>
  text === undefined || Schema.is(Description)(text) ? Effect.void : refuse(new InvalidDescription({}))

/** Returns the ranges of a key in canonical form. **Errors** `InvalidAllowFrom`. */
export const readAllowFrom = (
  list: AllowFrom.AllowFrom | undefined
): Effect.Effect<AllowFrom.AllowFrom | undefined, KeyError> => {
  if (list === undefined) return Effect.succeed(undefined)
  return Schema.is(AllowFrom.AllowFrom)(list)
    ? Effect.succeed(AllowFrom.canonical(list))
    : refuse(new InvalidAllowFrom({}))
}

/** Maps the store's `MakerFull` to a refusal of the caller. **Errors** `TooManyKeys`. */
export const withinQuota = <A>(
  { maxPerMaker }: Keys,
  storing: Effect.Effect<A, KeyStoreError>
): Effect.Effect<A, Failure> =>
  storing.pipe(Effect.catchReason("KeyStoreError", "MakerFull", () => refuse(new TooManyKeys({ most: maxPerMaker }))))

/** Checks whether a rule is that of an Admin without a scope. */
export const isAdminOfAll = (rule: Rule.Rule): boolean => rule.role === "Admin" && Rule.isUnscoped(rule)

/**
 * Checks whether the records include a valid Admin without a scope, and no other key or group has such a rule.
 *
 * **Limits** reads all keys at most once.
 */
export const areLastAdmins = Effect.fnUntraced(function* (
  { config, store }: Keys,
  records: ReadonlyArray<KeyRecord>,
  now: DateTime.Utc
): Effect.fn.Return<boolean, KeyStoreError> {
  if ((yield* Person.GroupRules).some(({ rule }) => isAdminOfAll(rule))) return false
  const isAdmin = (key: Lifespan & { readonly rule: Rule.Rule }) => isValid(key, now) && isAdminOfAll(key.rule)
  if (!records.some(isAdmin) || [...(yield* config.current).byId.values()].some(isAdmin)) return false
  const ids = new Set(records.map(({ id }) => id))
  let from: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    if (page.some((key) => !ids.has(key.id) && isAdmin(key))) return false
    from = page.at(-1)
    if (page.length < SCAN) return true
  }
})

/** Log annotations of a key, without the secret and its hash. */
export const noted = ({ expiresAt, id, name, rule }: KeyRecord, caller: Caller) => ({
  key: id,
  name,
  role: rule.role,
  by: caller.keyId,
  ...(expiresAt === undefined ? {} : { expiresAt: DateTime.formatIso(expiresAt) })
})
