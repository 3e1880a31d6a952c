import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { atMs, inOrder } from "../src/api/AuditTail.ts"

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
})
