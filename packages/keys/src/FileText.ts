/**
 * Reads small text files and watches their directories.
 */
import { Cause, Effect, Queue, Stream } from "effect"
import { watch } from "node:fs"
import { readFile, stat } from "node:fs/promises"

/** Reads UTF-8 text of at most `maxBytes`. **Errors** the problem, worded to follow the path: `is not a file`. */
export const readText = (path: string, maxBytes: number): Effect.Effect<string, string> =>
  Effect.tryPromise({
    try: async () => {
      const found = await stat(path)
      if (!found.isFile()) return { problem: "is not a file" }
      if (found.size > maxBytes) return { problem: `is larger than ${maxBytes} bytes` }
      return { bytes: await readFile(path) }
    },
    catch: (cause) => `cannot be read (${codeOf(cause)})`
  }).pipe(
    Effect.flatMap(({ bytes, problem }) =>
      bytes === undefined
        ? Effect.fail(problem)
        : Effect.try({
            try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
            catch: () => "is not UTF-8 text"
          })
    )
  )

/** Returns the code of a failed system call, such as `ENOENT`. Unlike the message, the code contains no path. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "unknown"

/**
 * Emits when something in a directory changes.
 *
 * **Shape** watches the directory, since a mounted Secret is replaced by a new link and its file never changes. If the
 * system cannot watch, the stream logs a warning and ends, so callers must also poll.
 */
export const directoryChanges = (directory: string): Stream.Stream<void> =>
  Stream.callback<void, string>(
    (queue) =>
      Effect.acquireRelease(
        Effect.try({
          try: () => {
            const watcher = watch(directory, () => Queue.offerUnsafe(queue, undefined))
            watcher.on("error", (cause) => Queue.failCauseUnsafe(queue, Cause.fail(codeOf(cause))))
            return watcher
          },
          catch: codeOf
        }),
        (watcher) => Effect.sync(() => watcher.close())
      ),
    { bufferSize: 1, strategy: "sliding" }
  ).pipe(
    Stream.catch((code) =>
      Stream.fromEffectDrain(
        Effect.logWarning(`directory ${directory} cannot be watched (${code}); polling it instead`)
      )
    )
  )
