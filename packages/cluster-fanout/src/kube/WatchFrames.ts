/** Splits a byte stream into length-prefixed frames, buffering incomplete frames. */
import { Result } from "effect"
import type { JsonLines } from "./JsonLines.ts"

/** The length of a frame is four bytes, big-endian. **Source** apimachinery `pkg/util/framer`. */
const PREFIX = 4

/** Makes a splitter. **Limits** linear in the bytes, for chunks of any size; a frame has at most `limitBytes`. */
export const make = (limitBytes: number): JsonLines => {
  let buffered: Array<Buffer> = []
  let bufferedBytes = 0
  /** Number of bytes needed for the next complete frame. */
  let neededBytes = PREFIX
  const push = (piece: Buffer): Result.Result<ReadonlyArray<Buffer>, string> => {
    buffered.push(piece)
    bufferedBytes += piece.length
    if (bufferedBytes < neededBytes) return Result.succeed([])
    const bytes = buffered.length === 1 ? piece : Buffer.concat(buffered)
    const frames: Array<Buffer> = []
    let at = 0
    neededBytes = PREFIX
    while (bytes.length - at >= PREFIX) {
      const length = bytes.readUInt32BE(at)
      if (length > limitBytes) return Result.fail(`a frame of the watch is longer than ${limitBytes} bytes`)
      if (bytes.length - at < PREFIX + length) {
        neededBytes = PREFIX + length
        break
      }
      frames.push(bytes.subarray(at + PREFIX, at + PREFIX + length))
      at += PREFIX + length
    }
    buffered = at === bytes.length ? [] : [bytes.subarray(at)]
    bufferedBytes = bytes.length - at
    return Result.succeed(frames)
  }
  return { push }
}
