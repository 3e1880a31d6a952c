/**
 * Reads and writes small files that must survive a crash and a power failure.
 *
 * The directory is synced too, because a new file's name is durable only after that. While the disk is full, files cannot be
 * written, but directories are still created, because the server does not start without them.
 */
import { DiskReserve } from "@quarterdeck/sqlite-thread"
import { Effect } from "effect"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { CostError, DiskFull, StoreUnavailable } from "./CostError.ts"
import { isDiskFull } from "./DiskFull.ts"

/** Runs a file operation. **Shape** `action` is a verb phrase for the error message. **Errors** `StoreUnavailable`. */
export const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, CostError> =>
  Effect.tryPromise({ try: run, catch: (cause) => unavailable(action, cause) })

const unavailable = (action: string, cause: unknown): CostError =>
  new CostError({ reason: new StoreUnavailable({ action, cause }) })

/**
 * Runs a change of files through the disk reserve, which refuses a `write` while the disk is full. **Errors**
 * `DiskFull`, `StoreUnavailable`.
 */
const change =
  <A>(action: string, run: () => Promise<A>) =>
  (reserve: DiskReserve.DiskReserve, use: DiskReserve.Use) => {
    const changed = Effect.tryPromise({ try: run, catch: (cause) => cause }).pipe(
      Effect.map((value) => ({ outcome: "done" as const, value })),
      Effect.catch((cause) =>
        isDiskFull(cause)
          ? Effect.succeed<DiskReserve.Failed>({ outcome: "failed", message: "the disk is full", isDiskFull: true })
          : Effect.fail(unavailable(action, cause))
      )
    )
    return Effect.flatMap(DiskReserve.send(reserve, use, changed), (sent) =>
      sent.outcome === "done"
        ? Effect.succeed(sent.value)
        : Effect.fail(new CostError({ reason: new DiskFull({ action, problem: sent.message }) }))
    )
  }

/** Reads a file as text. **Shape** `undefined` if it does not exist. */
export const read = (action: string, path: string): Effect.Effect<string | undefined, CostError> =>
  attempt(action, () =>
    readFile(path, "utf8").catch((cause: unknown) => (codeOf(cause) === "ENOENT" ? undefined : Promise.reject(cause)))
  )

/** Returns true if a file exists, even if it is not readable. */
export const exists = (action: string, path: string): Effect.Effect<boolean, CostError> =>
  attempt(action, () =>
    stat(path).then(
      () => true,
      (cause: unknown) => (codeOf(cause) === "ENOENT" ? false : Promise.reject(cause))
    )
  )

/** Creates a directory and its parents, with mode 0700. */
export const makeDirectory = Effect.fnUntraced(function* (action: string, path: string) {
  const made = change(action, () => mkdir(path, { recursive: true, mode: 0o700 }))
  const topmost = yield* made(yield* DiskReserve.CurrentReserve, "revoke")
  if (topmost === undefined) return
  for (let name = resolve(path); name.length >= resolve(topmost).length; name = dirname(name)) {
    yield* syncName(action, name)
    if (name === dirname(name)) return
  }
})

/** Texts to write in sequence. A plain string is excluded, because iterating over it returns single characters. */
type Pieces = Iterable<string> & object

/** Writes files. While the disk is full, every write fails: the remaining space is reserved for revoking keys. */
export interface Writer {
  /**
   * Appends to a file, or creates it with mode 0600. Not interruptible.
   *
   * Each piece is generated after the one before is written.
   */
  readonly append: (action: string, path: string, pieces: Pieces) => Effect.Effect<void, CostError>
  /**
   * Replaces the content of a file atomically, or creates the file with mode 0600. Not interruptible.
   *
   * The text is written to a draft (`path` with `.new` at its end by default) and then renamed, so a crash leaves either the
   * old or the new content. If the write fails, the old content is unchanged and the draft is removed.
   */
  readonly replace: (action: string, path: string, pieces: Pieces, draft?: string) => Effect.Effect<void, CostError>
}

/** Creates the writer with the disk reserve of the current context. */
export const writer: Effect.Effect<Writer> = Effect.map(DiskReserve.CurrentReserve, (reserve) => ({
  append: Effect.fnUntraced(function* (action, path, pieces) {
    const isNew = yield* change(action, () => added(path, pieces))(reserve, "write")
    if (isNew) yield* syncName(action, path)
  }, Effect.uninterruptible),
  replace: Effect.fnUntraced(function* (action, path, pieces, draft = `${path}.new`) {
    yield* change(action, () => replaced(path, pieces, draft))(reserve, "write")
    yield* syncName(action, path)
  }, Effect.uninterruptible)
}))

const replaced = async (path: string, pieces: Pieces, draft: string): Promise<void> => {
  await rm(draft, { force: true })
  try {
    await added(draft, pieces)
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw cause
  }
}

const added = async (path: string, pieces: Pieces): Promise<boolean> => {
  const file = await open(path, "a", 0o600)
  try {
    const { size } = await file.stat()
    for (const piece of pieces) await file.appendFile(piece)
    await file.datasync()
    return size === 0
  } finally {
    await file.close()
  }
}

/**
 * Syncs the directory of a file.
 *
 * A failure is only logged: the file already has its new name, and readers see it. A power failure could still undo the
 * renaming.
 */
const syncName = (action: string, path: string): Effect.Effect<void> =>
  attempt(action, () => syncDirectory(dirname(path))).pipe(
    Effect.catch((error) => Effect.logWarning("a power failure may undo the last write", error))
  )

const syncDirectory = async (path: string): Promise<void> => {
  try {
    const directory = await open(path, "r")
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  } catch (cause) {
    if (!UNSUPPORTED.has(codeOf(cause))) throw cause
  }
}

/** Error codes of systems that cannot open directories (Windows), and of file systems that cannot sync them. */
const UNSUPPORTED: ReadonlySet<string> = new Set(["EISDIR", "EINVAL", "ENOTSUP", "EPERM"])

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
