import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as watchFrames from "../../src/kube/WatchFrames.ts"
import { framed } from "../fixture/ProtobufWriter.ts"

const Texts = Schema.Array(Schema.String)
const Cuts = Schema.Array(Schema.Natural)

const split = (bytes: Buffer, cuts: ReadonlyArray<number>, limit = 1_000_000) => {
  const frames = watchFrames.make(limit)
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  let from = 0
  return Result.all(
    ends.map((end) => {
      const piece = bytes.subarray(from, end)
      from = end
      return frames.push(piece)
    })
  ).pipe(Result.map((found) => found.flat().map((frame) => frame.toString("utf8"))))
}

describe("WatchFrames", () => {
  it.prop("however the bytes are cut, the same frames come out", [Texts, Cuts], ([texts, cuts]) => {
    const bytes = Buffer.concat(texts.map((text) => framed(Buffer.from(text))))
    assert.deepStrictEqual(
      Result.getOrThrow(split(bytes, cuts)),
      texts.map((text) => Buffer.from(text).toString("utf8"))
    )
  })

  it("so do they byte by byte, and what is not whole is held back", () => {
    const bytes = Buffer.concat([framed(Buffer.from("one")), framed(Buffer.from("two")).subarray(0, -1)])
    const each = Array.from({ length: bytes.length }, (_, place) => place)
    assert.deepStrictEqual(Result.getOrThrow(split(bytes, each)), ["one"])
  })

  it.prop("a frame over the limit is refused, however it is cut", [Cuts], ([cuts]) => {
    assert.deepStrictEqual(
      split(framed(Buffer.alloc(101, "x")), cuts, 100),
      Result.fail("a frame of the watch is longer than 100 bytes")
    )
    assert.isTrue(Result.isSuccess(split(framed(Buffer.alloc(100, "x")), cuts, 100)))
  })
})
