import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Csv from "../../src/report/Csv.ts"

/** Reads one field back. */
const read = (field: string): string => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)

const SIGNS = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n"]
const BLANKS = [" ", "\u00a0", "\u3000", "\u2003", "\u200b", "\ufeff", "\u2028", "\u2800", "\u0000", "\t", "\r", "\n"]

const Sign = Schema.Literals(SIGNS)
const Blanks = Schema.Array(Schema.Literals(BLANKS)).check(Schema.isMaxLength(4))
const Seen = Schema.Literals(["a", "Z", "0", "é", "数", "(", "'", '"', ",", "_", "😀"])

describe("a text in a field of CSV", () => {
  it.prop(
    "gets an apostrophe where a sign of a formula is the first thing seen, whatever follows",
    [Blanks, Sign, Schema.String],
    ([blanks, sign, rest]) => {
      const text = `${blanks.join("")}${sign}${rest}`
      assert.strictEqual(read(Csv.cell(text)), `'${text}`)
    }
  )

  it.prop(
    "stays as it is where something else is seen first, whatever follows",
    [Schema.Literals(["", " ", "\u00a0", "\u3000"]), Seen, Sign, Schema.String],
    ([blank, seen, sign, rest]) => {
      const text = `${blank}${seen}${sign}${rest}`
      assert.strictEqual(read(Csv.cell(text)), text)
    }
  )

  it("stays as it is where it is blank throughout, or empty", () => {
    for (const text of ["", " ", "\u00a0\u3000"]) assert.strictEqual(Csv.cell(text), text)
  })
})
