/**
 * The deploy-time keys, read from files and reloaded when the files change.
 */
import { Context, DateTime, Effect, Layer, Metric, Option, Ref, type Scope, Stream } from "effect"
import { dirname, resolve } from "node:path"
import { directoryChanges, readText } from "./FileText.ts"
import { CurrentKeyEpoch } from "./KeyEpoch.ts"
import { KeysFileError, type KeyStoreError } from "./KeyError.ts"
import type { KeyHash } from "./KeyHash.ts"
import * as SecretFileAccess from "./SecretFileAccess.ts"
import * as KeysFile from "./KeysFile.ts"
import { KeyStore } from "./KeyStore.ts"

/** Interval at which the files are read even without a change event, so that a change takes effect within 5 s. */
const POLL_INTERVAL = "2 seconds"
/** Time to wait after a change event, since a file may be written in several steps. */
const SETTLE = "100 millis"
/** Maximum number of concurrent lookups in the store. */
const STORE_READS = 8
/** Maximum number of removed keys that are remembered. Their owners receive `key_revoked` instead of `invalid_key`. */
const MAX_REMOVED = 10_000

const entriesGauge = Metric.gauge("quarterdeck_key_config_entries", { description: "Deploy-time keys in force" })
const refusedGauge = Metric.gauge("quarterdeck_key_config_refused_entries", {
  description: "Invalid entries of the keys files, which were not loaded"
})
const alarmGauge = Metric.gauge("quarterdeck_key_config_alarm", {
  description: "1 while a keys file cannot be used and its last valid content stays in force"
})

/** A deploy-time key in force. **Shape** `loadedAt`: when this process first loaded its hash. */
export interface LoadedKey extends KeysFile.ConfiguredKey {
  readonly loadedAt: DateTime.Utc
}

/** The keys in force at one instant. **Shape** `removed`: keys that this process loaded earlier and that are gone now. */
export interface LoadedKeys {
  readonly byHash: ReadonlyMap<KeyHash, LoadedKey>
  readonly byId: ReadonlyMap<string, LoadedKey>
  readonly removed: ReadonlyMap<KeyHash, Pick<KeysFile.ConfiguredKey, "id" | "name">>
}

/**
 * Problems for an operator to fix.
 *
 * **Shape** `refused`: invalid entries of the loaded files. `alarm`: set while a file cannot be used and its previous
 * content stays in force.
 */
export interface Health {
  readonly refused: ReadonlyArray<KeysFile.RefusedEntry>
  readonly alarm?: { readonly since: DateTime.Utc; readonly problem: string }
}

const NONE: LoadedKeys = { byHash: new Map(), byId: new Map(), removed: new Map() }

export class KeyConfig extends Context.Service<
  KeyConfig,
  {
    /** The keys in force now. **Limits** no I/O. */
    readonly current: Effect.Effect<LoadedKeys>
    /** Problems that readiness reports about the files. **Limits** no I/O. */
    readonly health: Effect.Effect<Health>
  }
>()("@quarterdeck/keys/KeyConfig") {
  /** A deployment without deploy-time keys. */
  static readonly layerNone: Layer.Layer<KeyConfig> = Layer.succeed(KeyConfig, {
    current: Effect.succeed(NONE),
    health: Effect.succeed({ refused: [] })
  })

  /**
   * Checks that the files can be read and parsed, before the store is opened.
   *
   * **Errors** `KeysFileError`. Invalid entries are not an error; they are reported when the files are loaded.
   */
  static readonly check = (paths: ReadonlyArray<string>): Effect.Effect<void, KeysFileError> =>
    Effect.forEach(paths, readFile, { discard: true })

  /**
   * Loads the keys of several files as one list, and reloads them when a file changes.
   *
   * **Shape** a change takes effect as a whole, and a removed entry is revoked. If a file disappears or becomes invalid, its
   * last valid entries stay in force and an alarm is raised in the log, the metric and {@link Health}. The other files are
   * still reloaded. An entry with the hash of a created key is refused.
   *
   * **Errors** `KeysFileError` and `KeyStoreError`, at start only.
   *
   * **Limits** 1 MiB per file. The directories are watched, and the files are read every 2 s.
   */
  static readonly layerFiles = (
    paths: ReadonlyArray<string>
  ): Layer.Layer<KeyConfig, KeysFileError | KeyStoreError, KeyStore> => Layer.effect(KeyConfig, follow(paths))
}

