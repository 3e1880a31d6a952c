import { assert, describe, it } from "@effect/vitest"
import { Duration, Result, Schema } from "effect"
import * as Grace from "../src/Grace.ts"

const hoursOf = (text: string) => Result.map(Grace.parse(text), Duration.toHours)

describe("a grace", () => {
  it.each([
    ["0h", 0],
    ["0d", 0],
    ["1h", 1],
    ["24h", 24],
    ["720h", 720],
    ["30d", 720]
  ])("%s is %i hours", (text, hours) => {
    assert.deepStrictEqual(hoursOf(text), Result.succeed(hours))
  })

  it.each([
    ["", "syntax"],
    ["0", "syntax"],
    ["h", "syntax"],
    ["01h", "syntax"],
    ["-1h", "syntax"],
    ["1.5h", "syntax"],
    ["1m", "syntax"],
    ["1y", "syntax"],
    ["1 h", "syntax"],
    ["1h\n", "syntax"],
    ["10000h", "syntax"],
    ["721h", "tooLong"],
    ["31d", "tooLong"],
    ["9999d", "tooLong"]
  ])("%j is refused: %s", (text, problem) => {
    const read = Grace.parse(text)
    assert.strictEqual(Result.isFailure(read) ? read.failure.problem : "read", problem)
  })

  it.prop("is 30 days at most, whatever the text", [Schema.String], ([text]) => {
    assert.isTrue(Result.match(hoursOf(text), { onFailure: () => true, onSuccess: (hours) => hours <= 720 }))
  })
})
