import { assert, describe, it } from "@effect/vitest"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Effect, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { quarterdeck } from "./program.ts"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")
const key = Redacted.value(RawKey.generate(randomBytes))

describe("quarterdeck key hash", () => {
  it.live.each([
    { what: "a key of Quarterdeck", stdin: key, hashed: key },
    { what: "a key and its line break", stdin: `${key}\n`, hashed: key },
    { what: "a key and its Windows line break", stdin: `${key}\r\n`, hashed: key },
    { what: "any other text", stdin: "pass wörd", hashed: "pass wörd" },
    { what: "spaces as a part of the key", stdin: " a \n", hashed: " a " }
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
      assert.strictEqual(stderr, "quarterdeck: warning: it begins like a key of Quarterdeck, but is mistyped\n")
      assert.strictEqual(status, 0)
    })
  )

  it.live.each([
    { what: "nothing", stdin: "", message: "no key: standard input is empty" },
    { what: "an empty line", stdin: "\n", message: "no key: standard input is empty" },
    {
      what: "two lines",
      stdin: "a\nb\n",
      message: "the key holds a line break or another control character, so no request could carry it"
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
})
