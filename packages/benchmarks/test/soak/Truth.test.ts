import { assert, describe, it } from "@effect/vitest"
import { Truth } from "../../src/soak/Truth.ts"

const at = (askedAt: number, lagMs = 0, hadAt = askedAt) => ({ askedAt, hadAt, lagMs })

const written = () => {
  const truth = new Truth()
  const write = (value: number | undefined, begunAt: number, endedAt: number | undefined) => {
    truth.begin("a", value, begunAt).endedAt = endedAt
  }
  return { truth, write }
}

describe("Truth", () => {
  it("refuses what is older than the lag, what is to come, and what never was", () => {
    const { truth, write } = written()
    write(1, 100, 110)
    write(2, 200, 210)
    assert.isTrue(truth.allows("a", 2, at(300)))
    assert.isFalse(truth.allows("a", 1, at(300)))
    assert.isTrue(truth.allows("a", 1, at(300, 100)))
    assert.isFalse(truth.allows("a", 2, at(150)))
    assert.isFalse(truth.allows("a", 3, at(300)))
  })

  it("refuses to miss what is there, and to show what is gone", () => {
    const { truth, write } = written()
    assert.isTrue(truth.allows("a", undefined, at(50)))
    write(1, 100, 110)
    assert.isFalse(truth.allows("a", undefined, at(300)))
    write(undefined, 400, 410)
    assert.isTrue(truth.allows("a", undefined, at(500)))
    assert.isFalse(truth.allows("a", 1, at(500)))
    assert.deepStrictEqual(truth.present(), [])
  })

  it("allows both while a write is under way, or was lost", () => {
    const { truth, write } = written()
    write(1, 100, 110)
    write(2, 200, undefined)
    for (const value of [1, 2]) assert.isTrue(truth.allows("a", value, at(10_000)))
    assert.isFalse(truth.isQuiet("a", 10_000))
    write(3, 300, 310)
    assert.isFalse(truth.allows("a", 2, at(10_000)))
  })

  it("remembers ten minutes, and what was there at their beginning", () => {
    const { truth, write } = written()
    for (let minute = 0; minute < 60; minute++) write(minute, minute * 60_000, minute * 60_000 + 10)
    const now = { askedAt: 3_600_000, hadAt: 3_600_000, lagMs: Number.POSITIVE_INFINITY }
    assert.isTrue(truth.allows("a", 59, now))
    assert.isTrue(truth.allows("a", 49, now))
    assert.isFalse(truth.allows("a", 40, now))
  })
})
