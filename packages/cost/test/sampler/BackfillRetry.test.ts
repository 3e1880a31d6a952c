import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as BackfillState from "../../src/sampler/BackfillState.ts"

const Attempts = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const failed = { _tag: "Failed", retryAfterMs: 0 } as const

describe("a backfill asks again", () => {
  it("never, once nothing is open", () => {
    assert.strictEqual(BackfillState.waitMs({ _tag: "Complete" }, 3), Infinity)
  })

  it("after ten seconds and twice as long each time, up to ten minutes, while the source fails", () => {
    const waits = [0, 1, 2, 5, 6, 40].map((attempts) => BackfillState.waitMs(failed, attempts) / 1_000)
    assert.deepStrictEqual(waits, [10, 20, 40, 320, 600, 600])
  })

  it("after a minute and twice as long each time, up to an hour, while the source does not know the hours", () => {
    const waits = [0, 1, 5, 6, 40].map((attempts) => BackfillState.waitMs({ _tag: "Unknown" }, attempts) / 60_000)
    assert.deepStrictEqual(waits, [1, 2, 32, 60, 60])
  })

  it.prop("not sooner than the source asks for", [Attempts, Schema.Int], ([attempts, retryAfterMs]) => {
    const waitMs = BackfillState.waitMs({ _tag: "Failed", retryAfterMs }, attempts)
    return waitMs >= retryAfterMs && waitMs >= 10_000
  })

  it.prop("later after each attempt, and within an hour", [Attempts], ([attempts]) => {
    for (const ending of [failed, { _tag: "Unknown" } as const]) {
      const [now, next] = [BackfillState.waitMs(ending, attempts), BackfillState.waitMs(ending, attempts + 1)]
      assert.isAtLeast(next, now)
      assert.isAtMost(next, HOUR_MS)
    }
  })
})
