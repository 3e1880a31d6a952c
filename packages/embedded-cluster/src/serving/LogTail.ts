/**
 * The latest lines of a log, in memory of a fixed size.
 *
 * **Limits** kept outside of V8's heap: a line that lives as long as the thousand after it would be carried into the old
 * generation, and stay there until a collection of the whole heap.
 *
 * @since 0.1.0
 */

/** Bytes of each half: some hundred lines. */
const HALF_BYTES = 64 * 1_024

/** Keeps lines; when one half is full, the other is written over. */
export class LogTail {
  #older = Buffer.alloc(HALF_BYTES)
  #newer = Buffer.alloc(HALF_BYTES)
  #olderUsed = 0
  #newerUsed = 0

  /** Adds a line. **Limits** one that is longer than a half is cut. */
  add(line: string): void {
    const length = Math.min(Buffer.byteLength(line), HALF_BYTES - 1)
    if (this.#newerUsed + length + 1 > HALF_BYTES) this.#turn()
    this.#newerUsed += this.#newer.write(line, this.#newerUsed, length)
    this.#newerUsed += this.#newer.write("\n", this.#newerUsed)
  }

  /** The lines that are kept, oldest first, each with its end. */
  toString(): string {
    return `${this.#older.toString("utf8", 0, this.#olderUsed)}${this.#newer.toString("utf8", 0, this.#newerUsed)}`
  }

  #turn(): void {
    const filled = this.#newer
    this.#newer = this.#older
    this.#older = filled
    this.#olderUsed = this.#newerUsed
    this.#newerUsed = 0
  }
}
