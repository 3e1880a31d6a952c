/**
 * Asks a person before something is changed.
 */
import { Effect, Stdio, Stream, Terminal } from "effect"
import { failed } from "../print/CommandFailure.ts"
import * as PlainText from "../print/PlainText.ts"

/** Tells whether there is somebody to ask: standard input is a terminal. */
export const isPossible: Effect.Effect<boolean, never, Stdio.Stdio> = Effect.flatMap(
  Stdio.Stdio,
  ({ stdinIsTerminal }) => stdinIsTerminal
)

/**
 * Asks on standard error, and reads a line.
 *
 * **Errors** `CommandFailure` for every answer but `y` and `yes`.
 */
export const require = Effect.fn("Confirmation.require")(function* (question: string) {
  const stdio = yield* Stdio.Stdio
  const text = `quarterdeck: ${PlainText.oneLine(question)} [y/N] `
  yield* Stream.make(text).pipe(Stream.run(stdio.stderr()), Effect.orDie)
  // The stream of standard input would keep the program alive when it is done with it.
  const { readLine } = yield* Terminal.Terminal
  const line = yield* Effect.orElseSucceed(readLine, () => "")
  if (/^\s*y(?:es)?\s*$/i.test(line)) return
  return yield* failed("nothing was changed")
})
