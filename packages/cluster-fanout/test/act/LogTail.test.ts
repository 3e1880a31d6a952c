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

describe("LogTail", () => {
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
