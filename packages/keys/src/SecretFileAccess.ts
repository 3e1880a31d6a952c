/**
 * Warns of files with secrets that other users of the machine can read: who has a hash can guess a weak key in peace.
 */
import { Effect, Option } from "effect"
import { lstat, readlink, stat } from "node:fs/promises"

const OTHERS_READ = 0o004

/**
 * Logs a warning for a file whose mode lets others read it. **Shape** `what` says whose file it is.
 *
 * **Shape** none for a file of a mounted Secret, which the kubelet writes for the pod alone whatever its mode says. It is
 * known by its link into `..data`. None where the file has gone.
 *
 * **Source** Kubernetes, AtomicWriter.
 */
export const warn = Effect.fnUntraced(function* (what: string, path: string) {
  // A file that has gone meanwhile is told of by who reads it.
  const isExposed = yield* Effect.option(Effect.tryPromise(() => isReadByOthers(path)))
  if (!Option.contains(isExposed, true)) return
  yield* Effect.logWarning(`${what} ${path}: other users of this machine can read it; chmod o-r closes it to them`)
})

const isReadByOthers = async (path: string): Promise<boolean> => {
  const link = await lstat(path)
  if (link.isSymbolicLink() && (await readlink(path)).startsWith("..data/")) return false
  const { mode } = await stat(path)
  return (mode & OTHERS_READ) !== 0
}