/** The last valid content of a file, and the failure of its present content, if any. */
interface FollowedFile extends KeysFile.EntryList {
  /** The last valid text. */
  readonly text: string
  readonly failure?: Failure
}

/**
 * A problem with a file, and when it began.
 *
 * **Shape** `text`: the invalid text, absent if the file could not be read. The same text is not parsed again.
 */
interface Failure {
  readonly since: DateTime.Utc
  readonly problem: string
  readonly text?: string
}

interface State {
  readonly files: ReadonlyArray<FollowedFile>
  readonly keys: LoadedKeys
  readonly refused: ReadonlyArray<KeysFile.RefusedEntry>
}

const readFile = Effect.fnUntraced(function* (path: string): Effect.fn.Return<FollowedFile, KeysFileError> {
  return yield* parsed(path, yield* read(path))
})

const read = (path: string): Effect.Effect<string, KeysFileError> =>
  Effect.mapError(readText(path, KeysFile.MAX_BYTES), (problem) => new KeysFileError({ path, problem }))

const parsed = (path: string, text: string): Effect.Effect<FollowedFile, KeysFileError> =>
  Effect.fromResult(KeysFile.parseList(text)).pipe(
    Effect.mapBoth({
      onFailure: ({ message }) => new KeysFileError({ path, problem: message }),
      onSuccess: (entries) => ({ path, text, entries })
    })
  )

const failing = Effect.fnUntraced(function* (file: FollowedFile, problem: string, text?: string) {
  const since = file.failure?.since ?? (yield* DateTime.now)
  if (file.failure?.problem !== problem) {
    yield* Effect.logError(`${problem}; the keys that were loaded before stay in force`)
  }
  const failed: FollowedFile = { ...file, failure: { since, problem, ...(text === undefined ? {} : { text }) } }
  return failed
})

/** Reads a file again. **Shape** returns the same value while the file has not changed. */
const refresh = Effect.fnUntraced(
  function* (file: FollowedFile): Effect.fn.Return<FollowedFile, KeysFileError> {
    const { entries, failure, path, text } = file
    const now = yield* read(path)
    if (now === failure?.text) return file
    if (now !== text) {
      return yield* parsed(path, now).pipe(Effect.catch(({ message }) => failing(file, message, now)))
    }
    if (failure === undefined) return file
    yield* Effect.logInfo(`keys file ${path} can be used again; its keys are unchanged`)
    return { path, text, entries }
  },
  (refreshed, file) => refreshed.pipe(Effect.catch(({ message }) => failing(file, message)))
)

const load = Effect.fnUntraced(function* (
  store: KeyStore["Service"],
  files: ReadonlyArray<FollowedFile>,
  before: LoadedKeys
): Effect.fn.Return<State, KeyStoreError> {
  const { keys, refused } = KeysFile.fromLists(files, yield* createdAmong(KeysFile.hashesIn(files), store))
  const now = yield* DateTime.now
  yield* report(files, { keys, refused }, now)
  return { files, keys: replace(before, keys, now), refused }
})

