/**
 * The newest part of a log, kept while all of it goes by.
 */

const LINE_FEED = 0x0a

export class LogTail {
  readonly #most: number
  #pieces: Array<Buffer> = []
  #bytes = 0
  #isCut = false

  /** **Units** `most` bytes are kept, and one more piece while it comes in. */
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

  /** Gives the newest bytes. **Shape** begins at a line where older ones were left out, if a line ends in it at all. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces)
    const kept = all.subarray(Math.max(0, all.length - this.#most))
    if (!this.isCut || all[all.length - kept.length - 1] === LINE_FEED) return kept
    const end = kept.indexOf(LINE_FEED)
    return end === -1 || end === kept.length - 1 ? kept : kept.subarray(end + 1)
  }
}
