import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RetryAfter from "../../src/usage/prometheus/RetryAfterHeader.ts"

const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
const NOW = Date.parse("2026-03-02T10:00:00Z")

describe("Retry-After", () => {
  it.prop("says the same as seconds and as a date", [Seconds], ([seconds]) => {
    const date = new Date(NOW + seconds * 1_000).toUTCString()
    assert.strictEqual(RetryAfter.parse(String(seconds), NOW), seconds * 1_000)
    assert.strictEqual(RetryAfter.parse(` ${date} `, NOW), seconds * 1_000)
  })

  it.prop("is never more than a day, nor less than nothing, whatever is written", [Schema.String], ([text]) => {
    const waitMs = RetryAfter.parse(text, NOW) ?? 0
    assert.isTrue(waitMs >= 0 && waitMs <= RetryAfter.MAX_MS)
  })

  it("is nothing where it is neither, and a day where it is longer", () => {
    const said = [
      undefined,
      "",
      "soon",
      "-1",
      "1.5",
      "1e3",
      "999999999999",
      "Fri, 01 Jan 2100 00:00:00 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT"
    ]
    assert.deepStrictEqual(
      said.map((text) => RetryAfter.parse(text, NOW)),
      [undefined, undefined, undefined, undefined, undefined, undefined, RetryAfter.MAX_MS, RetryAfter.MAX_MS, 0]
    )
  })

  it("of a reply that succeeds asks for nothing, and a clock that goes back far ends the wait", () => {
    const cooldown = RetryAfter.makeCooldown()
    cooldown.record({ status: 200, retryAfter: "60" }, NOW)
    assert.strictEqual(cooldown.leftMs(NOW), 0)
    cooldown.record({ status: 503, retryAfter: "60" }, NOW)
    assert.strictEqual(cooldown.leftMs(NOW + 20_000), 40_000)
    assert.strictEqual(cooldown.leftMs(NOW + 60_000), 0)
    assert.strictEqual(cooldown.leftMs(NOW - 2 * RetryAfter.MAX_MS), 0)
  })
})
