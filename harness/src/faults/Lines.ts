/** Cuts a stream of bytes into lines, however it arrives. */

/** A line longer than this passes as it comes: no event that a filter looks for is so long. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** A stage that a body passes through. What `end` gives comes last. */
export interface Stage {
  readonly push: (chunk: Buffer) => Buffer
  readonly end: () => Buffer
}

/**
 * Makes a stage that hands each whole line, with its newline, to `each`; `undefined` takes the line out.
 *
 * The last line may lack its newline. Any cutting of the same bytes into chunks gives the same bytes.
 *
 * **Limits** holds at most one line, of at most {@link MAX_LINE_BYTES}.
 */
export const stage = (each: (line: Buffer) => Buffer | undefined, maxLineBytes = MAX_LINE_BYTES): Stage => {
  let parts: Array<Buffer> = []
  let length = 0
  /** The line under way was too long to hold, so the rest of it passes too. */
  let passing = false

  const push = (chunk: Buffer): Buffer => {
    const out: Array<Buffer> = []
    let start = 0
    for (let mark = chunk.indexOf(NEWLINE); mark !== -1; mark = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, mark + 1), out)
      complete(out)
      start = mark + 1
    }
    if (start < chunk.length) take(chunk.subarray(start), out)
    return joined(out)
  }
  const take = (bytes: Buffer, out: Array<Buffer>): void => {
    if (passing) {
      out.push(bytes)
      return
    }
    parts.push(bytes)
    length += bytes.length
    if (length > maxLineBytes) {
      out.push(...parts)
      parts = []
      passing = true
    }
  }
  const complete = (out: Array<Buffer>): void => {
    const line = passing ? undefined : each(joined(parts))
    if (line !== undefined) out.push(line)
    parts = []
    length = 0
    passing = false
  }
  return {
    push,
    end: () => {
      if (passing || length === 0) return NOTHING
      const out: Array<Buffer> = []
      complete(out)
      return joined(out)
    }
  }
}

const joined = (parts: ReadonlyArray<Buffer>): Buffer => {
  const [only] = parts
  return only === undefined ? NOTHING : parts.length === 1 ? only : Buffer.concat(parts)
}
