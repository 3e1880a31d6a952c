/**
 * A text outside of V8's heap, kept as what differs from an earlier one.
 *
 * What stands in the heap is marked at each collection, and lets the heap grow by a multiple of itself. The row "three
 * embedded clusters with 5000 pods each, RSS, V8 as it is" of `bench harness` shows 341 MB; 361 with strings in the heap,
 * 366 with whole texts out of it, and 398 with a buffer of Node's own for each text in place of our chunks.
 */

/** Bytes of a chunk, which texts share; one that is in use is kept whole. */
const CHUNK_BYTES = 16 * 1_024

let chunk = Buffer.alloc(0)
let used = 0

/** Copies bytes to a place in a chunk. **Shape** the place is the end of what the chunk holds then. */
const placed = (bytes: Buffer): readonly [Buffer, number] => {
  if (bytes.length > CHUNK_BYTES / 4) return [Buffer.from(bytes), bytes.length]
  if (used + bytes.length > chunk.length) {
    chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    used = 0
  }
  used += bytes.copy(chunk, used)
  return [chunk, used]
}

/**
 * Keeps a text.
 *
 * **Limits** an earlier text stays in memory for what it shares, so only one of about the same size is shared, and it is
 * always one that is kept whole. Reading costs a decoding.
 */
export class KeptText {
  /** The text of which it shares the beginning and the end, so many bytes of each; its own stand between them. */
  readonly #base: KeptText | undefined
  readonly #head: number
  readonly #tail: number
  readonly #chunk: Buffer
  readonly #from: number
  readonly #to: number

  private constructor(own: Buffer, base?: KeptText, head = 0, tail = 0) {
    const [buffer, end] = placed(own)
    this.#base = base
    this.#head = head
    this.#tail = tail
    this.#chunk = buffer
    this.#from = end - own.length
    this.#to = end
  }

  /** Keeps a text, of an earlier one that resembles it only what differs. */
  static of(text: string, earlier?: KeptText): KeptText {
    const bytes = Buffer.from(text)
    return (earlier && KeptText.#difference(bytes, earlier.#base ?? earlier)) ?? new KeptText(bytes)
  }

  static #difference(bytes: Buffer, base: KeptText): KeptText | undefined {
    const whole = base.#chunk.subarray(base.#from, base.#to)
    if (whole.length > 2 * bytes.length) return undefined
    const most = Math.min(bytes.length, whole.length)
    let head = 0
    while (head < most && bytes[head] === whole[head]) head++
    while (head > 0 && isWithinCharacter(bytes[head])) head--
    let tail = 0
    while (tail < most - head && bytes[bytes.length - 1 - tail] === whole[whole.length - 1 - tail]) tail++
    while (tail > 0 && isWithinCharacter(bytes[bytes.length - tail])) tail--
    const own = bytes.subarray(head, bytes.length - tail)
    return 2 * own.length > bytes.length ? undefined : new KeptText(own, base, head, tail)
  }

  toString(): string {
    const own = this.#chunk.toString("utf8", this.#from, this.#to)
    const base = this.#base
    if (base === undefined) return own
    const begins = base.#chunk.toString("utf8", base.#from, base.#from + this.#head)
    return begins + own + base.#chunk.toString("utf8", base.#to - this.#tail, base.#to)
  }
}

/** Whether a byte goes on with a character of UTF-8 that an earlier one begins. */
const isWithinCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
