/**
 * Reads and writes small files that must survive a crash and a power failure.
 *
 * The directory is synced too, because a new file's name is durable only after that.
 */
import { Effect } from "effect"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { CostError, StoreUnavailable } from "./CostError.ts"

/** Runs a file operation. **Shape** `action` is a verb phrase. **Errors** `StoreUnavailable`. */
export const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, CostError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new CostError({ reason: new StoreUnavailable({ action, cause }) })
  })

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
  const topmost = yield* attempt(action, () => mkdir(path, { recursive: true, mode: 0o700 }))
  if (topmost === undefined) return
  for (let made = resolve(path); made.length >= resolve(topmost).length; made = dirname(made)) {
    yield* syncName(action, made)
    if (made === dirname(made)) return
  }
})

/** Texts to write in sequence. A plain string is excluded, because it would iterate over its characters. */
type Pieces = Iterable<string> & object

/**
 * Appends to a file, or creates it with mode 0600. Not interruptible.
 *
 * Each piece is generated after the one before is written.
 */
export const append = Effect.fnUntraced(function* (action: string, path: string, pieces: Pieces) {
  const isNew = yield* attempt(action, () => added(path, pieces))
  if (isNew) yield* syncName(action, path)
}, Effect.uninterruptible)

/**
 * Replaces the content of a file atomically, or creates the file with mode 0600. Not interruptible.
 *
 * The text is written to a file beside it and then renamed, so a crash leaves either the old or the new content. If it fails,
 * the old content is unchanged.
 */
export const replace = Effect.fnUntraced(function* (action: string, path: string, text: string) {
  const draft = `${path}.new`
  yield* attempt(action, async () => {
    await rm(draft, { force: true })
    await added(draft, [text])
    await rename(draft, path)
  })
  yield* syncName(action, path)
}, Effect.uninterruptible)

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
 * A failure is only logged: the file already has its new name, and readers see it. A power failure could still undo it.
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

/** Codes of systems that cannot open directories (Windows), and of file systems that cannot sync them. */
const UNSUPPORTED: ReadonlySet<string> = new Set(["EISDIR", "EINVAL", "ENOTSUP", "EPERM"])

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
