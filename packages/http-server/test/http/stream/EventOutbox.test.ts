import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { EventOutbox } from "../../../src/http/stream/EventOutbox.ts"

const MANY = 501

const make = (most = 1_000) => {
  const told = { overruns: 0 }
  const outbox = new EventOutbox(most, () => {
    told.overruns++
  })
  return { outbox, told }
}
const texts = (count: number, text = "x") => Array.from({ length: count }, () => text)

describe("EventOutbox", () => {
  it("cuts a reader that leaves more waiting than it may, in bytes", () => {
    const { outbox, told } = make()
    outbox.push(texts(1_001))
    assert.strictEqual(told.overruns, 0)
    outbox.push(["one more"])
    assert.strictEqual(told.overruns, 1)
    assert.isFalse(outbox.isWaiting)
  })

  it("cuts one that leaves too many changes waiting, whose texts are not made yet", () => {
    const { outbox, told } = make()
    let batches = 0
    while (told.overruns === 0 && batches < 100) {
      outbox.pushMany(MANY, texts(MANY))
      batches++
    }
    assert.strictEqual(batches, Math.ceil(10_000 / MANY) + 1)
    assert.isFalse(outbox.isWaiting)
  })

  it.effect("does not cut one that takes them, nor count what a reader begins with", () =>
    Effect.gen(function* () {
      const { outbox, told } = make()
      outbox.pushLater(texts(50_000, "ab"))
      for (let batch = 0; batch < 100; batch++) {
        outbox.pushMany(MANY, texts(MANY, "c".repeat(200)))
        yield* Stream.runHead(outbox.bytes)
        yield* Stream.runHead(outbox.bytes)
      }
      assert.strictEqual(told.overruns, 0)
      outbox.end("end")
      const rest = yield* Stream.runCollect(outbox.bytes)
      assert.strictEqual(Buffer.concat([...rest]).toString(), "end")
    })
  )
})
