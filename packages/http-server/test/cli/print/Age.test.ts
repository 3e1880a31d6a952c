import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Age from "../../../src/cli/print/Age.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LETTERS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, y: 365 * DAY }

/** Reads an age back. **Units** milliseconds. */
const lengthOf = (text: string): number =>
  [...text.matchAll(/(\d+)([smhdy])/g)].reduce(
    (sum, [, count, letter = ""]) => sum + Number(count) * (LETTERS[letter] ?? 0),
    0
  )

describe("Age", () => {
  it.each([
    [-5 * SECOND, "0s"],
    [0, "0s"],
    [119 * SECOND, "119s"],
    [2 * MINUTE, "2m"],
    [9 * MINUTE + 59 * SECOND, "9m59s"],
    [10 * MINUTE + 59 * SECOND, "10m"],
    [179 * MINUTE, "179m"],
    [3 * HOUR, "3h"],
    [7 * HOUR + 59 * MINUTE, "7h59m"],
    [47 * HOUR + 59 * MINUTE, "47h"],
    [2 * DAY, "2d"],
    [7 * DAY + 23 * HOUR, "7d23h"],
    [8 * DAY + 23 * HOUR, "8d"],
    [729 * DAY, "729d"],
    [730 * DAY, "2y"],
    [731 * DAY, "2y1d"],
    [3_000 * DAY, "8y"]
  ])("%d ms is %s, as kubectl writes it", (ms, text) => {
    assert.strictEqual(Age.print(ms), text)
  })

  it.prop(
    "is never longer than the time, and short of it by less than a quarter",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 * 365 * DAY }))],
    ([ms]) => {
      const read = lengthOf(Age.print(ms))
      assert.isAtMost(read, ms)
      assert.isAtMost(ms - read, Math.max(SECOND, ms / 4))
    }
  )
})
