/**
 * The deploy-time keys that are in force, read from files and kept up to date with them.
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

/** How often the file is looked at, whatever its directory tells; a change counts within 5 s. */
const POLL_INTERVAL = "2 seconds"
/** What is written in several steps has this long to settle. */
const SETTLE = "100 millis"
/** How many hashes are looked up in the store at once. */
const STORE_READS = 8
/** How many removed keys are remembered, the latest: enough to tell their owners for as long as it matters. */
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
  readonly removed: ReadonlyMap<KeyHash, Pick<KeysFile.ConfiguredKey, "id" | "name">>
}

/**
 * What an operator must know.
 *
 * **Shape** `refused` are wrong entries of the files in force. `alarm` is set while a file cannot be used, so that its
 * older content stays in force.
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
   * Tells whether files can be used at all, before anything is opened for them.
   *
   * **Errors** `KeysFileError`; single entries are judged when they are loaded.
   */
  static readonly check = (paths: ReadonlyArray<string>): Effect.Effect<void, KeysFileError> =>
    Effect.forEach(paths, readFile, { discard: true })

  /**
   * Loads the keys of some files, read as one list, and follows them.
   *
   * **Shape** a change is taken over as a whole: an entry that is gone is revoked. A file that breaks or vanishes
   * leaves its last good entries in force and raises the alarm: log, metric, {@link Health}; the others are followed all
   * the same. An entry whose hash is that of a created key is refused.
   *
   * **Errors** at start only: `KeysFileError`, `KeyStoreError`.
   *
   * **Limits** 1 MiB a file; the directories are watched and the files read every 2 s.
   */
  static readonly layerFiles = (
    paths: ReadonlyArray<string>
  ): Layer.Layer<KeyConfig, KeysFileError | KeyStoreError, KeyStore> => Layer.effect(KeyConfig, follow(paths))
}

/** A file as it was last read in good order, and what stands in the way of taking it over as it is now. */
interface FollowedFile extends KeysFile.EntryList {
  /** The text in force. */
  readonly text: string
  readonly failure?: Failure
}

/**
 * What is wrong with a file, and since when.
 *
 * **Shape** `text` is set when the text itself is at fault, so that reading it again would not help.
 */
interface Failure {
  readonly since: DateTime.Utc
  readonly problem: string
  readonly text?: string
}

/** What is in force. */
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

/** Reads a file again. **Shape** the same value while it has not changed. */
const refresh = Effect.fnUntraced(
  function* (file: FollowedFile): Effect.fn.Return<FollowedFile, KeysFileError> {
    const { entries, failure, path, text } = file
    const now = yield* read(path)
    if (now === failure?.text) return file
    if (now !== text) {
      return yield* parsed(path, now).pipe(Effect.catch(({ message }) => failing(file, message, now)))
    }
    if (failure === undefined) return file
    yield* Effect.logInfo(`keys file ${path} is again the one in force`)
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
  /** Leaves everything as it was, but for the alarm of some files. */
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
    // Without this the keys would stay as they are for ever, and nobody would know.
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

/** The hashes that are those of created keys. */
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
