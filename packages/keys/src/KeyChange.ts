/**
 * Updates keys, and rotates them to new secrets.
 */
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import * as AllowFrom from "./AllowFrom.ts"
import { type ApiKey, type CreatedApiKey, KeyName } from "./ApiKey.ts"
import * as Grace from "./Grace.ts"
import { AllowFromNotContained, InvalidKeyName, KeyEnded, LastAdmin, RuleNotContained } from "./KeyError.ts"
import {
  areLastAdmins,
  type Caller,
  checkDescription,
  endOf,
  type Failure,
  findValid,
  isAdminOfAll,
  type Keys,
  makerOf,
  noted,
  readAllowFrom,
  readEnd,
  refuse,
  requireRole,
  showCreated,
  withinQuota
} from "./KeyRealm.ts"
import { lineOf } from "./KeyStore.ts"
import { newKey } from "./NewKey.ts"
import * as Rule from "./Rule.ts"
import * as RuleContainment from "./RuleContainment.ts"

/**
 * Fields that an update changes. An absent field stays as it is.
 *
 * **Shape** an empty description removes the description. `force` also narrows the last valid Admin without a scope.
 */
export interface UpdateOptions {
  readonly name?: string
  readonly description?: string
  readonly rule?: Rule.Rule
  readonly allowFrom?: AllowFrom.AllowFrom
  readonly force?: boolean
}

/**
 * Expiry of the old and of the new key of a rotation.
 *
 * **Shape** `grace`: see `Grace.parse`; `0h` when absent. `expire`: see `Expiry.parse`; when absent, the new key keeps the
 * expiry of the old key.
 */
export interface RotateOptions {
  readonly grace?: string
  readonly expire?: string
}

export const update = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { allowFrom, description, force = false, name, rule }: UpdateOptions
): Effect.fn.Return<ApiKey, Failure> {
  yield* requireRole(caller, "operate")
  if (name !== undefined && !Schema.is(KeyName)(name)) return yield* refuse(new InvalidKeyName({}))
  yield* checkDescription(description)
  const addresses = yield* readAllowFrom(allowFrom)
  const key = yield* findValid(keys, caller, id)
  const now = yield* DateTime.now
  if (addresses !== undefined) {
    if (!AllowFrom.isWithin(addresses, caller.allowFrom)) {
      return yield* refuse(new AllowFromNotContained({ exceeds: "caller" }))
    }
    if (!AllowFrom.isWithin(addresses, key.allowFrom)) {
      return yield* refuse(new AllowFromNotContained({ exceeds: "present" }))
    }
  }
  if (rule !== undefined) {
    if (!RuleContainment.isWithin(rule, caller.rule)) return yield* refuse(new RuleNotContained({}))
    if (!RuleContainment.isWithin(rule, key.rule)) return yield* refuse(new RuleNotContained({ exceeds: "present" }))
    if (!force && !isAdminOfAll(rule) && (yield* areLastAdmins(keys, [key], now)))
      return yield* refuse(new LastAdmin({}))
  }
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(rule === undefined ? {} : { rule }),
    ...(addresses === undefined ? {} : { allowFrom: addresses })
  }
  const changed = Option.getOrUndefined(yield* keys.store.update(id, change))
  if (changed === undefined) return yield* refuse(new KeyEnded({}))
  yield* Effect.logInfo("key changed", noted(changed, caller))
  return yield* showCreated(keys, changed, now)
})

export const rotate = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string,
  { expire, grace = "0h" }: RotateOptions
): Effect.fn.Return<CreatedApiKey, Failure> {
  if (id !== caller.keyId) yield* requireRole(caller, "operate")
  const now = yield* DateTime.now
  const length = yield* Effect.fromResult(Grace.parse(grace)).pipe(Effect.catch(refuse))
  // Refuses an invalid `expire` before the lookup, so that the reply does not depend on whether the key exists.
  if (expire !== undefined) yield* readEnd(keys, caller, expire, now)
  const old = yield* findValid(keys, caller, id)
  const asked = yield* readEnd(keys, caller, expire, now, old.expiresAt)
  if (!AllowFrom.isWithin(old.allowFrom, caller.allowFrom)) {
    return yield* refuse(new AllowFromNotContained({ exceeds: "caller" }))
  }
  const expiresAt = yield* endOf(caller, asked, old.expiresAt)
  yield* makerOf(keys, caller, now)
  const line = lineOf(old)
  const { key, record } = yield* newKey({
    name: old.name,
    ...(old.description === undefined ? {} : { description: old.description }),
    rule: old.rule,
    ...(old.allowFrom === undefined ? {} : { allowFrom: old.allowFrom }),
    createdBy: caller.keyId,
    line,
    maker: old.maker ?? line,
    rotatedFrom: id,
    ...(expiresAt === undefined ? {} : { expiresAt })
  })
  const endsAt = DateTime.addDuration(now, length)
  const quota = { most: keys.maxPerMaker, at: now }
  const rotation = keys.store.rotate(id, { at: now, endsAt, successor: record, quota })
  const ended = Option.getOrUndefined(yield* withinQuota(keys, rotation))
  if (ended === undefined) return yield* refuse(new KeyEnded({}))
  yield* Effect.logInfo("key rotated", { ...noted(record, caller), from: id, grace: Duration.format(length) })
  return { key, apiKey: yield* showCreated(keys, record, now) }
})
