import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LogTail } from "../../src/serving/LogTail.ts"

const Line = Schema.Struct({
  text: Schema.Literals(["GET /api", "é", "日本語", ""]),
  times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))
})
const Lines = Schema.Array(Line)

describe("LogTail", () => {
  it.prop("keeps the latest lines, whole and in order, and at least 64 KiB of them", [Lines], ([given]) => {
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

  it("cuts a line that is longer than all that it may keep", () => {
    const log = new LogTail()
    log.add("before")
    log.add("x".repeat(1_000_000))
    log.add("after")
    const kept = log.toString()
    assert.isTrue(kept.endsWith("x\nafter\n"))
    assert.isAtMost(kept.length, 128 * 1_024)
  })
})
