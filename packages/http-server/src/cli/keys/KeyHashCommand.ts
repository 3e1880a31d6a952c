/**
 * `quarterdeck key hash`: prints the hash of a key for a deployment's configuration.
 */
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Effect, Redacted, Stdio, Stream, Terminal } from "effect"
import { Command, Prompt } from "effect/cli"
import { failed } from "../print/CommandFailure.ts"
import * as Input from "../request/Input.ts"
import * as Print from "../print/Print.ts"

/** Maximum size of a key. A longer key would not fit into a request's headers. */
const MAX_BYTES = 16_384

/**
 * Reads a key from a hidden prompt or from standard input, and prints its hash. A final line break is not part of the key.
 *
 * The key is neither an argument nor a flag: other users of the machine could see it, and the shell's history would
 * keep it.
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
      return yield* failed(
        "the key contains a line break or another control character, which a request header cannot carry"
      )
    }
    const fault = RawKey.faultOf(key)
    if (fault !== undefined)
      yield* Print.note(`warning: the text starts like a key of Quarterdeck, but ${EXPLANATION[fault]}`)
    else if (isWeak(key)) {
      yield* Print.note(
        "warning: the key is weak: its hash can be guessed; quarterdeck key generate makes a strong key"
      )
    }
    yield* Print.output(`${KeyHash.fromRawKey(key)}\n`)
  })
).pipe(
  Command.withDescription(
    "Print the SHA-256 of a key for a deployment's keys list. Reads the key from a prompt or from standard input."
  ),
  Command.withShortDescription("Print the hash of a key, for a deployment's keys list"),
  Command.withExamples([
    { command: "quarterdeck key hash", description: "Prompts for the key without showing it" },
    { command: "quarterdeck key hash < key.txt", description: "From a file; a final line break is ignored" }
  ])
)

/** Prompts on standard error, so standard output has only the hash. */
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
  length: "is too short or too long",
  alphabet: "contains a character that keys do not have",
  checksum: "is mistyped"
}

/** A key with a lower estimate is weak. The shortest acceptable key, 16 random bytes in base64, has about 90 bits. */
const LEAST_BITS = 80

/** Words with an optional number at the end: `correct-horse-battery`, `Summer 2026!`. */
const WORD = String.raw`(?:\p{Lu}?\p{Ll}+|\p{Lu}+)`
const WORDS = new RegExp(String.raw`^${WORD}(?:[\s\p{P}]+${WORD})*[\s\p{P}]*\d{0,8}[\s\p{P}]*$`, "u")

/** Maximum distinct letters of a single word that is weak. A word with more counts as random. */
const MOST_LETTERS = 14

/**
 * Reports whether a key could be guessed from its hash.
 *
 * **Shape** a cautious estimate from the text: its length times the bits of its distinct characters. A text of words is always
 * weak.
 */
const isWeak = (key: RawKey.RawKey): boolean => {
  const characters = Array.from(Redacted.value(key))
  const different = new Set(characters).size
  if (characters.length * Math.log2(different) < LEAST_BITS) return true
  const isOneWord = /^\p{L}+$/u.test(Redacted.value(key))
  return WORDS.test(Redacted.value(key)) && (!isOneWord || different <= MOST_LETTERS)
}
