import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { demultiplexed } from "../../../src/drivers/k3s/Containers.ts"

const frame = (text: string, stream: number): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

describe("demultiplexed", () => {
  it.prop("gives the text of both streams in its order", [Schema.Array(Schema.String)], ([texts]) => {
    const frames = Buffer.concat(texts.map((text, index) => frame(text, 1 + (index % 2))))
    assert.strictEqual(demultiplexed(frames), texts.map((text) => Buffer.from(text).toString()).join(""))
  })

  it("gives what there is of a frame that is cut off", () => {
    assert.strictEqual(demultiplexed(frame("whole line", 2).subarray(0, 13)), "whole")
  })
})