const follow = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>
): Effect.fn.Return<KeyConfig["Service"], KeysFileError | KeyStoreError, KeyStore | Scope.Scope> {
  const store = yield* KeyStore
  const distinct = [...new Map(paths.map((path) => [resolve(path), path])).values()]
  const first = yield* Effect.forEach(distinct, readFile)
  const state = yield* Ref.make(yield* load(store, first, NONE))
  yield* Metric.update(alarmGauge, 0)
  for (const path of distinct) yield* SecretFileAccess.warn("keys file", path)

  const epoch = yield* CurrentKeyEpoch
  const set = Effect.fnUntraced(function* (next: State) {
    const before = yield* Ref.getAndSet(state, next)
    if (before.keys !== next.keys) epoch.raise()
    yield* Metric.update(alarmGauge, next.files.some(({ failure }) => failure !== undefined) ? 1 : 0)
  })
  /** Raises the alarm for the files that `isConcerned` selects. The loaded keys stay unchanged. */
  const failAll = Effect.fnUntraced(function* (isConcerned: (file: FollowedFile) => boolean, problem: string) {
    const before = yield* Ref.get(state)
    const files = yield* Effect.forEach(before.files, (file) =>
      isConcerned(file) ? failing(file, problem) : Effect.succeed(file)
    )
    yield* set({ ...before, files })
  })

  const check = Effect.gen(function* () {
    const before = yield* Ref.get(state)
    const files = yield* Effect.forEach(before.files, refresh)
    const changed = new Set(
      files.filter(({ text }, index) => text !== before.files[index]?.text).map(({ path }) => path)
    )
    if (changed.size === 0) return yield* set({ ...before, files })
    const next = yield* Effect.option(
      load(store, files, before.keys).pipe(
        Effect.tapError(({ message }) => failAll(({ path }) => changed.has(path), message))
      )
    )
    if (Option.isSome(next)) yield* set(next.value)
  }).pipe(
    // A defect would otherwise end the loop silently, and the keys would never be reloaded.
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("the keys files were not checked", defect),
        failAll(() => true, "keys files: the check failed")
      )
    )
  )

  const directories = [...new Set(distinct.map((path) => dirname(path)))]
  yield* Stream.mergeAll([...directories.map(directoryChanges), Stream.tick(POLL_INTERVAL)], {
    concurrency: "unbounded"
  }).pipe(
    Stream.runForEach(() => Effect.andThen(Effect.sleep(SETTLE), check)),
    Effect.forkScoped
  )

  return {
    current: Effect.map(Ref.get(state), ({ keys }) => keys),
    health: Effect.map(Ref.get(state), ({ files, refused }) => {
      const alarm = files.find(({ failure }) => failure !== undefined)?.failure
      return { refused, ...(alarm === undefined ? {} : { alarm: { since: alarm.since, problem: alarm.problem } }) }
    })
  }
})

/** Finds the hashes that belong to created keys. */
const createdAmong = Effect.fnUntraced(function* (
  hashes: ReadonlySet<KeyHash>,
  store: KeyStore["Service"]
): Effect.fn.Return<ReadonlySet<KeyHash>, KeyStoreError> {
  const created = yield* Effect.filter(hashes, (hash) => Effect.map(store.findByHash(hash), Option.isSome), {
    concurrency: STORE_READS
  })
  return new Set(created)
})

const replace = (before: LoadedKeys, keys: ReadonlyArray<KeysFile.ConfiguredKey>, now: DateTime.Utc): LoadedKeys => {
  const loaded = keys.map((key): LoadedKey => ({ ...key, loadedAt: before.byHash.get(key.hash)?.loadedAt ?? now }))
  const byHash = new Map(loaded.map((key) => [key.hash, key]))
  const ended = [...before.byHash].map(([hash, { id, name }]) => [hash, { id, name }] as const)
  const gone = [...before.removed, ...ended].filter(([hash]) => !byHash.has(hash))
  return {
    byHash,
    byId: new Map(loaded.map((key) => [key.id, key])),
    removed: new Map(gone.slice(-MAX_REMOVED))
  }
}

const report = Effect.fnUntraced(function* (
  files: ReadonlyArray<FollowedFile>,
  { keys, refused }: KeysFile.KeysFile,
  now: DateTime.Utc
) {
  const nameOf = (file: number) => `keys file ${files[file]?.path ?? ""}`
  for (const { faults, file, label, moreFaults } of refused) {
    const entry = `${nameOf(file)}: ${label} is refused`
    for (const { field, problem } of faults) {
      yield* Effect.logError(`${entry}: ${field === "" ? "" : `${field}: `}${problem}`)
    }
    if (moreFaults > 0) yield* Effect.logError(`${entry}: and for ${moreFaults} more faults`)
  }
  for (const { expiresAt, file, label } of keys) {
    if (expiresAt === undefined || DateTime.isLessThan(now, expiresAt)) continue
    yield* Effect.logWarning(`${nameOf(file)}: ${label} has expired`)
  }
  yield* Metric.update(entriesGauge, keys.length)
  yield* Metric.update(refusedGauge, refused.length)
  const countIn = (entries: ReadonlyArray<{ readonly file: number }>, file: number) =>
    entries.filter((entry) => entry.file === file).length
  for (const file of files.keys()) {
    yield* Effect.logInfo(`${nameOf(file)}: loaded ${countIn(keys, file)}, refused ${countIn(refused, file)}`)
  }
})
