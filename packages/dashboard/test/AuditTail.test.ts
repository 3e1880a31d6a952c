import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { atMs, inOrder, isGap } from "../src/api/AuditTail.ts"

const eventOf = (number: number) => ({ id: String(number), at: DateTime.makeUnsafe(Math.floor(number / 3) * 1_000) })
const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })))

describe("events that are followed", () => {
  it.prop("stand once each, the newest first, however often and late they came", [Numbers], ([numbers]) => {
    const shown = inOrder(numbers.map(eventOf))
    assert.deepStrictEqual(
      shown.map(({ id }) => Number(id)),
      [...new Set(numbers)].toSorted((a, b) => b - a)
    )
    assert.isTrue(shown.every((event, place) => place === 0 || atMs(event) <= atMs(shown[place - 1] ?? event)))
  })

  const [older, newer] = [[eventOf(1)], [eventOf(3), eventOf(2), eventOf(1)]]
  it.each([
    ["all that came since was read", eventOf(0), newer, false, false],
    ["more came than was read, back to what is shown", eventOf(1), newer, true, false],
    ["more came than was read, and what is shown is not among it", eventOf(0), newer, true, true],
    ["more came than was read while nothing was shown", undefined, newer, true, true],
    ["the first that ever came were read", undefined, older, false, false]
  ] as const)("%s: whether some are missing", (_name, newest, events, isCut, expected) => {
    assert.strictEqual(isGap(newest, { events, isCut }), expected)
  })
})
