/**
 * The deploy-time keys that are in force, read from a file and kept up to date with it.
 */
import { Context, DateTime, Effect, Layer, Metric, Option, Ref, type Scope, Stream } from "effect"
import { dirname } from "node:path"
import { directoryChanges, readText } from "./FileText.ts"
import { KeysFileError, type KeyStoreError } from "./KeyError.ts"
import type { KeyHash } from "./KeyHash.ts"
import * as KeysFile from "./KeysFile.ts"
import { KeyStore } from "./KeyStore.ts"

/** How often the file is looked at, whatever its directory tells; a change counts within 5 s. */
const POLL_INTERVAL = "2 seconds"
/** What is written in several steps has this long to settle. */
const SETTLE = "100 millis"
/** How many hashes are looked up in the store at once. */
const STORE_READS = 8
/** How many removed hashes are remembered, the latest: enough to tell their owners for as long as it matters. */
const MAX_REMOVED = 10_000

const entriesGauge = Metric.gauge("quarterdeck_key_config_entries", { description: "Deploy-time keys in force" })
const refusedGauge = Metric.gauge("quarterdeck_key_config_refused_entries", {
  description: "Entries of the deploy-time keys that are wrong and did not load"
})
const alarmGauge = Metric.gauge("quarterdeck_key_config_alarm", {
  description: "1 while the deploy-time keys cannot be read and the last good ones stay in force"
})

/** A deploy-time key in force. **Shape** `loadedAt` is when this program first loaded its hash. */
export interface LoadedKey extends KeysFile.ConfiguredKey {
  readonly loadedAt: DateTime.Utc
}

/** The keys in force at one instant. **Shape** `removed` once were, in the life of this program, and are no more. */
export interface LoadedKeys {
  readonly byHash: ReadonlyMap<KeyHash, LoadedKey>
  readonly byId: ReadonlyMap<string, LoadedKey>
  readonly removed: ReadonlySet<KeyHash>
}

/**
 * What an operator must know.
 *
 * **Shape** `refused` are wrong entries of the file in force. `alarm` is set while the file cannot be used, so that an
 * older content stays in force.
 */
export interface Health {
  readonly refused: ReadonlyArray<KeysFile.RefusedEntry>
  readonly alarm?: { readonly since: DateTime.Utc; readonly problem: string }
}

const NONE: LoadedKeys = { byHash: new Map(), byId: new Map(), removed: new Set() }

export class KeyConfig extends Context.Service<
  KeyConfig,
  {
    /** The keys in force now. **Limits** no I/O. */
    readonly current: Effect.Effect<LoadedKeys>
    /** What readiness tells about the file. **Limits** no I/O. */
    readonly health: Effect.Effect<Health>
  }
>()("@quarterdeck/keys/KeyConfig") {
  /** A deployment without deploy-time keys. */
  static readonly layerNone: Layer.Layer<KeyConfig> = Layer.succeed(KeyConfig, {
    current: Effect.succeed(NONE),
    health: Effect.succeed({ refused: [] })
  })

  /**
   * Tells whether a file can be used at all, before anything is opened for it.
   *
   * **Errors** `KeysFileError`; single entries are judged when they are loaded.
   */
  static readonly check = (path: string): Effect.Effect<void, KeysFileError> =>
    Effect.flatMap(read(path), (text) => Effect.asVoid(parsed(path, text)))

  /**
   * Loads the keys of a file and follows it.
   *
   * **Shape** a change is taken over as a whole: an entry that is gone is revoked. A file that breaks or vanishes
   * leaves the last good keys in force and raises the alarm: log, metric, {@link Health}. An entry whose hash is that
   * of a created key is refused.
   *
   * **Errors** at start only: `KeysFileError`, `KeyStoreError`.
   *
   * **Limits** 1 MiB; the directory is watched and the file read every 2 s.
   */
  static readonly layerFile = (path: string): Layer.Layer<KeyConfig, KeysFileError | KeyStoreError, KeyStore> =>
    Layer.effect(KeyConfig, follow(path))
}

const read = (path: string): Effect.Effect<string, KeysFileError> =>
  Effect.mapError(readText(path, KeysFile.MAX_BYTES), (problem) => new KeysFileError({ path, problem }))

const parsed = (path: string, text: string): Effect.Effect<KeysFile.KeysFile, KeysFileError> =>
  Effect.mapError(
    Effect.fromResult(KeysFile.parse(text)),
    ({ message }) => new KeysFileError({ path, problem: message })
  )

/** What is in force, and what stands in the way of taking over the file as it is now. */
interface State {
  /** The text in force. */
  readonly text: string
  readonly keys: LoadedKeys
  readonly refused: ReadonlyArray<KeysFile.RefusedEntry>
  readonly failure?: Failure
}

/** **Shape** `text` is set when the text itself is at fault, so that reading it again would not help. */
interface Failure {
  readonly since: DateTime.Utc
  readonly problem: string
  readonly text?: string
}

