import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as MinuteMask from "../../src/usage/prometheus/MinuteMask.ts"
import { endedAt, startedAt } from "../../src/usage/prometheus/ContainerRuns.ts"

const HOUR = Date.parse("2026-03-02T10:00:00Z")
const MINUTE_MS = 60_000
const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Places = Schema.Array(int(0, 69))

const from = (places: ReadonlyArray<number>): MinuteMask.MinuteMask => {
  const minutes = MinuteMask.none()
  for (const place of places) minutes[place] = 1
  return minutes
}

/** The bits that a server adds up for the slice that ends at an instant. */
const bitsOf = (minutes: MinuteMask.MinuteMask, slice: number): number => {
  let bits = 0
  for (let minute = 1; minute <= 5; minute++) {
    if (minutes[MinuteMask.BEFORE + slice * 5 + minute - 1] === 1) bits += 2 ** (((minute * 60) % 300) / 60)
  }
  return bits
}

describe("the minutes of an hour", () => {
  it.prop("come back from their bits", [Places], ([places]) => {
    const minutes = from(places)
    const { endMs, startMs, stepMs } = MinuteMask.sliceEnds(HOUR)
    const points = []
    for (let atMs = startMs; atMs <= endMs; atMs += stepMs) {
      points.push({ atMs, value: bitsOf(minutes, MinuteMask.sliceOf(HOUR, atMs)) })
    }
    assert.strictEqual(points.length, 14)
    const read = MinuteMask.none()
    MinuteMask.addBits(read, HOUR, points)
    assert.deepStrictEqual(read, minutes)
  })

  it.prop("as intervals are as long as they are many", [Places], ([places]) => {
    const minutes = from(places)
    const sum = MinuteMask.spans(minutes, HOUR).reduce((length, { fromMs, toMs }) => length + toMs - fromMs, 0)
    assert.strictEqual(sum, new Set(places).size * MINUTE_MS)
    const inHour = places.filter((place) => place >= 5 && place < 65)
    const cut = MinuteMask.within(HOUR, MinuteMask.spans(minutes, HOUR)).reduce(
      (length, { fromMs, toMs }) => length + toMs - fromMs,
      0
    )
    assert.strictEqual(cut, new Set(inHour).size * MINUTE_MS)
  })

  it("holes of four minutes are closed, those of five are gaps, and ends stay as they are", () => {
    assert.deepStrictEqual(MinuteMask.spans(MinuteMask.closed(from([10, 15, 21])), HOUR), [
      { fromMs: HOUR + 5 * MINUTE_MS, toMs: HOUR + 11 * MINUTE_MS },
      { fromMs: HOUR + 16 * MINUTE_MS, toMs: HOUR + 17 * MINUTE_MS }
    ])
    assert.deepStrictEqual(
      MinuteMask.closed(from([10, 13]), (place) => place !== 12),
      from([10, 13])
    )
  })

  it("bits that no server can have meant are nothing", () => {
    const minutes = MinuteMask.none()
    for (const value of [-1, 32, 0.5, Number.NaN]) MinuteMask.addBits(minutes, HOUR, [{ atMs: HOUR + 300_000, value }])
    MinuteMask.addBits(minutes, HOUR, [
      { atMs: HOUR - 300_000, value: 31 },
      { atMs: HOUR + 2 * 3_600_000, value: 31 }
    ])
    assert.deepStrictEqual(minutes, MinuteMask.none())
  })

  it("a start or end near an interval's own puts seconds to it, one far away does not", () => {
    const span = { fromMs: HOUR, toMs: HOUR + 10 * MINUTE_MS }
    assert.strictEqual(startedAt(span, [HOUR - 90_000, HOUR - 20_000, HOUR + 90_000]).fromMs, HOUR - 20_000)
    assert.strictEqual(startedAt(span, [HOUR + 30_000]).fromMs, HOUR + 30_000)
    assert.strictEqual(startedAt(span, [HOUR - 6 * MINUTE_MS]).fromMs, HOUR)
    assert.strictEqual(endedAt(span, HOUR + 9.5 * MINUTE_MS).toMs, HOUR + 9.5 * MINUTE_MS)
    assert.strictEqual(endedAt(span, HOUR + 14 * MINUTE_MS).toMs, HOUR + 14 * MINUTE_MS)
    assert.strictEqual(endedAt(span, HOUR + 2 * MINUTE_MS).toMs, span.toMs)
    assert.strictEqual(endedAt(span, undefined).toMs, span.toMs)
  })
})
