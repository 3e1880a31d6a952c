import { assert, describe, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import { explanation } from "../../../src/http/mcp/ToolShapes.ts"

const at = (hour: number): string => new Date(Date.UTC(2026, 0, 1, hour)).toISOString()

/** What the route answers for a window, from the hour `first` on. */
const replyOf = (first: number, count: number) => ({
  window: { start: at(first), end: at(first + count) },
  clusters: [{ name: "hub", status: "ok" }],
  hours: Array.from({ length: count }, (_, index) => ({ start: at(first + index), end: at(first + index + 1) }))
})

const startsOf = (hours: unknown): ReadonlyArray<unknown> =>
  Array.isArray(hours) ? hours.map((hour: unknown) => (Predicate.hasProperty(hour, "start") ? hour.start : "")) : []

const decodeOlder = Schema.decodeUnknownSync(Schema.Struct({ from: Schema.String, to: Schema.String }))
const hourOf = (text: string): number => (Date.parse(text) - Date.parse(at(0))) / 3_600_000

describe("the explanation of a cost", () => {
  it.prop(
    "leads from its newest hours to all older ones, each once",
    {
      count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 })),
      most: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
    },
    ({ count, most }) => {
      const found: Array<unknown> = []
      let reply = replyOf(0, count)
      for (;;) {
        const { answer, rows } = explanation(reply, most)
        assert.isAtMost(rows, most)
        assert.strictEqual(answer["returned"], rows)
        found.push(...startsOf(answer["hours"]))
        assert.strictEqual(answer["truncated"], answer["older"] !== undefined)
        if (answer["truncated"] !== true) break
        const { from, to } = decodeOlder(answer["older"])
        reply = replyOf(hourOf(from), hourOf(to) - hourOf(from))
      }
      assert.deepStrictEqual(found, startsOf(replyOf(0, count).hours).toReversed())
    }
  )
})
