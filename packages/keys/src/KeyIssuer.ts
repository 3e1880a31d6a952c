/**
 * Makes, lists and revokes keys on behalf of a caller, who never reaches beyond its own rule.
 */
import { Context, DateTime, type Duration, Effect, Layer, Option, Order, Schema, Semaphore } from "effect"
import * as Access from "./Access.ts"
import { type ApiKey, type CreatedApiKey, isValid, KeyName, type Lifespan, type Status } from "./ApiKey.ts"
import * as Expiry from "./Expiry.ts"
import { ofConfigured, ofCreated } from "./ApiKeyView.ts"
import * as ListPosition from "./ListPosition.ts"
import { newKey } from "./NewKey.ts"
import { KeyConfig, type LoadedKey } from "./KeyConfig.ts"
import {
  ExpiryNotContained,
  InvalidKeyName,
  InvalidPosition,
  KeyConfigured,
  KeyError,
  KeyNotFound,
  type KeyStoreError,
  LastAdmin,
  RoleForbidden,
  RuleNotContained
} from "./KeyError.ts"
import { type KeyRecord, KeyStore, type Position } from "./KeyStore.ts"
import type { Principal } from "./Principal.ts"
import * as Rule from "./Rule.ts"

/** How long a key that is made may live at most. */
export const MaxLifetime = Context.Reference<Duration.Duration>("@quarterdeck/keys/KeyIssuer/MaxLifetime", {
  defaultValue: () => Expiry.DEFAULT_MAX_LIFETIME
})

/** How many records are read at a time: most of them may lie outside the caller's rule. */
const SCAN = 500

/** Who asks. */
type Caller = Principal["Service"]
type Failure = KeyError | KeyStoreError

/** **Shape** `expire` as `Expiry.parse` reads it; absent never expires. */
export interface CreateOptions {
  readonly name: string
  readonly rule: Rule.Rule
  readonly expire?: string
}

/** What a list is narrowed to. **Shape** `createdBy` is a key's id, `name` a part of the name; together they narrow on. */
interface ListFilter {
  readonly createdBy?: string
  readonly name?: string
  readonly status?: Status
}

/** **Shape** `position` is the `next` of an earlier page with the same filter; absent starts at the beginning. */
export interface ListOptions extends ListFilter {
  readonly limit: number
  readonly position?: string
}

/** **Shape** `force` revokes the last Admin of everything, too. */
interface RevokeOptions {
  readonly force?: boolean
}

/** **Shape** `next` is present when there is more: base64url, at most 1,024 characters. */
export interface KeyPage {
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly next?: string
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
    readonly list: (caller: Caller, options: ListOptions) => Effect.Effect<KeyPage, Failure>
    /** Gets one of those that `list` shows. **Errors** `RoleForbidden`, `KeyNotFound`. */
    readonly get: (caller: Caller, id: string) => Effect.Effect<ApiKey, Failure>
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

/** Where keys come from and go to, and how long they may be made for. */
interface Keys {
  readonly config: KeyConfig["Service"]
  readonly store: KeyStore["Service"]
  readonly maxLifetime: Duration.Duration
}

const make = Effect.fnUntraced(function* () {
  const keys: Keys = { config: yield* KeyConfig, store: yield* KeyStore, maxLifetime: yield* MaxLifetime }
  /** One at a time: of two Admins that revoke each other at once, one stays. */
  const turn = yield* Semaphore.make(1)
  return KeyIssuer.of({
    create: Effect.fn("KeyIssuer.create")((caller, options) => create(keys, caller, options)),
    list: Effect.fn("KeyIssuer.list")((caller, options) => list(keys, caller, options)),
    get: Effect.fn("KeyIssuer.get")((caller, id) => get(keys, caller, id)),
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
  if (!Rule.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
  const latest = caller.expiresAt
  if (asked !== undefined && latest !== undefined && DateTime.isGreaterThan(asked, latest)) {
    return yield* refuse(new ExpiryNotContained({ latest: DateTime.formatIso(latest) }))
  }
  const expiresAt = asked ?? latest
  const expiry = expiresAt === undefined ? {} : { expiresAt }
  const { key, record } = yield* newKey({ name, rule, createdBy: caller.keyId, ...expiry })
  yield* store.insert(record)
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": record.id })
  yield* Effect.logInfo("key created", noted(record, caller))
  return { key, apiKey: ofCreated(record, now) }
})

/** The caller's keys of the store after a place, at most `wanted`. */
const scan = Effect.fnUntraced(function* (
  { store }: Keys,
  caller: Caller,
  wanted: number,
  after: Position | undefined,
  isWanted: (key: KeyRecord) => boolean
): Effect.fn.Return<ReadonlyArray<KeyRecord>, KeyStoreError> {
  const found: Array<KeyRecord> = []
  let from = after
  while (found.length < wanted) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    found.push(...page.filter(visibleTo(caller)).filter(isWanted))
    from = page.at(-1)
    if (page.length < SCAN) break
  }
  return found.slice(0, wanted)
})

const list = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  { limit, position, ...filter }: ListOptions
): Effect.fn.Return<KeyPage, Failure> {
  yield* requireRole(caller, "read")
  const from = position === undefined ? undefined : ListPosition.parse(position)
  if (position !== undefined && from === undefined) return yield* refuse(new InvalidPosition({}))
  const now = yield* DateTime.now
  const { byId } = yield* keys.config.current
  const configured =
    from?.source === "created"
      ? []
      : [...byId.values()]
          .filter(visibleTo(caller))
          .filter((key) => matches(ofConfigured(key, now), filter))
          .filter((key) => from === undefined || configuredOrder(key, from.after) > 0)
          .toSorted(configuredOrder)
  // One more than asked for tells whether there is more.
  const created = yield* scan(
    keys,
    caller,
    limit + 1 - configured.length,
    from?.source === "created" ? from.after : undefined,
    (key) => matches(ofCreated(key, now), filter)
  )
  const rows = [
    ...configured.map((key): Row => ({
      position: { source: "configured", after: key },
      apiKey: ofConfigured(key, now)
    })),
    ...created.map((key): Row => ({ position: { source: "created", after: key }, apiKey: ofCreated(key, now) }))
  ]
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    apiKeys: shown.map(({ apiKey }) => apiKey),
    ...(last === undefined ? {} : { next: ListPosition.print(last.position) })
  }
})

