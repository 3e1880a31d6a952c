/**
 * The latest lines of a log, bounded in bytes.
 */
import { StringDecoder } from "node:string_decoder"

/** Default of `halfBytes`: about a hundred lines. */
const HALF_BYTES = 64 * 1_024

/** Keeps the latest lines and drops the oldest. */
export class LogTail {
  readonly #halfBytes: number
  readonly #lines: Array<string> = []
  #bytes = 0
  /** Start of a line whose end has not arrived yet. */
  #open = ""

  /** Makes a tail that keeps at most twice `halfBytes` bytes. */
  constructor(halfBytes = HALF_BYTES) {
    this.#halfBytes = halfBytes
  }

  /** Adds the next piece of a stream. The piece may end inside a line. */
  push(piece: string): void {
    const lines = (this.#open + piece).split("\n")
    this.#open = this.#cut(lines.pop() ?? "")
    for (const line of lines) this.add(line)
  }

  /** Adds a line. **Limits** a line longer than `halfBytes` is cut. */
  add(line: string): void {
    const entry = this.#cut(line)
    this.#lines.push(entry)
    this.#bytes += sizeOf(entry)
    while (this.#bytes > 2 * this.#halfBytes) this.#bytes -= sizeOf(this.#lines.shift() ?? "")
  }

  /** The lines in memory, oldest first, each with its line end. */
  toString(): string {
    return this.lines()
      .map((line) => `${line}\n`)
      .join("")
  }

  /** The lines in memory, oldest first. */
  lines(): ReadonlyArray<string> {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open]
  }

  /** Cuts a line at a character boundary. */
  #cut(line: string): string {
    return Buffer.byteLength(line) < this.#halfBytes
      ? line
      : new StringDecoder("utf8").write(Buffer.from(line).subarray(0, this.#halfBytes - 1))
  }
}

/** Bytes of a line, with its line end. */
const sizeOf = (line: string): number => Buffer.byteLength(line) + 1
