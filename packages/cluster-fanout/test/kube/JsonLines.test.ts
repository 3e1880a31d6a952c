import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as jsonLines from "../../src/kube/JsonLines.ts"

const Lines = Schema.Array(Schema.String)
const Cuts = Schema.Array(Schema.Natural)

const split = (bytes: Buffer, cuts: ReadonlyArray<number>, limit = 1_000_000) => {
  const lines = jsonLines.make(limit)
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  let from = 0
  return Result.all(
    ends.map((end) => {
      const piece = bytes.subarray(from, end)
      from = end
      return lines.push(piece)
    })
  ).pipe(Result.map((found) => found.flat().map((line) => line.toString("utf8"))))
}

describe("JsonLines", () => {
  it.prop("however the bytes are cut, the same lines come out", [Lines, Cuts], ([texts, cuts]) => {
    const whole = texts.map((text) => JSON.stringify(text))
    const bytes = Buffer.from(whole.map((line) => `${line}\n`).join(""), "utf8")
    assert.deepStrictEqual(Result.getOrThrow(split(bytes, cuts)), whole)
  })

  it("what has no line feed yet is held back", () => {
    const lines = jsonLines.make(100)
    assert.deepStrictEqual(Result.getOrThrow(lines.push(Buffer.from('{"a"'))), [])
    assert.deepStrictEqual(Result.getOrThrow(lines.push(Buffer.from(":1}\n\n{"))).map(String), ['{"a":1}'])
  })

  it.prop("a line over the limit is refused, however it is cut", [Cuts], ([cuts]) => {
    assert.isTrue(Result.isFailure(split(Buffer.from(`${"x".repeat(101)}\n`), cuts, 100)))
    assert.isTrue(Result.isSuccess(split(Buffer.from(`${"x".repeat(100)}\n`), cuts, 100)))
  })
})
