import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FiberSet, Schema } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { PassThrough, Writable } from "node:stream"
import * as Lane from "../../src/faults/Lane.ts"
import type { Line } from "../../src/faults/LineRate.ts"
import * as LineRate from "../../src/faults/LineRate.ts"

/** Streams hand on what they hold in turns of the event loop; all of them are over when this is. */
const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
})
const adjust = (ms: number) => Effect.andThen(Effect.andThen(settled, TestClock.adjust(ms)), settled)

/** A lane between two streams, on the test's clock. */
const between = (rules: Partial<Lane.Rules>, chance = 0) =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void>()
    const from = new PassThrough()
    const arrived: Array<Buffer> = []
    const to = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        arrived.push(chunk)
        done()
      }
    })
    const clock = yield* Clock.Clock
    const lane = Lane.make({
      from,
      to,
      clock,
      run,
      chance: () => chance,
      rules: { ...Lane.FREE, ...rules },
      onWritten: () => undefined
    })
    const send = (text: string) =>
      Effect.andThen(
        Effect.sync(() => from.write(text)),
        settled
      )
    return { from, to, lane, send, text: () => Buffer.concat(arrived).toString(), pieces: () => arrived.map(String) }
  })

const rate = (bytesPerSecond: number, pieceBytes: number, line?: { state: Line }): Lane.Rate => ({
  bytesPerSecond,
  pieceBytes,
  ...(line === undefined ? {} : { line })
})

describe("a lane", () => {
  it.effect("without rules passes at once, and its end too", () =>
    Effect.gen(function* () {
      const { from, send, text, to } = yield* between({})
      yield* send("hello")
      assert.strictEqual(text(), "hello")
      from.end()
      yield* settled
      assert.isTrue(to.writableFinished)
    })
  )

  it.effect("with latency passes after exactly that time, the end behind the bytes", () =>
    Effect.gen(function* () {
      const { from, send, text, to } = yield* between({ latencyMs: 100 })
      yield* send("a")
      yield* adjust(60)
      yield* send("b")
      from.end()
      yield* adjust(39)
      assert.strictEqual(text(), "")
      yield* adjust(1)
      assert.strictEqual(text(), "a")
      yield* adjust(59)
      assert.isFalse(to.writableEnded)
      yield* adjust(1)
      assert.strictEqual(text(), "ab")
      assert.isTrue(to.writableFinished)
    })
  )

  it.effect("with jitter passes later by a part of it, in order", () =>
    Effect.gen(function* () {
      const { send, text } = yield* between({ latencyMs: 100, jitterMs: 40 }, 0.5)
      yield* send("a")
      yield* adjust(119)
      assert.strictEqual(text(), "")
      yield* adjust(1)
      assert.strictEqual(text(), "a")
    })
  )

  it.effect("with a rate passes in pieces that take their time", () =>
    Effect.gen(function* () {
      const { pieces, send } = yield* between({ rates: [rate(10, 2)] })
      yield* send("abcdef")
      yield* adjust(199)
      assert.deepStrictEqual(pieces(), [])
      yield* adjust(1)
      assert.deepStrictEqual(pieces(), ["ab"])
      yield* adjust(400)
      assert.deepStrictEqual(pieces(), ["ab", "cd", "ef"])
    })
  )

  it.effect("with several rates keeps the slowest, after the latency", () =>
    Effect.gen(function* () {
      const { send, text } = yield* between({ latencyMs: 50, rates: [rate(1_000, 100), rate(10, 5)] })
      yield* send("abcde")
      yield* adjust(549)
      assert.strictEqual(text(), "")
      yield* adjust(1)
      assert.strictEqual(text(), "abcde")
    })
  )

  it.effect("shares a line with others that have it", () =>
    Effect.gen(function* () {
      const line = { state: LineRate.idle }
      const one = yield* between({ rates: [rate(10, 5, line)] })
      const other = yield* between({ rates: [rate(10, 5, line)] })
      yield* one.send("abcde")
      yield* other.send("fghij")
      yield* adjust(500)
      assert.deepStrictEqual([one.text(), other.text()], ["abcde", ""])
      yield* adjust(500)
      assert.deepStrictEqual([one.text(), other.text()], ["abcde", "fghij"])
    })
  )

  it.effect("that is held passes nothing, then all that waited", () =>
    Effect.gen(function* () {
      const { from, lane, send, text, to } = yield* between({ held: true })
      yield* send("a")
      from.end("b")
      yield* adjust(60_000)
      assert.strictEqual(text(), "")
      lane.apply(Lane.FREE)
      yield* settled
      assert.strictEqual(text(), "ab")
      assert.isTrue(to.writableFinished)
    })
  )

  it.effect("that heals passes what was under way at once", () =>
    Effect.gen(function* () {
      const { lane, send, text } = yield* between({ latencyMs: 60_000 })
      yield* send("slow ")
      lane.apply({ ...Lane.FREE, rates: [rate(1, 1)] })
      yield* settled
      lane.apply(Lane.FREE)
      yield* send("fast")
      assert.strictEqual(text(), "slow fast")
    })
  )

  it.effect("that is abandoned takes all and passes nothing", () =>
    Effect.gen(function* () {
      const { from, lane, send, text } = yield* between({})
      lane.abandon()
      yield* send("lost")
      assert.strictEqual(text(), "")
      assert.strictEqual(from.readableLength, 0)
    })
  )

  it.effect("leaves to the sender what is more than it holds", () =>
    Effect.gen(function* () {
      const { from, send } = yield* between({ latencyMs: 1_000 })
      for (let sent = 0; sent < 40; sent++) yield* send("x".repeat(64 * 1024))
      assert.isAbove(from.readableLength + from.writableLength, 1024 * 1024)
    })
  )

  const Chunks = Schema.Array(Schema.String.check(Schema.isMaxLength(40)))
  const Bytes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))
  it.effect.prop(
    "passes every byte in order, whatever its rules",
    [Chunks, Bytes, Bytes, Schema.Boolean],
    ([chunks, piece, speed, late]) =>
      Effect.gen(function* () {
        const { send, text } = yield* between(
          { latencyMs: late ? 30 : 0, jitterMs: 5, rates: [rate(speed * 100, piece)] },
          0.3
        )
        for (const chunk of chunks) yield* send(chunk)
        yield* adjust(60_000)
        assert.strictEqual(text(), Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString())
      }).pipe(Effect.scoped)
  )
})
