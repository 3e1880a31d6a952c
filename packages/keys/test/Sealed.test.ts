import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { open, seal } from "../src/Sealed.ts"

const key = randomBytes(32)

describe("a sealed text", () => {
  it.prop("opens under its key and about the same alone", [Schema.String, Schema.String], ([drawn, about]) => {
    // UTF-8 cannot encode half of a surrogate pair.
    const text = drawn.toWellFormed()
    const sealed = seal(key, text, about)
    assert.deepStrictEqual(open(key, sealed, about), Option.some(text))
    assert.isTrue(Option.isNone(open(key, sealed, `${about} more`)))
    assert.isTrue(Option.isNone(open(randomBytes(32), sealed, about)))
    const bytes = Buffer.from(sealed, "base64url")
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    assert.isTrue(Option.isNone(open(key, bytes.toString("base64url"), about)))
  })

  it("differs each time", () => {
    assert.notStrictEqual(seal(key, "text"), seal(key, "text"))
  })
})
