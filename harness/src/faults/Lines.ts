/** Splits a stream of bytes into lines, regardless of its chunks. */

/** Longest line that a filter sees. Longer lines pass unchanged. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** Transforms a body chunk by chunk. `push` and `end` return bytes to send on; `end` returns the rest. */
export interface Stage {
  readonly push: (chunk: Buffer) => Buffer
  readonly end: () => Buffer
}

/**
 * Creates a stage that calls `each` with each line and its newline. If `each` returns `undefined`, the line is dropped.
 *
 * The last line may lack a newline. The output does not depend on the chunks of the input.
 *
 * **Limits** buffers at most one line of up to {@link MAX_LINE_BYTES}.
 */
export const stage = (each: (line: Buffer) => Buffer | undefined, maxLineBytes = MAX_LINE_BYTES): Stage => {
  let parts: Array<Buffer> = []
  let length = 0
  /** True while the rest of a line that is too long passes. */
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
