/**
 * Reads a small text file, and tells when its directory changes.
 */
import { Cause, Effect, Queue, Stream } from "effect"
import { watch } from "node:fs"
import { readFile, stat } from "node:fs/promises"

/** Reads UTF-8 text of at most `maxBytes`. **Errors** what is wrong, as words that follow the path. */
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

/** The code of a failed call to the system, such as `ENOENT`: unlike the message it says nothing about a path. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "unknown"

/**
 * Tells that something in a directory changed.
 *
 * **Shape** a Secret is mounted as links that are replaced as a whole, so the file itself is never told of. Ends with a
 * warning where the system cannot watch; who needs to be sure looks by itself from time to time.
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
      Stream.fromEffectDrain(Effect.logWarning(`directory ${directory} cannot be watched (${code}); it is polled`))
    )
  )
