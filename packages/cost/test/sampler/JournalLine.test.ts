import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { JournalEntry, parseLine, printLine } from "../../src/sampler/JournalEntry.ts"

const lineOf = (entry: JournalEntry): string => printLine(entry).slice(0, -1)
const Place = Schema.Natural

describe("an entry of an open hour", () => {
  it.prop("is one line, and the same after it was read", [JournalEntry], ([entry]) => {
    const line = printLine(entry)
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    // As JSON has it: without negative zero, and in no order of fields.
    assert.deepStrictEqual(parseLine(lineOf(entry)), JSON.parse(JSON.stringify(entry)))
  })

  it.prop("gives nothing once a crash cut its line", [JournalEntry, Place], ([entry, place]) => {
    const line = lineOf(entry)
    assert.isUndefined(parseLine(line.slice(0, place % line.length)))
  })

  it.prop("gives nothing once a character of it is another", [JournalEntry, Place], ([entry, place]) => {
    const line = lineOf(entry)
    const at = place % line.length
    const other = line[at] === "0" ? "1" : "0"
    if (at === 8) return
    assert.isUndefined(parseLine(`${line.slice(0, at)}${other}${line.slice(at + 1)}`))
  })
})
