/** Writes to the standard streams. */
import { Effect, type PlatformError, Stdio, Stream } from "effect"

/** Writes a text to standard output as it is. **Errors** none when the reader has gone: `head` has what it wanted. */
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

/** Writes one line for the user to standard error, where it does not mix with what a program reads. */
export const note = Effect.fnUntraced(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(`harness: ${text}\n`).pipe(
    Stream.run(stdio.stderr()),
    Effect.catchIf(isClosed, () => Effect.void),
    Effect.orDie
  )
})

/** Quotes a word for a shell, where it would not stay one as it is. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Aligns rows of cells, two spaces apart; the last column is as wide as it is. */
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

/** What printing needs. */
export type Streams = Stdio.Stdio
