import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LogText from "../src/workloads/LogText.ts"

const Pieces = Schema.Array(Schema.Literals(["a", "bc", "\n", "\n\n", "ü", ".*("]))

const read = (parts: ReadonlyArray<string>) =>
  LogText.linesOf(parts.reduce((buffer, part) => LogText.append(buffer, part), LogText.EMPTY))

describe("the text of a log", () => {
  it.prop("has the same lines wherever it was cut", [Pieces], ([pieces]) => {
    assert.deepStrictEqual(read(pieces), read([pieces.join("")]))
  })

  it.prop("is found at each place that has it, in any case", [Pieces], ([pieces]) => {
    const lines = read(pieces)
    for (const needle of ["A", "bc", ".*(", "ü"]) {
      const expected = lines.flatMap((line, index) =>
        Array.from({ length: line.length }, (_, start) => start).flatMap((start) =>
          line.slice(start, start + needle.length).toLowerCase() === needle.toLowerCase()
            ? [{ line: index, start }]
            : []
        )
      )
      assert.deepStrictEqual(LogText.find(lines, needle), expected)
    }
  })

  it("keeps the newest lines and counts the others", () => {
    const long = LogText.append(LogText.EMPTY, "line\n".repeat(LogText.MAX_LINES))
    const longer = LogText.append(long, "one more\nand a part")
    assert.strictEqual(longer.lines.length, LogText.MAX_LINES)
    assert.strictEqual(longer.lines.at(-1), "one more")
    assert.deepStrictEqual([longer.dropped, longer.rest], [1, "and a part"])
  })

  it("finds nothing for an empty text, and stops counting at the limit", () => {
    assert.deepStrictEqual(LogText.find(["abc"], ""), [])
    assert.strictEqual(LogText.find(["a".repeat(LogText.MAX_MATCHES + 5)], "a").length, LogText.MAX_MATCHES)
  })
})
