/**
 * Writes to standard output and standard error.
 */
import { Effect, PlatformError, Stdio, Stream } from "effect"
import * as Output from "./Output.ts"
import * as PlainText from "./PlainText.ts"

/**
 * Writes a text to standard output, unchanged.
 *
 * **Shape** false if the reader has closed the stream, as `head` does. That is not an error.
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

/** Writes a text to standard output as {@link append}, without a result. */
export const output = (text: string) => Effect.asVoid(append(text))

/**
 * Writes a stream to standard output as it arrives.
 *
 * **Errors** those of the stream. It is not an error that the reader has closed standard output.
 */
export const parts = Effect.fn("Print.parts")(function* <E, R>(stream: Stream.Stream<string | Uint8Array, E, R>) {
  const stdio = yield* Stdio.Stdio
  const out = stdio.stdout()
  yield* stream.pipe(
    Stream.run(out),
    Effect.catchIf(PlatformError.isPlatformError, (error) => (isClosed(error) ? Effect.void : Effect.die(error)))
  )
})

/** Writes the text of a server as it arrives. Invisible characters except line ends become escapes. */
export const lines = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
  parts(Stream.map(Stream.decodeText(stream), PlainText.lines))

/** Writes one line to standard error, apart from the output that programs read. */
export const note = (line: string) => aside(`quarterdeck: ${PlainText.oneLine(line)}\n`)

/** Writes a text to standard error, unchanged. */
export const aside = Effect.fn("Print.aside")(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(text).pipe(
    Stream.run(stdio.stderr()),
    Effect.catchIf(isClosed, () => Effect.void),
    Effect.orDie
  )
})

/** Writes a list in the chosen format. JSON and YAML contain `whole`, the complete reply. */
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

/** Writes rows without names in the chosen format, as {@link list}. */
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
