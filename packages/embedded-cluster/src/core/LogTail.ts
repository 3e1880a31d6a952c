/**
 * The latest lines of a log, within a bound.
 */
import { StringDecoder } from "node:string_decoder"

/** Bytes of each half, unless told otherwise: some hundred lines. */
const HALF_BYTES = 64 * 1_024

/** Keeps lines; the oldest go for the new ones. */
export class LogTail {
  readonly #halfBytes: number
  readonly #lines: Array<string> = []
  #keptBytes = 0
  /** The beginning of a line whose end has not come. */
  #open = ""

  /** Makes a tail that keeps up to twice `halfBytes` bytes. */
  constructor(halfBytes = HALF_BYTES) {
    this.#halfBytes = halfBytes
  }

  /** Takes the next piece of a stream, which may end within a line. */
  push(piece: string): void {
    const lines = (this.#open + piece).split("\n")
    this.#open = this.#cut(lines.pop() ?? "")
    for (const line of lines) this.add(line)
  }

  /** Adds a line. **Limits** one that is longer than a half is cut. */
  add(line: string): void {
    const kept = this.#cut(line)
    this.#lines.push(kept)
    this.#keptBytes += sizeOf(kept)
    while (this.#keptBytes > 2 * this.#halfBytes) this.#keptBytes -= sizeOf(this.#lines.shift() ?? "")
  }

  /** The lines that are kept, oldest first, each with its end. */
  toString(): string {
    return this.lines()
      .map((line) => `${line}\n`)
      .join("")
  }

  /** The lines that are kept, oldest first. */
  lines(): ReadonlyArray<string> {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open]
  }

  /** Cuts a line between two characters. */
  #cut(line: string): string {
    return Buffer.byteLength(line) < this.#halfBytes
      ? line
      : new StringDecoder("utf8").write(Buffer.from(line).subarray(0, this.#halfBytes - 1))
  }
}

/** Bytes of a line with its end. */
const sizeOf = (line: string): number => Buffer.byteLength(line) + 1
