import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LineRate from "../../src/faults/LineRate.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Rate = between(1, 10_000_000)
/** Pieces, each with the time since the one before. */
const Pieces = Schema.Array(Schema.Struct({ bytes: between(0, 100_000), afterMs: between(0, 5_000) }))

describe("a line with a rate", () => {
  it.prop(
    "passes what comes together in exactly its time",
    [Rate, Schema.Array(between(0, 100_000))],
    ([rate, pieces]) => {
      const end = pieces.reduce((line, bytes) => LineRate.pass(line, 0, bytes, rate), LineRate.idle)
      const total = pieces.reduce((sum, bytes) => sum + bytes, 0)
      if (pieces.length > 0) assert.closeTo(end.freeAtMs, (total * 1_000) / rate, 1e-3)
    }
  )

  it.prop(
    "never passes more in a stretch of time than its rate and its slack allow",
    [Rate, Pieces],
    ([rate, pieces]) => {
      let line = LineRate.idle
      let nowMs = 0
      const passed: Array<{ readonly startMs: number; readonly endMs: number; readonly bytes: number }> = []
      for (const { afterMs, bytes } of pieces) {
        nowMs += afterMs
        line = LineRate.pass(line, nowMs, bytes, rate)
        passed.push({ startMs: line.freeAtMs - (bytes * 1_000) / rate, endMs: line.freeAtMs, bytes })
      }
      for (const [from, first] of passed.entries()) {
        let sum = 0
        for (const one of passed.slice(from)) {
          sum += one.bytes
          const stretchMs = one.endMs - first.startMs
          assert.isAtMost(sum, (rate * (stretchMs + LineRate.SLACK_MS)) / 1_000 + 1e-3 * sum + 1e-6)
        }
      }
    }
  )

  it.prop("is never free before what it was given has had its time", [Rate, Pieces], ([rate, pieces]) => {
    let line = LineRate.idle
    let nowMs = 0
    for (const { afterMs, bytes } of pieces) {
      nowMs += afterMs
      const before = line.freeAtMs
      line = LineRate.pass(line, nowMs, bytes, rate)
      assert.isAtLeast(line.freeAtMs, before)
      assert.isAtLeast(line.freeAtMs, nowMs - LineRate.SLACK_MS + (bytes * 1_000) / rate - 1e-3)
    }
  })

  it.prop("goes in pieces that are not empty and not large", [Rate], ([rate]) => {
    const bytes = LineRate.pieceBytes(rate)
    assert.isAtLeast(bytes, 1)
    assert.isAtMost(bytes, 64 * 1024)
  })
})
