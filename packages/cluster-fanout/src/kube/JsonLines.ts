/** Splits a stream of bytes at line feeds, holding back what is not a whole line yet. */
import { Result } from "effect"

const LINE_FEED = 0x0a

export interface JsonLines {
  /** Gives the lines that a piece completes, blank ones left out. **Errors** a line over the limit. */
  readonly push: (piece: Buffer) => Result.Result<ReadonlyArray<Buffer>, string>
}

/** Makes a splitter. **Limits** linear in the bytes, whatever the pieces; one line is at most `limitBytes`. */
export const make = (limitBytes: number): JsonLines => {
  let held: Array<Buffer> = []
  let heldBytes = 0
  const push = (piece: Buffer): Result.Result<ReadonlyArray<Buffer>, string> => {
    const lines: Array<Buffer> = []
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const end = piece.subarray(from, at)
      if (heldBytes + end.length > limitBytes) return tooLong(limitBytes)
      const line = held.length === 0 ? end : Buffer.concat([...held, end])
      if (line.length > 0) lines.push(line)
      held = []
      heldBytes = 0
      from = at + 1
    }
    if (from < piece.length) {
      held.push(piece.subarray(from))
      heldBytes += piece.length - from
    }
    return heldBytes > limitBytes ? tooLong(limitBytes) : Result.succeed(lines)
  }
  return { push }
}

const tooLong = (limitBytes: number) => Result.fail(`a line of the watch is longer than ${limitBytes} bytes`)
