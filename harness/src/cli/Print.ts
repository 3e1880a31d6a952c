/** Prints to the standard streams. */
import { Effect, type PlatformError, Stdio, Stream } from "effect"

/** Writes a text to standard output unchanged. A closed pipe is not an error: `head` closes it when it has enough. */
export const output = Effect.fnUntraced(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(text).pipe(
    Stream.run(stdio.stdout()),
    Effect.catchIf(isClosed, () => Effect.void),
    Effect.orDie
  )
})

/** Writes one line to standard output. */
export const line = (text: string) => output(`${text}\n`)

/** Writes one line for the user to standard error, so that it does not mix with output that programs read. */
export const note = Effect.fnUntraced(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(`harness: ${text}\n`).pipe(
    Stream.run(stdio.stderr()),
    Effect.catchIf(isClosed, () => Effect.void),
    Effect.orDie
  )
})

/** Quotes a word for a shell, if necessary. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Aligns rows of cells in columns, two spaces apart. Trailing spaces are removed. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const isClosed = (error: PlatformError.PlatformError): boolean =>
  error.reason.cause instanceof Error && "code" in error.reason.cause && error.reason.cause.code === "EPIPE"

/** Services that printing requires. */
export type Streams = Stdio.Stdio
