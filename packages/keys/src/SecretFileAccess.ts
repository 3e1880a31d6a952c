/**
 * Warns of secret files that other users of the machine can read. A reader of a hash can guess a weak key offline.
 */
import { Effect, Option } from "effect"
import { lstat, readlink, stat } from "node:fs/promises"

const OTHERS_READ = 0o004

/**
 * Logs a warning if other users can read a file. **Shape** `what`: the kind of file, for the message.
 *
 * A mounted Secret, recognized by its link into `..data`, causes no warning: the kubelet writes it for the pod alone,
 * whatever its mode. A missing file causes no warning either.
 *
 * **Source** Kubernetes, AtomicWriter.
 */
export const warn = Effect.fnUntraced(function* (what: string, path: string) {
  // A missing file counts as not exposed. The code that loads the file reports it.
  const isExposed = yield* Effect.option(Effect.tryPromise(() => isReadByOthers(path)))
  if (!Option.contains(isExposed, true)) return
  yield* Effect.logWarning(`${what} ${path}: other users of this machine can read it; run chmod o-r on it`)
})

const isReadByOthers = async (path: string): Promise<boolean> => {
  const link = await lstat(path)
  if (link.isSymbolicLink() && (await readlink(path)).startsWith("..data/")) return false
  const { mode } = await stat(path)
  return (mode & OTHERS_READ) !== 0
}
