import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { inspect } from "node:util"
import { crc32 } from "node:zlib"
import * as Base62 from "../src/Base62.ts"
import * as RawKey from "../src/RawKey.ts"

const faultOf = (text: string) => RawKey.faultOf(Redacted.make(text))
const valueOf = (text: string): number =>
  Array.from(text).reduce((value, digit) => value * 62 + Base62.ALPHABET.indexOf(digit), 0)

/** A source that repeats the given bytes. */
const source = (bytes: ReadonlyArray<number>): Base62.RandomBytes => {
  let at = 0
  return (count) => Uint8Array.from({ length: count }, () => bytes[at++ % bytes.length] ?? 0)
}

const Bytes = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 247 })))

describe("a raw key", () => {
  it("is qd_, 43 characters and 6 of checksum, all base 62", () => {
    assert.match(Redacted.value(RawKey.generate(randomBytes)), /^qd_[0-9A-Za-z]{49}$/)
  })

  it("is another one each time", () => {
    const keys = new Set(Array.from({ length: 1_000 }, () => Redacted.value(RawKey.generate(randomBytes))))
    assert.strictEqual(keys.size, 1_000)
  })

  it("draws every character alike: bytes that would favour some are thrown away", () => {
    const everyByte = Array.from({ length: 256 }, (_, byte) => byte)
    const drawn = Base62.draw(248, source(everyByte))
    for (const character of Base62.ALPHABET) assert.strictEqual(drawn.split(character).length - 1, 4, character)
  })

  it("shows its first nine characters and nothing else of itself", () => {
    const key = RawKey.generate(source([1, 2, 3]))
    assert.strictEqual(RawKey.startOf(key), "qd_123123")
    const secret = Redacted.value(key)
    for (const shown of [inspect(key), JSON.stringify({ key })]) assert.notInclude(shown, secret.slice(0, 12))
  })

  it.prop("ends in the CRC-32 of what stands before", [Bytes], ([bytes]) => {
    const text = Redacted.value(RawKey.generate(source(bytes)))
    assert.strictEqual(valueOf(text.slice(-6)), crc32(text.slice(0, -6)))
    assert.isUndefined(faultOf(text))
  })

  it.prop(
    "explains any one character mistyped",
    [
      Bytes,
      Schema.Int.check(Schema.isBetween({ minimum: 3, maximum: 51 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 61 }))
    ],
    ([bytes, at, shift]) => {
      const text = Redacted.value(RawKey.generate(source(bytes)))
      const other = Base62.ALPHABET.charAt((Base62.ALPHABET.indexOf(text.charAt(at)) + shift) % 62)
      assert.strictEqual(faultOf(text.slice(0, at) + other + text.slice(at + 1)), "checksum")
    }
  )

  it("explains a key cut short, run on, or with a foreign character", () => {
    const text = Redacted.value(RawKey.generate(source([7])))
    assert.strictEqual(faultOf(text.slice(0, -1)), "length")
    assert.strictEqual(faultOf(`${text}a`), "length")
    assert.strictEqual(faultOf(`${text.slice(0, -1)}-`), "alphabet")
  })

  it("has nothing to say about a key of another form", () => {
    assert.isUndefined(faultOf("correct horse battery staple"))
  })
})
