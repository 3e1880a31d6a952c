/**
 * Renames and narrows keys, and gives them new secrets.
 */
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { type ApiKey, type CreatedApiKey, KeyName } from "./ApiKey.ts"
import { ofCreated } from "./ApiKeyView.ts"
import * as Expiry from "./Expiry.ts"
import * as Grace from "./Grace.ts"
import { InvalidKeyName, KeyEnded, LastAdmin, RuleNotContained } from "./KeyError.ts"
import {
  type Caller,
  endOf,
  type Failure,
  findValid,
  isAdminOfAll,
  isLastAdmin,
  type Keys,
  noted,
  refuse,
  requireRole
} from "./KeyRealm.ts"
import { newKey } from "./NewKey.ts"
import * as Rule from "./Rule.ts"
import * as RuleContainment from "./RuleContainment.ts"

/**
 * What an update changes; an absent field stays as it is.
 *
 * **Shape** `force` narrows the last Admin of everything, too.
 */
export interface UpdateOptions {
  readonly name?: string
  readonly rule?: Rule.Rule
  readonly force?: boolean
}

/**
 * When the old key of a rotation ends, and when the new one does.
 *
 * **Shape** `grace` as `Grace.parse` reads it, `0h` when absent; `expire` as `Expiry.parse` does, absent keeps the end.
 */
export interface RotateOptions {
  readonly grace?: string
  readonly expire?: string
}

export const update = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { force = false, name, rule }: UpdateOptions
): Effect.fn.Return<ApiKey, Failure> {
  yield* requireRole(caller, "operate")
  if (name !== undefined && !Schema.is(KeyName)(name)) return yield* refuse(new InvalidKeyName({}))
  const key = yield* findValid(keys, caller, id)
  const now = yield* DateTime.now
  if (rule !== undefined) {
    if (!RuleContainment.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
    if (!RuleContainment.isWithin(rule, key.rule)) return yield* refuse(new RuleNotContained({ exceeds: "present" }))
    if (!force && !isAdminOfAll(rule) && (yield* isLastAdmin(keys, key, now))) return yield* refuse(new LastAdmin({}))
  }
  const change = { ...(name === undefined ? {} : { name }), ...(rule === undefined ? {} : { rule }) }
  const changed = Option.getOrUndefined(yield* keys.store.update(id, change))
  if (changed === undefined) return yield* refuse(new KeyEnded({}))
  yield* Effect.logInfo("key changed", noted(changed, caller))
  return ofCreated(changed, now)
})

export const rotate = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { expire, grace = "0h" }: RotateOptions
): Effect.fn.Return<CreatedApiKey, Failure> {
  if (id !== caller.keyId) yield* requireRole(caller, "operate")
  const { maxLifetime, store } = keys
  const now = yield* DateTime.now
  const length = yield* Effect.fromResult(Grace.parse(grace)).pipe(Effect.catch(refuse))
  const asked =
    expire === undefined
      ? undefined
      : yield* Effect.fromResult(Expiry.parse(expire, { now, maxLifetime })).pipe(Effect.catch(refuse))
  const old = yield* findValid(keys, caller, id)
  const expiresAt = yield* endOf(caller, asked, old.expiresAt)
  const { key, record } = yield* newKey({
    name: old.name,
    rule: old.rule,
    createdBy: caller.keyId,
    rotatedFrom: id,
    ...(expiresAt === undefined ? {} : { expiresAt })
  })
  const endsAt = DateTime.addDuration(now, length)
  const ended = Option.getOrUndefined(yield* store.rotate(id, { at: now, endsAt, successor: record }))
  if (ended === undefined) return yield* refuse(new KeyEnded({}))
  yield* Effect.logInfo("key rotated", { ...noted(record, caller), from: id, grace: Duration.format(length) })
  return { key, apiKey: ofCreated(record, now) }
})
