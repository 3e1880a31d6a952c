import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LogTail } from "../../src/act/LogTail.ts"

const Pieces = Schema.Array(Schema.Literals(["", "a", "bc", "\n", "d\n", "e\nf", "ghijk", "\n\n"])).check(
  Schema.isMaxLength(20)
)

/** The newest of the whole text, from the beginning of a line on. */
const newest = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = text.slice(text.length - most)
  if (text[text.length - most - 1] === "\n") return kept
  const rest = kept.slice(kept.indexOf("\n") + 1)
  return rest === "" ? kept : rest
}

const Characters = Schema.Array(Schema.Literals(["a", "é", "€", "🚀", "\n"])).check(Schema.isMaxLength(24))
/** In hexadecimal: characters, and bytes that are of none. */
const Odd = Schema.Array(Schema.Literals(["e282ac", "61", "ff", "80", "00", "0a"])).check(Schema.isMaxLength(24))

const decode = new TextDecoder("utf-8", { fatal: true })

describe("LogTail", () => {
  it.prop("cuts no character in two", [Characters], ([characters]) => {
    const tail = new LogTail(9)
    for (const byte of Buffer.from(characters.join(""))) tail.push(Buffer.from([byte]))
    const kept = decode.decode(tail.bytes())
    assert.isTrue(characters.join("").endsWith(kept))
  })

  it.prop("gives bytes as they came, whatever they are", [Odd], ([parts]) => {
    const all = Buffer.from(parts.join(""), "hex")
    const tail = new LogTail(9)
    for (const part of parts) tail.push(Buffer.from(part, "hex"))
    const kept = tail.bytes()
    assert.isAtMost(kept.length, 9)
    assert.deepStrictEqual(kept, all.subarray(all.length - kept.length))
    if (all.length <= 9) assert.lengthOf(kept, all.length)
  })

  it.prop(
    "keeps the newest whole lines, however the bytes come",
    [Pieces, Schema.Literals([1, 2, 3, 5, 8, 100])],
    ([pieces, most]) => {
      const tail = new LogTail(most)
      for (const piece of pieces) tail.push(Buffer.from(piece))
      const text = pieces.join("")
      assert.strictEqual(tail.bytes().toString(), newest(text, most))
      assert.strictEqual(tail.isCut, text.length > most)
    }
  )
})
