import { NodeHttpClient, NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { type Cause, Effect, Option, Queue, Redacted, Sink, Stdio, Terminal } from "effect"
import { createHash, randomBytes } from "node:crypto"
import * as Cli from "../../../src/cli/Cli.ts"
import { Surroundings } from "../../../src/settings/Surroundings.ts"
import { quarterdeck } from "../program.ts"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")
const HEX = "9f86d081884c7d659a2feaa0c55ad015"
const key = Redacted.value(RawKey.generate(randomBytes))

describe("quarterdeck key hash", () => {
  it.live.each([
    { what: "a key of Quarterdeck", stdin: key, hashed: key },
    { what: "a key and its line break", stdin: `${key}\n`, hashed: key },
    { what: "a key and its Windows line break", stdin: `${key}\r\n`, hashed: key },
    { what: "any other text", stdin: "gT9!x ö2Kq7-vR4w_Zb8n", hashed: "gT9!x ö2Kq7-vR4w_Zb8n" },
    { what: "spaces as a part of the key", stdin: " gT9x2Kq7vR4wZb8nLc5d \n", hashed: " gT9x2Kq7vR4wZb8nLc5d " },
    { what: "16 random bytes in base64", stdin: "q1vKXo0cZr8E2mUu7Yt5pA==", hashed: "q1vKXo0cZr8E2mUu7Yt5pA==" },
    { what: "16 random bytes in hexadecimal", stdin: HEX, hashed: HEX }
  ])("prints the hash of $what", ({ hashed, stdin }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(["key", "hash"], { stdin }), {
        stdout: `${sha256(hashed)}\n`,
        stderr: "",
        status: 0
      })
    })
  )

  it.live("warns of a mistyped key, and hashes it all the same", () =>
    Effect.gen(function* () {
      const mistyped = `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`
      const { status, stderr, stdout } = yield* quarterdeck(["key", "hash"], { stdin: mistyped })
      assert.strictEqual(stdout, `${sha256(mistyped)}\n`)
      assert.strictEqual(stderr, "quarterdeck: warning: the text starts like a key of Quarterdeck, but is mistyped\n")
      assert.strictEqual(status, 0)
    })
  )

  it.live.each([
    "a",
    "pass wörd",
    "hunter2",
    "correct horse battery staple",
    "The deploy-time key of production, 2026!",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "abababababababababababababababababab",
    "12345678901234567890"
  ])("warns of the weak text %s, and hashes it all the same", (text) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(["key", "hash"], { stdin: `${text}\n` }), {
        stdout: `${sha256(text)}\n`,
        stderr:
          "quarterdeck: warning: the key is weak: its hash can be guessed; quarterdeck key generate makes a strong key\n",
        status: 0
      })
    })
  )

  it.live.each([
    { what: "nothing", stdin: "", message: "no key: standard input is empty" },
    { what: "an empty line", stdin: "\n", message: "no key: standard input is empty" },
    {
      what: "two lines",
      stdin: "a\nb\n",
      message: "the key contains a line break or another control character, which a request header cannot carry"
    },
    {
      what: "bytes that are not UTF-8",
      stdin: new Uint8Array([0x61, 0xff]),
      message: "standard input is not text in UTF-8"
    },
    { what: "more than a key", stdin: "a".repeat(20_000), message: "standard input is longer than 16384 bytes" }
  ])("refuses $what", ({ message, stdin }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(["key", "hash"], { stdin }), {
        stdout: "",
        stderr: `quarterdeck: ${message}\n`,
        status: 1
      })
    })
  )

  it.live("asks on a terminal without showing the key, and on standard error, so that the hash stands alone", () =>
    Effect.gen(function* () {
      const typed = key.split("").map((character) => press(character, Option.some(character)))
      const keys = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Queue.offerAll(keys, [...typed, press("return", Option.none())])
      const written = { stdout: "", stderr: "" }
      const sink = (stream: "stdout" | "stderr") => () =>
        Sink.forEach((part: string | Uint8Array) =>
          Effect.sync(() => {
            written[stream] += typeof part === "string" ? part : new TextDecoder().decode(part)
          })
        )
      const terminal = Terminal.make({
        columns: Effect.succeed(80),
        rows: Effect.succeed(24),
        size: Effect.die("the size never changes"),
        readInput: Effect.succeed(Queue.asDequeue(keys)),
        readLine: Effect.die("reads key by key"),
        display: () => Effect.die("writes to standard output")
      })
      yield* Cli.run(["key", "hash"]).pipe(
        Effect.provideService(Terminal.Terminal, terminal),
        Effect.provide(
          Stdio.layerTest({
            stdinIsTerminal: Effect.succeed(true),
            stdout: sink("stdout"),
            stderr: sink("stderr")
          })
        ),
        Effect.provide([NodeServices.layer, NodeHttpClient.layerNodeHttp, Surroundings.layerProcess])
      )
      assert.strictEqual(written.stdout, `${sha256(key)}\n`)
      assert.include(written.stderr, "Key (not shown):")
      assert.notInclude(written.stderr, key.slice(0, 4))
    })
  )
})

const press = (name: string, input: Option.Option<string>): Terminal.UserInput => ({
  input,
  key: { name, ctrl: false, meta: false, shift: false }
})
