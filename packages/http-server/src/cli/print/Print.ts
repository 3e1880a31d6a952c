/**
 * Writes to the standard streams.
 */
import { Effect, PlatformError, Stdio, Stream } from "effect"
import * as Output from "./Output.ts"
import * as PlainText from "./PlainText.ts"

/**
 * Writes a text to standard output as it is.
 *
 * **Shape** tells whether somebody reads on. **Errors** none when the reader has gone: `head` has what it wanted.
 */
export const append = Effect.fn("Print.append")(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  return yield* Stream.make(text).pipe(
    Stream.run(stdio.stdout()),
    Effect.as(true),
    Effect.catchIf(isClosed, () => Effect.succeed(false)),
    Effect.orDie
  )
})

/** Does so for who has nothing more to write. */
export const output = (text: string) => Effect.asVoid(append(text))

/** Writes what a stream gives, as it comes. **Errors** those of the stream; none when the reader has gone. */
export const parts = Effect.fn("Print.parts")(function* <E, R>(stream: Stream.Stream<string | Uint8Array, E, R>) {
  const stdio = yield* Stdio.Stdio
  const out = stdio.stdout()
  yield* stream.pipe(
    Stream.run(out),
    Effect.catchIf(PlatformError.isPlatformError, (error) => (isClosed(error) ? Effect.void : Effect.die(error)))
  )
})

/** Writes the text that a server sends, as it comes. **Shape** what cannot be seen becomes escapes, but for ends of lines. */
export const lines = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
  parts(Stream.map(Stream.decodeText(stream), PlainText.lines))

/** Writes one line for the user to standard error, where it does not mix with what a program reads. */
export const note = (line: string) => aside(`quarterdeck: ${PlainText.oneLine(line)}\n`)

/** Writes a text to standard error as it is. */
export const aside = Effect.fn("Print.aside")(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(text).pipe(
    Stream.run(stdio.stderr()),
    Effect.catchIf(isClosed, () => Effect.void),
    Effect.orDie
  )
})

/** Writes a list in the form that the user chose; `whole` is the answer that JSON and YAML print, with all that it carries. */
export const list = <Row>(
  format: Output.ListFormat,
  columns: Output.ListColumns<Row>,
  list: ReadonlyArray<Row>,
  whole: unknown
) => {
  switch (format) {
    case "wide":
      return output(Output.table([...columns.table, ...columns.wide], list))
    case "name":
      return output(list.map((row) => `${PlainText.oneLine(columns.name(row))}\n`).join(""))
    default:
      return rows(format, columns, list, whole)
  }
}

/** Writes other rows, as {@link list} does. */
export const rows = <Row>(
  format: Output.Format,
  columns: Output.Columns<Row>,
  list: ReadonlyArray<Row>,
  whole: unknown
) => {
  switch (format) {
    case "table":
      return output(Output.table(columns.table, list))
    case "csv":
      return output(Output.csv(columns.csv, list))
    case "json":
      return output(Output.json(whole))
    case "yaml":
      return output(Output.yaml(whole))
  }
}

const isClosed = (error: PlatformError.PlatformError): boolean =>
  error.reason.cause instanceof Error && "code" in error.reason.cause && error.reason.cause.code === "EPIPE"