const follow = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<KeyConfig["Service"], KeysFileError | KeyStoreError, KeyStore | Scope.Scope> {
  const store = yield* KeyStore

  const load = Effect.fnUntraced(function* (
    text: string,
    before: LoadedKeys
  ): Effect.fn.Return<State, KeysFileError | KeyStoreError> {
    const { keys, refused } = yield* withoutCreated(yield* parsed(path, text), store)
    const now = yield* DateTime.now
    yield* report(path, { keys, refused }, now)
    return { text, keys: replace(before, keys, now), refused }
  })

  const state = yield* Ref.make(yield* Effect.flatMap(read(path), (text) => load(text, NONE)))
  yield* Metric.update(alarmGauge, 0)

  const fail = Effect.fnUntraced(function* (problem: string, text?: string) {
    const before = yield* Ref.get(state)
    const since = before.failure?.since ?? (yield* DateTime.now)
    yield* Ref.set(state, { ...before, failure: { since, problem, ...(text === undefined ? {} : { text }) } })
    yield* Metric.update(alarmGauge, 1)
    if (before.failure?.problem === problem) return
    yield* Effect.logError(`${problem}; the keys that were loaded before stay in force`)
  })

  const succeed = Effect.fnUntraced(function* ({ keys, refused, text }: State) {
    yield* Ref.set(state, { keys, refused, text })
    yield* Metric.update(alarmGauge, 0)
  })

  const check = Effect.gen(function* () {
    const text = yield* read(path)
    const before = yield* Ref.get(state)
    if (text === before.failure?.text) return
    if (text !== before.text) {
      const next = yield* load(text, before.keys).pipe(
        Effect.catchTag("KeysFileError", ({ message }) => Effect.as(fail(message, text), undefined))
      )
      return next === undefined ? undefined : yield* succeed(next)
    }
    if (before.failure === undefined) return
    yield* succeed(before)
    yield* Effect.logInfo(`keys file ${path} is again the one in force`)
  }).pipe(
    Effect.catch(({ message }) => fail(message)),
    // Without this the keys would stay as they are for ever, and nobody would know.
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("the keys file was not checked", defect),
        fail(`keys file ${path}: the check failed`)
      )
    )
  )

  yield* Stream.merge(directoryChanges(dirname(path)), Stream.tick(POLL_INTERVAL)).pipe(
    Stream.runForEach(() => Effect.andThen(Effect.sleep(SETTLE), check)),
    Effect.forkScoped
  )

  return {
    current: Effect.map(Ref.get(state), ({ keys }) => keys),
    health: Effect.map(Ref.get(state), ({ failure, refused }) => ({
      refused,
      ...(failure === undefined ? {} : { alarm: { since: failure.since, problem: failure.problem } })
    }))
  }
})

/** Refuses every entry whose hash is that of a created key: one secret must not have two rules. */
const withoutCreated = Effect.fnUntraced(function* (
  file: KeysFile.KeysFile,
  store: KeyStore["Service"]
): Effect.fn.Return<KeysFile.KeysFile, KeyStoreError> {
  const created = yield* Effect.filter(file.keys, ({ hash }) => Effect.map(store.findByHash(hash), Option.isSome), {
    concurrency: STORE_READS
  })
  const clashes = created.map(({ index }) => ({ index, field: "hash", problem: "is that of a created key" }))
  return {
    keys: file.keys.filter((key) => !created.includes(key)),
    refused: [...file.refused, ...clashes].toSorted((one, other) => one.index - other.index)
  }
})

const replace = (before: LoadedKeys, keys: ReadonlyArray<KeysFile.ConfiguredKey>, now: DateTime.Utc): LoadedKeys => {
  const loaded = keys.map((key): LoadedKey => ({ ...key, loadedAt: before.byHash.get(key.hash)?.loadedAt ?? now }))
  const byHash = new Map(loaded.map((key) => [key.hash, key]))
  const gone = [...before.removed, ...before.byHash.keys()].filter((hash) => !byHash.has(hash))
  return {
    byHash,
    byId: new Map(loaded.map((key) => [key.id, key])),
    removed: new Set(gone.slice(-MAX_REMOVED))
  }
}

const report = Effect.fnUntraced(function* (path: string, { keys, refused }: KeysFile.KeysFile, now: DateTime.Utc) {
  for (const { field, index, problem } of refused) {
    yield* Effect.logError(
      `keys file ${path}: entry ${index} is refused: ${field === "" ? "" : `${field}: `}${problem}`
    )
  }
  for (const { expiresAt, index } of keys) {
    if (expiresAt === undefined || DateTime.isLessThan(now, expiresAt)) continue
    yield* Effect.logWarning(`keys file ${path}: entry ${index} has expired`)
  }
  yield* Metric.update(entriesGauge, keys.length)
  yield* Metric.update(refusedGauge, refused.length)
  yield* Effect.logInfo(`keys file ${path}: loaded ${keys.length}, refused ${refused.length}`)
})
