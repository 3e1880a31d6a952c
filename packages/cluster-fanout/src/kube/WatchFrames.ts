/** Splits a stream of bytes into frames that begin with their length, holding back what is not a whole frame yet. */
import { Result } from "effect"
import type { JsonLines } from "./JsonLines.ts"

/** The length of a frame is four bytes, the highest first. **Source** apimachinery `pkg/util/framer`. */
const PREFIX = 4

/** Makes a splitter. **Limits** linear in the bytes, whatever the pieces; one frame is at most `limitBytes`. */
export const make = (limitBytes: number): JsonLines => {
  let held: Array<Buffer> = []
  let heldBytes = 0
  /** So many bytes must be there before another frame can be whole. */
  let wanted = PREFIX
  const push = (piece: Buffer): Result.Result<ReadonlyArray<Buffer>, string> => {
    held.push(piece)
    heldBytes += piece.length
    if (heldBytes < wanted) return Result.succeed([])
    const bytes = held.length === 1 ? piece : Buffer.concat(held)
    const frames: Array<Buffer> = []
    let at = 0
    wanted = PREFIX
    while (bytes.length - at >= PREFIX) {
      const length = bytes.readUInt32BE(at)
      if (length > limitBytes) return Result.fail(`a frame of the watch is longer than ${limitBytes} bytes`)
      if (bytes.length - at < PREFIX + length) {
        wanted = PREFIX + length
        break
      }
      frames.push(bytes.subarray(at + PREFIX, at + PREFIX + length))
      at += PREFIX + length
    }
    held = at === bytes.length ? [] : [bytes.subarray(at)]
    heldBytes = bytes.length - at
    return Result.succeed(frames)
  }
  return { push }
}
