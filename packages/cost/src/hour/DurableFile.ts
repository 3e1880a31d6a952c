/**
 * Reads and writes small files that must outlive the program, and the machine's power.
 *
 * A file's name is safe only once its directory is written, too.
 */
import { Effect } from "effect"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { CostError, StoreUnavailable } from "./CostError.ts"

/** Does something with files. **Shape** `action` is a verb phrase. **Errors** `StoreUnavailable`. */
export const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, CostError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new CostError({ reason: new StoreUnavailable({ action, cause }) })
  })

/** Reads a file's text. **Shape** `undefined` where there is none. */
export const read = (action: string, path: string): Effect.Effect<string | undefined, CostError> =>
  attempt(action, () =>
    readFile(path, "utf8").catch((cause: unknown) => (codeOf(cause) === "ENOENT" ? undefined : Promise.reject(cause)))
  )

/** Tells whether a file is there, also one that may not be read. */
export const exists = (action: string, path: string): Effect.Effect<boolean, CostError> =>
  attempt(action, () =>
    stat(path).then(
      () => true,
      (cause: unknown) => (codeOf(cause) === "ENOENT" ? false : Promise.reject(cause))
    )
  )

/** Makes a directory, and those above it. One made here has mode 0700. */
export const makeDirectory = Effect.fnUntraced(function* (action: string, path: string) {
  const topmost = yield* attempt(action, () => mkdir(path, { recursive: true, mode: 0o700 }))
  if (topmost === undefined) return
  for (let made = resolve(path); made.length >= resolve(topmost).length; made = dirname(made)) {
    yield* keepName(action, made)
    if (made === dirname(made)) return
  }
})

/** Texts to write one after the other; a text alone, which has its characters, is none. */
type Pieces = Iterable<string> & object

/**
 * Adds to the end of a file, or makes it with mode 0600. Goes on to its end when it is interrupted.
 *
 * Each piece is asked for once the one before is written.
 */
export const append = Effect.fnUntraced(function* (action: string, path: string, pieces: Pieces) {
  const isNew = yield* attempt(action, () => added(path, pieces))
  if (isNew) yield* keepName(action, path)
}, Effect.uninterruptible)

/**
 * Puts a text in the place of a file's, or makes the file with mode 0600.
 *
 * Beside the file first, then in its place: a crash at any moment leaves the old one or the new one. It fails
 * only while the old one stands, and goes on to its end when it is interrupted.
 */
export const replace = Effect.fnUntraced(function* (action: string, path: string, text: string) {
  const draft = `${path}.new`
  yield* attempt(action, async () => {
    await rm(draft, { force: true })
    await added(draft, [text])
    await rename(draft, path)
  })
  yield* keepName(action, path)
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
 * Writes what a directory says of a file.
 *
 * What cannot be written counts all the same: the file has its name by now, and whoever reads it finds that. It is
 * told as what it is, a change that a loss of power may undo.
 */
const keepName = (action: string, path: string): Effect.Effect<void> =>
  attempt(action, () => syncDirectory(dirname(path))).pipe(
    Effect.catch((error) => Effect.logWarning("a loss of power may undo what was just written", error))
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
    if (!UNKNOWN_THERE.has(codeOf(cause))) throw cause
  }
}

/** What systems say that do not open directories (Windows), and file systems that do not write them on demand. */
const UNKNOWN_THERE: ReadonlySet<string> = new Set(["EISDIR", "EINVAL", "ENOTSUP", "EPERM"])

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