const find = Effect.fnUntraced(function* ({ config, store }: Keys, id: string): Effect.fn.Return<Found, Failure> {
  const configured = (yield* config.current).byId.get(id)
  if (configured !== undefined) return { source: "configured", key: configured }
  const created = Option.getOrUndefined(yield* store.find(id))
  return created === undefined ? yield* refuse(new KeyNotFound({})) : { source: "created", key: created }
})

const get = Effect.fnUntraced(function* (keys: Keys, caller: Caller, id: string): Effect.fn.Return<ApiKey, Failure> {
  yield* requireRole(caller, "read")
  const found = yield* find(keys, id)
  if (!visibleTo(caller)(found.key)) return yield* refuse(new KeyNotFound({}))
  return show(found, yield* DateTime.now)
})

/** Tells whether nobody else is a valid Admin of everything. **Limits** at worst reads all keys once. */
const isLastAdmin = Effect.fnUntraced(function* (
  { config, store }: Keys,
  record: KeyRecord,
  now: DateTime.Utc
): Effect.fn.Return<boolean, KeyStoreError> {
  const isAdmin = (key: Lifespan & { readonly rule: Rule.Rule }) =>
    isValid(key, now) && key.rule.role === "Admin" && Rule.isUnscoped(key.rule)
  if (!isAdmin(record) || [...(yield* config.current).byId.values()].some(isAdmin)) return false
  let from: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    if (page.some((key) => key.id !== record.id && isAdmin(key))) return false
    from = page.at(-1)
    if (page.length < SCAN) return true
  }
})

const revoke = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { force = false }: RevokeOptions = {}
): Effect.fn.Return<ApiKey, Failure> {
  const isOwn = id === caller.keyId
  if (!isOwn) yield* requireRole(caller, "delete")
  const { key, source } = yield* find(keys, id)
  if (!isOwn && !visibleTo(caller)(key)) return yield* refuse(new KeyNotFound({}))
  if (source === "configured") return yield* refuse(new KeyConfigured({}))
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": id })
  const now = yield* DateTime.now
  if (!force && (yield* isLastAdmin(keys, key, now))) return yield* refuse(new LastAdmin({}))
  const revoked = Option.getOrUndefined(yield* keys.store.revoke(id, now, caller.keyId))
  if (revoked === undefined) return yield* refuse(new KeyNotFound({}))
  if (key.revokedAt === undefined) yield* Effect.logInfo("key revoked", noted(revoked, caller))
  return ofCreated(revoked, now)
})

const whoami = Effect.fnUntraced(function* (keys: Keys, caller: Caller): Effect.fn.Return<ApiKey, Failure> {
  return show(yield* find(keys, caller.keyId), yield* DateTime.now)
})

type Found =
  | { readonly source: "configured"; readonly key: LoadedKey }
  | { readonly source: "created"; readonly key: KeyRecord }

interface Row {
  readonly position: ListPosition.ListPosition
  readonly apiKey: ApiKey
}

/** What the log tells of a key. **Shape** neither the secret nor its hash. */
const noted = ({ expiresAt, id, name, rule }: KeyRecord, caller: Caller) => ({
  key: id,
  name,
  role: rule.role,
  by: caller.keyId,
  ...(expiresAt === undefined ? {} : { expiresAt: DateTime.formatIso(expiresAt) })
})

const matches = (key: ApiKey, { createdBy, name, status }: ListFilter): boolean =>
  (createdBy === undefined || key.createdBy === createdBy)
  && (name === undefined || key.name.includes(name))
  && (status === undefined || key.status === status)

const show = (found: Found, now: DateTime.Utc): ApiKey =>
  found.source === "configured" ? ofConfigured(found.key, now) : ofCreated(found.key, now)

const configuredOrder: Order.Order<ListPosition.ConfiguredPosition> = Order.combine(
  Order.mapInput(Order.String, (key: ListPosition.ConfiguredPosition) => key.name),
  Order.mapInput(Order.String, (key: ListPosition.ConfiguredPosition) => key.id)
)

const visibleTo =
  (caller: Caller) =>
  (key: { readonly rule: Rule.Rule }): boolean =>
    Rule.isWithin(key.rule, caller.rule)

const requireRole = (caller: Caller, verb: RoleForbidden["verb"]): Effect.Effect<void, KeyError> =>
  Access.decide(caller.rule, "apiKeys", verb) === "allowed" ? Effect.void : refuse(new RoleForbidden({ verb }))

const refuse = (reason: KeyError["reason"]): Effect.Effect<never, KeyError> => Effect.fail(new KeyError({ reason }))
