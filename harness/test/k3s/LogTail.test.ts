import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LogTail from "../../src/k3s/LogTail.ts"

const Text = Schema.Array(Schema.Literals(["a", "bc", "\n", " "]))

describe("LogTail", () => {
  it.prop("joins lines however they are cut", [Text, Schema.Natural], ([parts, seed]) => {
    const text = parts.join("")
    const size = 1 + (seed % 4)
    const log = LogTail.make()
    for (let at = 0; at < text.length; at += size) log.push(text.slice(at, at + size))
    const lines = text.split("\n")
    assert.deepStrictEqual(log.lines(), lines.at(-1) === "" ? lines.slice(0, -1) : lines)
  })

  it("keeps the newest lines", () => {
    const log = LogTail.make()
    for (let line = 0; line < 10_000; line++) log.push(`${line}\n`)
    assert.strictEqual(log.lines().length, 2_000)
    assert.strictEqual(log.lines().at(-1), "9999")
  })
})
