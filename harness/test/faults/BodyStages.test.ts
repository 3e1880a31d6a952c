import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as BodyStages from "../../src/faults/BodyStages.ts"
import * as Lines from "../../src/faults/Lines.ts"
import { isJson } from "./Fixture.ts"

/** Sends a text through a stage, cut at the given places. */
const through = (stage: Lines.Stage, text: string, cuts: ReadonlyArray<number> = []): string => {
  const bytes = Buffer.from(text)
  const places = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((left, right) => left - right),
    bytes.length
  ]
  const out = places.slice(1).map((end, index) => stage.push(bytes.subarray(places[index], end)))
  return Buffer.concat([...out, stage.end()]).toString()
}

const Cuts = Schema.Array(Schema.Natural)
const Name = Schema.String
const Event = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["ADDED", "MODIFIED", "DELETED"]), name: Name }),
  Schema.Struct({ type: Schema.Literal("BOOKMARK"), name: Schema.Literal("") })
])

const lineOf = ({ name, type }: typeof Event.Type): string =>
  `${JSON.stringify({ type, object: { metadata: { name, annotations: { note: '{"type":"BOOKMARK"}' } } } })}\n`

const always = () => true
const filter = () => BodyStages.withoutBookmarks({ keepInitialEventsEnd: false, isActive: always })

describe("a watch without bookmarks", () => {
  it.prop("has all other events, however the stream is cut", [Schema.Array(Event), Cuts], ([events, cuts]) => {
    const kept = events.filter(({ type }) => type !== "BOOKMARK")
    assert.strictEqual(through(filter(), events.map(lineOf).join(""), cuts), kept.map(lineOf).join(""))
  })

  it.prop("passes any bytes that are no bookmarks, whole or not", [Schema.String, Cuts], ([text, cuts]) => {
    assert.strictEqual(through(filter(), text, cuts), Buffer.from(text).toString())
  })

  it("loses a bookmark without a newline at the end, and keeps what is no JSON", () => {
    assert.strictEqual(through(filter(), '{"type":"ADDED"}\n{"type":"BOOKMARK","object":{}}'), '{"type":"ADDED"}\n')
    assert.strictEqual(through(filter(), 'oops "BOOKMARK" {\n'), 'oops "BOOKMARK" {\n')
  })

  it("keeps the end of the initial events where it should", () => {
    const end = '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
    const kept = BodyStages.withoutBookmarks({ keepInitialEventsEnd: true, isActive: always })
    assert.strictEqual(through(kept, `${end}{"type":"BOOKMARK","object":{}}\n`), end)
    assert.strictEqual(through(filter(), end), "")
  })

  it("has them again once healed", () => {
    let active = true
    const stage = BodyStages.withoutBookmarks({ keepInitialEventsEnd: false, isActive: () => active })
    const bookmark = Buffer.from('{"type":"BOOKMARK","object":{}}\n')
    assert.strictEqual(stage.push(bookmark).length, 0)
    active = false
    assert.strictEqual(stage.push(bookmark).toString(), bookmark.toString())
  })
})

describe("lines", () => {
  it.prop("come whole, however the stream is cut", [Schema.String, Cuts], ([text, cuts]) => {
    const seen: Array<string> = []
    const stage = Lines.stage((line) => {
      seen.push(line.toString())
      return line
    })
    const whole = Buffer.from(text).toString()
    assert.strictEqual(through(stage, text, cuts), whole)
    assert.deepStrictEqual(
      seen,
      whole.split(/(?<=\n)/).filter((line) => line !== "")
    )
  })

  it.prop("that are too long pass unseen, and those after them are seen", [Cuts], ([cuts]) => {
    const stage = Lines.stage(() => undefined, 8)
    assert.strictEqual(through(stage, `short\n${"x".repeat(50)}\nshort\n`, cuts), `${"x".repeat(50)}\n`)
  })
})

describe("malformed JSON", () => {
  it.prop("is the reply without its last brace, however it is cut", [Schema.JsonObject, Cuts], ([value, cuts]) => {
    const text = JSON.stringify(value)
    const out = through(BodyStages.malformedReply(), `${text}\n`, cuts)
    assert.strictEqual(out, `${text.slice(0, -1)}\n`)
    assert.isFalse(isJson(out))
  })

  it.prop("is no event that parses, in as many lines", [Schema.Array(Event), Cuts], ([events, cuts]) => {
    const out = through(BodyStages.malformedEvents(always), events.map(lineOf).join(""), cuts)
    const lines = out.split("\n").slice(0, -1)
    assert.strictEqual(lines.length, events.length)
    for (const line of lines) assert.isFalse(isJson(line))
  })
})

describe("a truncated body", () => {
  it.prop(
    "is a beginning of the body, of the length asked for and never all",
    [Schema.NonEmptyString, Schema.Natural, Cuts],
    ([text, limit, cuts]) => {
      const bytes = Buffer.from(text)
      const wanted = limit % (bytes.length * 2)
      const stage = BodyStages.truncated(wanted, always)
      const places = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((left, right) => left - right), bytes.length]
      const out = Buffer.concat(places.slice(1).map((end, index) => stage.push(bytes.subarray(places[index], end))))
      assert.isTrue(bytes.subarray(0, out.length).equals(out))
      assert.strictEqual(out.length, Math.min(wanted, bytes.length - 1))
    }
  )
})
