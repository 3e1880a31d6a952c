/**
 * `quarterdeck key hash`: the hash of a key, for the configuration of a deployment.
 */
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Effect, Redacted, Stdio, Stream, Terminal } from "effect"
import { Command, Prompt } from "effect/cli"
import { failed } from "../print/CommandFailure.ts"
import * as Input from "../request/Input.ts"
import * as KeyStrength from "./KeyStrength.ts"
import * as Print from "../print/Print.ts"

/** More than fits into a request's headers. */
const MAX_BYTES = 16_384

/**
 * Reads a key from a prompt that does not show it, or else from standard input, and prints its hash.
 *
 * An argument or a flag would be seen by other users of the machine and kept in the shell's history.
 *
 * **Shape** one line break at the end does not belong to the key.
 */
export const keyHashCommand = Command.make(
  "hash",
  {},
  Effect.fn("key hash")(function* () {
    const stdio = yield* Stdio.Stdio
    const key = (yield* stdio.stdinIsTerminal)
      ? yield* prompt
      : Redacted.make((yield* Input.read("-", MAX_BYTES)).replace(/\r?\n$/, ""))
    const text = Redacted.value(key)
    if (text === "") return yield* failed("no key: standard input is empty")
    if (/\p{Cc}/u.test(text)) {
      return yield* failed("the key holds a line break or another control character, so no request could carry it")
    }
    const fault = RawKey.faultOf(key)
    if (fault !== undefined)
      yield* Print.note(`warning: it begins like a key of Quarterdeck, but ${EXPLANATION[fault]}`)
    else if (KeyStrength.isWeak(key)) {
      yield* Print.note(
        "warning: the text is weak: who gets to see its hash can guess it; quarterdeck key generate makes one that nobody can"
      )
    }
    yield* Print.output(`${KeyHash.fromRawKey(key)}\n`)
  })
).pipe(
  Command.withDescription(
    "Print the SHA-256 of a key, as a deployment's keys list takes it. The key is read from a prompt or from standard input."
  ),
  Command.withShortDescription("Print the hash of a key, for a deployment's keys list"),
  Command.withExamples([
    { command: "quarterdeck key hash", description: "Asks for the key without showing it" },
    { command: "quarterdeck key hash < key.txt", description: "From a file; one line break at its end does not count" }
  ])
)

/** Asks on standard error, so that standard output holds the hash alone when it goes to a file. */
const prompt = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  return yield* Prompt.run(Prompt.Hidden({ message: "Key (not shown):" })).pipe(
    Effect.provideService(Terminal.Terminal, {
      ...terminal,
      display: (text) => Stream.make(text).pipe(Stream.run(stdio.stderr()))
    })
  )
})

const EXPLANATION: Record<RawKey.Fault, string> = {
  length: "is cut short or too long",
  alphabet: "holds a character that none has",
  checksum: "is mistyped"
}
