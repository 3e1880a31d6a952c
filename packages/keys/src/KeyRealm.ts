/**
 * What calls on keys stand on: where keys come from, and which of them a caller may know of.
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

/** How many records are read at a time: most of them may lie outside the caller's rule. */
export const SCAN = 500

/** Who asks. */
export type Caller = Principal["Service"]
export type Failure = KeyError | KeyStoreError

/** Where keys come from and go to, and how long they may be made for. */
export interface Keys {
  readonly config: KeyConfig["Service"]
  readonly store: KeyStore["Service"]
  readonly maxLifetime: Duration.Duration
  /** How long keys may live that people make who signed in at an identity provider; no bound of its own when absent. */
  readonly maxLifetimeOfPeople: Duration.Duration | undefined
  /** How many live keys one maker may have. */
  readonly maxPerMaker: number
}

type Found =
  | { readonly source: "configured"; readonly key: LoadedKey }
  | { readonly source: "created"; readonly key: KeyRecord }

export const refuse = (reason: KeyError["reason"]): Effect.Effect<never, KeyError> =>
  Effect.fail(new KeyError({ reason }))

export const requireRole = (caller: Caller, verb: RoleForbidden["verb"]): Effect.Effect<void, KeyError> =>
  Access.decide(caller.rule, "apiKeys", verb) === "allowed" ? Effect.void : refuse(new RoleForbidden({ verb }))

/** Tells whether a caller may know of a key: its rule lies inside the caller's. */
export const visibleTo =
  (caller: Caller) =>
  (key: { readonly rule: Rule.Rule }): boolean =>
    RuleContainment.isWithin(key.rule, caller.rule)

/** Finds a key, whoever may know of it. **Errors** `KeyNotFound`. */
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
 * Finds a created key that the caller may change: its own, or one inside its rule.
 *
 * **Errors** `KeyNotFound`, `KeyConfigured`.
 */
export const findCreated = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string
): Effect.fn.Return<KeyRecord, Failure> {
  // A person's rule is one of the configuration, as a configured key's is.
  if (id === caller.keyId && caller.signedInAt !== undefined) return yield* refuse(new KeyConfigured({}))
  const { key, source } = yield* find(keys, id)
  if (id !== caller.keyId && !visibleTo(caller)(key)) return yield* refuse(new KeyNotFound({}))
  if (source === "configured") return yield* refuse(new KeyConfigured({}))
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": id })
  return key
})

/** Finds a created key as {@link findCreated} does. **Errors** `KeyEnded` beside, of a key that is valid no more. */
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

/** Shows a created key, and whether its maker is gone. */
export const showCreated = (keys: Keys, record: KeyRecord, now: DateTime.Utc): Effect.Effect<ApiKey, KeyStoreError> =>
  Effect.map(findOrphans(keys, [record], now), (orphans) => showAmong(orphans, record, now))

/** Shows a created key. **Shape** `orphans`: what `findOrphans` found among keys that include this one. */
export const showAmong = (orphans: ReadonlySet<string>, record: KeyRecord, now: DateTime.Utc): ApiKey =>
  orphans.has(record.id) ? { ...ofCreated(record, now), isMakerGone: true } : ofCreated(record, now)

/**
 * Finds the ids of the keys whose maker is gone: no key of the maker's line is valid.
 *
 * **Shape** a person is never gone here; the first key of a deployment has no maker.
 *
 * **Limits** one read of the store for all keys together, none where no created key made them.
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
 * Finds whom a new key of a caller counts against.
 *
 * **Errors** `KeyEnded` when the caller's key was revoked or has expired since the call was let in.
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
 * Gives when a new key ends: at the asked instant, at the usual one, or with the key that asks for it, if that is sooner.
 *
 * **Errors** `ExpiryNotContained` for an asked instant after the end of the key that asks.
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
 * Reads when a new key is to end.
 *
 * **Shape** `kept`: the end that a rotated key keeps where none is asked for. A signed-in person must ask for an end
 * within the longest lifetime of people's keys, or keep one.
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

/** Checks a description. **Errors** `InvalidDescription`. */
export const checkDescription = (text: string | undefined): Effect.Effect<void, KeyError> =>
  text === undefined || Schema.is(Description)(text) ? Effect.void : refuse(new InvalidDescription({}))

/** Reads the client addresses of a key in their canonical form. **Errors** `InvalidAllowFrom`. */
export const readAllowFrom = (
  list: AllowFrom.AllowFrom | undefined
): Effect.Effect<AllowFrom.AllowFrom | undefined, KeyError> => {
  if (list === undefined) return Effect.succeed(undefined)
  return Schema.is(AllowFrom.AllowFrom)(list)
    ? Effect.succeed(AllowFrom.canonical(list))
    : refuse(new InvalidAllowFrom({}))
}

/** Turns the refusal of a store whose quota is used up into the caller's. **Errors** `TooManyKeys`. */
export const withinQuota = <A>(
  { maxPerMaker }: Keys,
  storing: Effect.Effect<A, KeyStoreError>
): Effect.Effect<A, Failure> =>
  storing.pipe(Effect.catchReason("KeyStoreError", "MakerFull", () => refuse(new TooManyKeys({ most: maxPerMaker }))))

/** Tells whether a rule is that of an Admin of everything. */
export const isAdminOfAll = (rule: Rule.Rule): boolean => rule.role === "Admin" && Rule.isUnscoped(rule)

/**
 * Checks whether some keys include a valid Admin of everything, and no other key or group does.
 *
 * **Limits** at worst reads all keys once.
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

/** What the log tells of a key. **Shape** neither the secret nor its hash. */
export const noted = ({ expiresAt, id, name, rule }: KeyRecord, caller: Caller) => ({
  key: id,
  name,
  role: rule.role,
  by: caller.keyId,
  ...(expiresAt === undefined ? {} : { expiresAt: DateTime.formatIso(expiresAt) })
})
