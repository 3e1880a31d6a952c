/**
 * Keeps the newest bytes of a stream.
 */

const LINE_FEED = 0x0a

export class LogTail {
  readonly #max: number
  #pieces: Array<Buffer> = []
  #bytes = 0
  #isCut = false

  /** Keeps the newest `max` bytes. May briefly hold one more chunk. */
  constructor(max: number) {
    this.#max = max
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    let first = this.#pieces[0]
    // One byte more than `max` is kept, to know whether the result begins at a line.
    while (first !== undefined && this.#bytes - first.length > this.#max) {
      this.#pieces.shift()
      this.#bytes -= first.length
      this.#isCut = true
      first = this.#pieces[0]
    }
  }

  /** True if older bytes were dropped. */
  get isCut(): boolean {
    return this.#isCut || this.#bytes > this.#max
  }

  /**
   * Returns the newest bytes.
   *
   * **Shape** if older bytes were dropped, the result begins with a whole line. If the kept bytes contain no line
   * break, the result begins with a whole UTF-8 character.
   */
  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces)
    const newest = all.subarray(Math.max(0, all.length - this.#max))
    if (!this.isCut || all[all.length - newest.length - 1] === LINE_FEED) return newest
    const end = newest.indexOf(LINE_FEED)
    return end === -1 || end === newest.length - 1 ? newest.subarray(continuationsOf(newest)) : newest.subarray(end + 1)
  }
}

/** Most continuation bytes of a UTF-8 character. */
const MAX_CONTINUATIONS = 3
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Counts the continuation bytes before the first character. Returns 0 if the text is not UTF-8. */
const continuationsOf = (bytes: Buffer): number => {
  let count = 0
  while (isContinuation(bytes[count])) count++
  return count <= MAX_CONTINUATIONS ? count : 0
}
