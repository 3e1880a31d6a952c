/**
 * A key and its descendants: the keys that it created or was rotated to, and their descendants.
 */
import { DateTime, Effect } from "effect"
import { type ApiKey, isValid } from "./ApiKey.ts"
import { DescendantNotContained, KeyNotFound, LastAdmin } from "./KeyError.ts"
import type { KeyStoreError } from "./KeyError.ts"
import {
  areLastAdmins,
  type Caller,
  type Failure,
  find,
  findCreated,
  type Keys,
  noted,
  refuse,
  requireRole,
  SCAN,
  showCreated,
  visibleTo
} from "./KeyRealm.ts"
import type { KeyRecord, KeyStore, Position } from "./KeyStore.ts"

/**
 * Options of a revocation.
 *
 * **Shape** `force` also revokes the last valid Admin without a scope. `admit` runs after every check has passed, before a
 * key is revoked; if it fails, no key is revoked. `admit` does not run if all of the keys are revoked already.
 */
export interface RevokeOptions<E = never, R = never> {
  readonly force?: boolean
  readonly admit?: Effect.Effect<void, E, R>
}

/** A revoked key. **Shape** `descendants`: number of valid keys that were revoked with it. */
export interface RevokedFamily {
  readonly apiKey: ApiKey
  readonly descendants: number
}

/** Passes every key to a visitor, a page at a time. */
const visitAll = Effect.fnUntraced(function* (
  store: KeyStore["Service"],
  visit: (record: KeyRecord) => void
): Effect.fn.Return<void, KeyStoreError> {
  let after: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(after === undefined ? {} : { after }) })
    for (const record of page) visit(record)
    after = page.at(-1)
    if (page.length < SCAN) return
  }
})

/**
 * Finds the valid descendants of a key. Descent also passes through expired and revoked keys.
 *
 * **Limits** reads all keys twice; memory grows with the ids of all keys and the records of the descendants.
 */
const findDescendants = Effect.fnUntraced(function* (
  { store }: Keys,
  root: string,
  now: DateTime.Utc
): Effect.fn.Return<ReadonlyArray<KeyRecord>, KeyStoreError> {
  const childrenOf = new Map<string, Array<string>>()
  yield* visitAll(store, ({ createdBy, id, rotatedFrom }) => {
    for (const parent of [createdBy, rotatedFrom]) {
      if (parent === undefined) continue
      const children = childrenOf.get(parent)
      if (children === undefined) childrenOf.set(parent, [id])
      else children.push(id)
    }
  })
  const family = new Set([root])
  // Iterating a set also visits elements that are added during the loop, each once.
  for (const id of family) for (const child of childrenOf.get(id) ?? []) family.add(child)
  family.delete(root)
  const found: Array<KeyRecord> = []
  if (family.size === 0) return found
  yield* visitAll(store, (record) => {
    if (family.has(record.id) && isValid(record, now)) found.push(record)
  })
  return found
})

/** Counts the valid descendants of a key that the caller may see. **Errors** `RoleForbidden`, `KeyNotFound`. */
export const count = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  id: string
): Effect.fn.Return<number, Failure> {
  yield* requireRole(caller, "read")
  const { key } = yield* find(keys, id)
  if (!visibleTo(caller)(key)) return yield* refuse(new KeyNotFound({}))
  return (yield* findDescendants(keys, id, yield* DateTime.now)).length
})

/** Revokes a key and its descendants, all or none. A key that is already revoked stays unchanged. */
export const revoke = Effect.fnUntraced(function* <E = never, R = never>(
  keys: Keys,
  caller: Caller,
  id: string,
  { admit = Effect.void, force = false }: RevokeOptions<E, R> = {}
): Effect.fn.Return<RevokedFamily, Failure | E, R> {
  yield* requireRole(caller, "delete")
  const root = yield* findCreated(keys, caller, id)
  const now = yield* DateTime.now
  const descendants = yield* findDescendants(keys, id, now)
  const isVisible = visibleTo(caller)
  const outside = descendants.filter((key) => key.id !== caller.keyId && !isVisible(key)).length
  if (outside > 0) return yield* refuse(new DescendantNotContained({ count: outside }))
  const family = [root, ...descendants]
  if (!force && (yield* areLastAdmins(keys, family, now))) return yield* refuse(new LastAdmin({}))
  if (family.some((key) => key.revokedAt === undefined)) yield* admit
  const ids = family.map((key) => key.id)
  const revoked = yield* keys.store.revokeAll(ids, now, caller.keyId)
  const shown = revoked.find((key) => key.id === id)
  if (shown === undefined) return yield* refuse(new KeyNotFound({}))
  const changed = new Set(family.filter((key) => key.revokedAt === undefined).map((key) => key.id))
  yield* Effect.forEach(
    revoked.filter((key) => changed.has(key.id)),
    (key) => Effect.logInfo("key revoked", noted(key, caller)),
    { discard: true }
  )
  return { apiKey: yield* showCreated(keys, shown, now), descendants: descendants.length }
})
