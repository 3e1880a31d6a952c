/**
 * `quarterdeck key generate`: makes a key and its hash for a deployment's configuration.
 */
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { randomBytes } from "node:crypto"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

/**
 * Makes a key on this machine and prints it with its hash. Sends no request and stores nothing. The key is valid once its hash
 * is in a deployment's keys list.
 */
export const keyGenerateCommand = Command.make(
  "generate",
  {
    output: Flag.Literals("output", ["text", "json"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("text: a line each for the key and its hash; json: one object with both"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("key generate")(function* ({ output }) {
    const key = yield* Effect.sync(() => RawKey.generate(randomBytes))
    const hash = KeyHash.fromRawKey(key)
    const shown = Redacted.value(key)
    yield* Print.output(output === "json" ? Output.json({ key: shown, hash }) : `key:  ${shown}\nhash: ${hash}\n`)
    yield* Print.note("give the key to its user, it is not stored; put the hash into the deployment's keys list")
  })
).pipe(
  Command.withDescription(
    "Make a new key on this machine and print it with its SHA-256 for a deployment's keys list. Sends no request and stores nothing. The key is valid once its hash is in a keys list, with a name and a rule."
  ),
  Command.withShortDescription("Make a key and its hash, for a deployment's keys list (local)"),
  Command.withExamples([
    { command: "quarterdeck key generate", description: "Prints the key and its hash" },
    { command: "quarterdeck key generate -o json > key.json", description: "For a program; into a file" }
  ])
)
