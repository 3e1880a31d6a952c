import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LogTail } from "../../src/core/LogTail.ts"

const Line = Schema.Struct({
  text: Schema.Literals(["GET /api", "é", "日本語", ""]),
  times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))
})
const Lines = Schema.Array(Line)
const Text = Schema.Array(Schema.Literals(["a", "bc", "\n", " "]))

describe("LogTail", () => {
  it.prop("keeps at least the latest 64 KiB of whole lines, in order", [Lines], ([given]) => {
    const lines = given.map(({ text, times }, place) => `${place} ${text.repeat(times)}`)
    const log = new LogTail()
    for (const line of lines) log.add(line)
    const all = lines.map((line) => `${line}\n`).join("")
    const kept = log.toString()
    assert.isTrue(all.endsWith(kept))
    assert.isTrue(kept === all || Buffer.byteLength(kept) > 64 * 1_024 - 50_000)
    assert.isAtMost(Buffer.byteLength(kept), 128 * 1_024)
    assert.isTrue(all === kept || all.at(-kept.length - 1) === "\n")
  })

  it.prop(
    "joins the pieces of a stream to lines, wherever they were split",
    [Text, Schema.Natural],
    ([parts, seed]) => {
      const text = parts.join("")
      const size = 1 + (seed % 4)
      const log = new LogTail()
      for (let at = 0; at < text.length; at += size) log.push(text.slice(at, at + size))
      const lines = text.split("\n")
      assert.deepStrictEqual(log.lines(), lines.at(-1) === "" ? lines.slice(0, -1) : lines)
    }
  )

  it("cuts a line that never ends", () => {
    const log = new LogTail()
    for (let piece = 0; piece < 1_000; piece++) log.push("x".repeat(1_000))
    assert.isAtMost(log.toString().length, 128 * 1_024)
    log.push("\nafter")
    assert.strictEqual(log.lines().at(-1), "after")
  })

  it("cuts a line that is longer than its bound", () => {
    const log = new LogTail()
    log.add("before")
    log.add("x".repeat(1_000_000))
    log.add("after")
    const kept = log.toString()
    assert.isTrue(kept.endsWith("x\nafter\n"))
    assert.isAtMost(kept.length, 128 * 1_024)
  })
})
