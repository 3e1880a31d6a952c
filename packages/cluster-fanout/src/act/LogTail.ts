/**
 * The newest part of a log, kept while all of it goes by.
 */

const LINE_FEED = 0x0a

export class LogTail {
  readonly #most: number
  #pieces: Array<Buffer> = []
  #bytes = 0
  #isCut = false

  /** Keeps the newest `most` bytes, and one more piece while it comes in. */
  constructor(most: number) {
    this.#most = most
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    let first = this.#pieces[0]
    // One byte more than is kept tells whether the part begins at a line.
    while (first !== undefined && this.#bytes - first.length > this.#most) {
      this.#pieces.shift()
      this.#bytes -= first.length
      this.#isCut = true
      first = this.#pieces[0]
    }
  }

  /** Tells whether older bytes were left out. */
  get isCut(): boolean {
    return this.#isCut || this.#bytes > this.#most
  }

  /**
   * Gives the newest bytes.
   *
   * **Shape** begins at a line where older ones were left out; where no line ends in all of it, at a character of UTF-8.
   */
  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces)
    const kept = all.subarray(Math.max(0, all.length - this.#most))
    if (!this.isCut || all[all.length - kept.length - 1] === LINE_FEED) return kept
    const end = kept.indexOf(LINE_FEED)
    return end === -1 || end === kept.length - 1 ? kept.subarray(continuationsOf(kept)) : kept.subarray(end + 1)
  }
}

/** What follows the first byte of a character: at most so many bytes, of this form. */
const MOST_CONTINUATIONS = 3
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Counts the bytes before the first that begins a character; none where the text is no UTF-8. */
const continuationsOf = (bytes: Buffer): number => {
  let count = 0
  while (isContinuation(bytes[count])) count++
  return count <= MOST_CONTINUATIONS ? count : 0
}
