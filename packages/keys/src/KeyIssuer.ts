/**
 * Makes, lists and revokes keys on behalf of a caller, who never reaches beyond its own rule.
 *
 * @since 0.1.0
 */
import { Context, DateTime, type Duration, Effect, Layer, Option, Order, Schema } from "effect"
import * as Access from "./Access.ts"
import { type ApiKey, type CreatedApiKey, KeyName } from "./ApiKey.ts"
import * as Expiry from "./Expiry.ts"
import { ofConfigured, ofCreated } from "./ApiKeyView.ts"
import * as ListPosition from "./ListPosition.ts"
import { newKey } from "./NewKey.ts"
import { KeyConfig, type LoadedKey } from "./KeyConfig.ts"
import {
  InvalidKeyName,
  InvalidPosition,
  KeyConfigured,
  KeyError,
  KeyNotFound,
  type KeyStoreError,
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

/** **Shape** `position` is the `next` of an earlier page; absent starts at the beginning. */
export interface ListOptions {
  readonly limit: number
  readonly position?: string
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
     * **Errors** `RoleForbidden`, `InvalidKeyName`, `InvalidExpiry`, `RuleNotContained`, in this order.
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
     * **Errors** `RoleForbidden`, `KeyNotFound`, `KeyConfigured`.
     */
    readonly revoke: (caller: Caller, id: string) => Effect.Effect<void, Failure>
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
  return KeyIssuer.of({
    create: Effect.fn("KeyIssuer.create")((caller, options) => create(keys, caller, options)),
    list: Effect.fn("KeyIssuer.list")((caller, options) => list(keys, caller, options)),
    get: Effect.fn("KeyIssuer.get")((caller, id) => get(keys, caller, id)),
    revoke: Effect.fn("KeyIssuer.revoke")((caller, id) => revoke(keys, caller, id)),
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
  const expiry =
    expire === undefined
      ? {}
      : { expiresAt: yield* Effect.fromResult(Expiry.parse(expire, { now, maxLifetime })).pipe(Effect.catch(refuse)) }
  if (!Rule.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
  const { key, record } = yield* newKey({ name, rule, createdBy: caller.keyId, ...expiry })
  yield* store.insert(record)
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": record.id })
  return { key, apiKey: ofCreated(record, now) }
})

/** The caller's keys of the store after a place, at most `wanted`. */
const scan = Effect.fnUntraced(function* (
  { store }: Keys,
  caller: Caller,
  wanted: number,
  after: Position | undefined
): Effect.fn.Return<ReadonlyArray<KeyRecord>, KeyStoreError> {
  const found: Array<KeyRecord> = []
  let from = after
  while (found.length < wanted) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    found.push(...page.filter(visibleTo(caller)))
    from = page.at(-1)
    if (page.length < SCAN) break
  }
  return found.slice(0, wanted)
})

const list = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  { limit, position }: ListOptions
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
          .filter((key) => from === undefined || configuredOrder(key, from.after) > 0)
          .toSorted(configuredOrder)
  // One more than asked for tells whether there is more.
  const created = yield* scan(
    keys,
    caller,
    limit + 1 - configured.length,
    from?.source === "created" ? from.after : undefined
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

const revoke = Effect.fnUntraced(function* (keys: Keys, caller: Caller, id: string): Effect.fn.Return<void, Failure> {
  const isOwn = id === caller.keyId
  if (!isOwn) yield* requireRole(caller, "delete")
  const { key, source } = yield* find(keys, id)
  if (!isOwn && !visibleTo(caller)(key)) return yield* refuse(new KeyNotFound({}))
  if (source === "configured") return yield* refuse(new KeyConfigured({}))
  yield* Effect.annotateCurrentSpan({ "quarterdeck.key": id })
  yield* keys.store.revoke(id, yield* DateTime.now)
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
