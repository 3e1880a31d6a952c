/**
 * Asks for confirmation before a change.
 */
import { Effect, Stdio, Stream, Terminal } from "effect"
import { failed } from "../print/CommandFailure.ts"
import * as PlainText from "../print/PlainText.ts"

/** Reports whether a user can answer: standard input is a terminal. */
export const isPossible: Effect.Effect<boolean, never, Stdio.Stdio> = Effect.flatMap(
  Stdio.Stdio,
  ({ stdinIsTerminal }) => stdinIsTerminal
)

/**
 * Asks a question on standard error and reads the answer.
 *
 * **Errors** `CommandFailure` for every answer but `y` and `yes`.
 */
export const require = Effect.fn("Confirmation.require")(function* (question: string) {
  const stdio = yield* Stdio.Stdio
  const text = `quarterdeck: ${PlainText.oneLine(question)} [y/N] `
  yield* Stream.make(text).pipe(Stream.run(stdio.stderr()), Effect.orDie)
  // Reading standard input as a stream would keep the process alive.
  const { readLine } = yield* Terminal.Terminal
  const line = yield* Effect.orElseSucceed(readLine, () => "")
  if (/^\s*y(?:es)?\s*$/i.test(line)) return
  return yield* failed("nothing was changed")
})
