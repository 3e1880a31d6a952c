/**
 * What calls on keys stand on: where keys come from, and which of them a caller may know of.
 */
import { DateTime, type Duration, Effect, Option } from "effect"
import * as Access from "./Access.ts"
import { type ApiKey, isValid, type Lifespan } from "./ApiKey.ts"
import { ofConfigured, ofCreated } from "./ApiKeyView.ts"
import type { KeyConfig, LoadedKey } from "./KeyConfig.ts"
import { ExpiryNotContained, KeyConfigured, KeyEnded, KeyError, KeyNotFound, RoleForbidden } from "./KeyError.ts"
import type { KeyStoreError } from "./KeyError.ts"
import type { KeyRecord, KeyStore, Position } from "./KeyStore.ts"
import { GroupRules } from "./Person.ts"
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

export const show = (found: Found, now: DateTime.Utc): ApiKey =>
  found.source === "configured" ? ofConfigured(found.key, now) : ofCreated(found.key, now)

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

/** Tells whether a rule is that of an Admin of everything. */
export const isAdminOfAll = (rule: Rule.Rule): boolean => rule.role === "Admin" && Rule.isUnscoped(rule)

/** Tells whether nobody else is a valid Admin of everything. **Limits** at worst reads all keys once. */
export const isLastAdmin = Effect.fnUntraced(function* (
  { config, store }: Keys,
  record: KeyRecord,
  now: DateTime.Utc
): Effect.fn.Return<boolean, KeyStoreError> {
  if ((yield* GroupRules).some(({ rule }) => isAdminOfAll(rule))) return false
  const isAdmin = (key: Lifespan & { readonly rule: Rule.Rule }) => isValid(key, now) && isAdminOfAll(key.rule)
  if (!isAdmin(record) || [...(yield* config.current).byId.values()].some(isAdmin)) return false
  let from: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    if (page.some((key) => key.id !== record.id && isAdmin(key))) return false
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
