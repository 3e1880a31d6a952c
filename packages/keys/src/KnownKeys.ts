/**
 * The hashes of all valid keys, in memory. They distinguish valid keys from guesses without a store lookup.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Schedule } from "effect"
import { KeyConfig } from "./KeyConfig.ts"
import type { KeyStoreError } from "./KeyError.ts"
import type { KeyHash } from "./KeyHash.ts"
import { type KeyRecord, KeyStore, type Position } from "./KeyStore.ts"

/** Interval at which all keys are read again, to see the changes of other processes. */
const REFRESH = "15 seconds"
const PAGE = 500

export class KnownKeys extends Context.Service<
  KnownKeys,
  {
    /**
     * Checks whether a valid key has the hash.
     *
     * **Shape** the result may be stale. It only decides whether a request counts as a failed attempt; authentication reads
     * the store.
     *
     * **Limits** no I/O.
     */
    readonly isValid: (hash: KeyHash) => Effect.Effect<boolean>
  }
>()("@quarterdeck/keys/KnownKeys") {
  /**
   * Wraps the key store and records the changes that pass through it.
   *
   * **Errors** `KeyStoreError` if the keys cannot be read at start. Later failures are logged and retried.
   *
   * **Limits** about 200 bytes per key. All keys are read every 15 s, 500 at a time.
   */
  static readonly layer: Layer.Layer<KnownKeys | KeyStore, KeyStoreError, KeyConfig | KeyStore> = Layer.effectContext(
    Effect.suspend(() => make())
  )
}

/**
 * The expiry of each valid key, by hash; `Infinity` for a key without an expiry. **Units** milliseconds since the
 * epoch.
 */
type Ends = Map<KeyHash, number>

const endOf = ({ expiresAt, revokedAt }: KeyRecord): number => {
  if (revokedAt !== undefined) return Number.NEGATIVE_INFINITY
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(expiresAt)
}

const put = (ends: Ends, hash: KeyHash, end: number): void => {
  if (end === Number.NEGATIVE_INFINITY) ends.delete(hash)
  else ends.set(hash, end)
}

const make = Effect.fnUntraced(function* () {
  const config = yield* KeyConfig
  const inner = yield* KeyStore
  let ends: Ends = new Map()
  // Keys that changed while a refresh was running. Their new state replaces the state that the refresh read.
  let changed: Ends | undefined

  const note = (record: KeyRecord) => {
    const end = endOf(record)
    put(ends, record.hash, end)
    changed?.set(record.hash, end)
  }
  const noteAll = (...records: ReadonlyArray<KeyRecord>) => Effect.sync(() => records.forEach(note))
  const noteFound = (found: Option.Option<KeyRecord>, ...more: ReadonlyArray<KeyRecord>) =>
    Option.match(found, { onNone: () => Effect.void, onSome: (record) => noteAll(record, ...more) })

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const found: Ends = new Map()
    const meanwhile: Ends = new Map()
    changed = meanwhile
    let after: Position | undefined
    for (;;) {
      const page = yield* inner.list({ limit: PAGE, ...(after === undefined ? {} : { after }) })
      for (const record of page) if (endOf(record) > now) found.set(record.hash, endOf(record))
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = { createdAt: last.createdAt, id: last.id }
    }
    for (const [hash, end] of meanwhile) put(found, hash, end)
    ends = found
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        changed = undefined
      })
    )
  )

  yield* read
  const readAgain = read.pipe(
    Effect.catch((error) => Effect.logWarning("the known keys could not be refreshed; retrying in 15 s", error))
  )
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(REFRESH), Effect.repeat(readAgain, Schedule.spaced(REFRESH))))

  const known = KnownKeys.of({
    isValid: Effect.fnUntraced(function* (hash: KeyHash) {
      const now = yield* Clock.currentTimeMillis
      const configured = (yield* config.current).byHash.get(hash)
      if (configured !== undefined) {
        return configured.expiresAt === undefined || now < DateTime.toEpochMillis(configured.expiresAt)
      }
      return now < (ends.get(hash) ?? Number.NEGATIVE_INFINITY)
    })
  })
  const store = KeyStore.of({
    // Delegates each method: the inner store may be an instance of a class, whose methods a spread would not copy.
    findByHash: (hash) => inner.findByHash(hash),
    find: (id) => inner.find(id),
    list: (options) => inner.list(options),
    update: (id, change) => inner.update(id, change),
    touch: (uses) => inner.touch(uses),
    count: inner.count,
    findLiving: (lines, at) => inner.findLiving(lines, at),
    insert: (record, quota) => Effect.tap(inner.insert(record, quota), () => noteAll(record)),
    revoke: (id, at, by) => Effect.tap(inner.revoke(id, at, by), (found) => noteFound(found)),
    revokeAll: (ids, at, by) => Effect.tap(inner.revokeAll(ids, at, by), (found) => noteAll(...found)),
    rotate: (id, rotation) => Effect.tap(inner.rotate(id, rotation), (found) => noteFound(found, rotation.successor))
  })
  return Context.make(KnownKeys, known).pipe(Context.add(KeyStore, store))
})
