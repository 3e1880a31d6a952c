/**
 * The latest lines of a log, in memory of a fixed size.
 *
 * **Limits** kept outside of V8's heap: a line that lives as long as the thousand after it would be carried into the old
 * generation, and stay there until a collection of the whole heap.
 */

/** Bytes of each half, unless told otherwise: some hundred lines. */
const HALF_BYTES = 64 * 1_024

/** Keeps lines; when one half is full, the other is written over. */
export class LogTail {
  readonly #halfBytes: number
  #older: Buffer
  #newer: Buffer
  #olderUsed = 0
  #newerUsed = 0
  /** The beginning of a line whose end has not come. */
  #open = ""

  /** **Units** bytes; it keeps one to two times as many. */
  constructor(halfBytes = HALF_BYTES) {
    this.#halfBytes = halfBytes
    this.#older = Buffer.alloc(halfBytes)
    this.#newer = Buffer.alloc(halfBytes)
  }

  /** Takes the next piece of a stream, which may end within a line. */
  push(piece: string): void {
    const lines = (this.#open + piece).split("\n")
    this.#open = (lines.pop() ?? "").slice(0, this.#halfBytes)
    for (const line of lines) this.add(line)
  }

  /** Adds a line. **Limits** one that is longer than a half is cut. */
  add(line: string): void {
    const length = Math.min(Buffer.byteLength(line), this.#halfBytes - 1)
    if (this.#newerUsed + length + 1 > this.#halfBytes) this.#turn()
    this.#newerUsed += this.#newer.write(line, this.#newerUsed, length)
    this.#newerUsed += this.#newer.write("\n", this.#newerUsed)
  }

  /** The lines that are kept, oldest first, each with its end. */
  toString(): string {
    const whole = `${this.#older.toString("utf8", 0, this.#olderUsed)}${this.#newer.toString("utf8", 0, this.#newerUsed)}`
    return this.#open === "" ? whole : `${whole}${this.#open}\n`
  }

  /** The lines that are kept, oldest first. */
  lines(): ReadonlyArray<string> {
    return this.toString().split("\n").slice(0, -1)
  }

  #turn(): void {
    const filled = this.#newer
    this.#newer = this.#older
    this.#older = filled
    this.#olderUsed = this.#newerUsed
    this.#newerUsed = 0
  }
}
