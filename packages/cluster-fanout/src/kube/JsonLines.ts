/** Splits a byte stream at line feeds, buffering incomplete lines. */
import { Result } from "effect"

const LINE_FEED = 0x0a

export interface JsonLines {
  /** Returns the lines that a chunk completes, without blank ones. **Errors** a line over the limit. */
  readonly push: (piece: Buffer) => Result.Result<ReadonlyArray<Buffer>, string>
}

/** Makes a splitter. **Limits** linear in the bytes, for chunks of any size; a line has at most `limitBytes`. */
export const make = (limitBytes: number): JsonLines => {
  let buffered: Array<Buffer> = []
  let bufferedBytes = 0
  const push = (piece: Buffer): Result.Result<ReadonlyArray<Buffer>, string> => {
    const lines: Array<Buffer> = []
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const end = piece.subarray(from, at)
      if (bufferedBytes + end.length > limitBytes) return tooLong(limitBytes)
      const line = buffered.length === 0 ? end : Buffer.concat([...buffered, end])
      if (line.length > 0) lines.push(line)
      buffered = []
      bufferedBytes = 0
      from = at + 1
    }
    if (from < piece.length) {
      buffered.push(piece.subarray(from))
      bufferedBytes += piece.length - from
    }
    return bufferedBytes > limitBytes ? tooLong(limitBytes) : Result.succeed(lines)
  }
  return { push }
}

const tooLong = (limitBytes: number) => Result.fail(`a line of the watch is longer than ${limitBytes} bytes`)
