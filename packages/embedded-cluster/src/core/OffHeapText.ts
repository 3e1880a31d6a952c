/**
 * A text outside V8's heap, stored as its difference to an earlier text.
 *
 * V8 marks every heap string at each collection and grows the heap by a multiple of its content. Texts outside the
 * heap, sharing chunks of memory, keep the resident memory of large clusters smaller.
 */

/** Bytes of a chunk, which several texts share. A chunk stays in memory while any of its texts is in use. */
const CHUNK_BYTES = 16 * 1_024

let chunk = Buffer.alloc(0)
let used = 0

/** Copies bytes into a chunk. **Shape** the chunk and the offset at which the copied bytes end. */
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
 * A text stored outside V8's heap.
 *
 * **Limits** a text stays in memory while another text shares parts of it, so only texts of about the same size are
 * shared. A shared text is always stored whole. Reading a text decodes it.
 */
export class OffHeapText {
  /** The text that this one shares its first `#head` and last `#tail` bytes with. */
  readonly #base: OffHeapText | undefined
  readonly #head: number
  readonly #tail: number
  readonly #chunk: Buffer
  readonly #from: number
  readonly #to: number

  private constructor(middle: Buffer, base?: OffHeapText, head = 0, tail = 0) {
    const [buffer, end] = placed(middle)
    this.#base = base
    this.#head = head
    this.#tail = tail
    this.#chunk = buffer
    this.#from = end - middle.length
    this.#to = end
  }

  /** Stores a text. If it resembles an earlier one, only the difference is stored. */
  static of(text: string, earlier?: OffHeapText): OffHeapText {
    const bytes = Buffer.from(text)
    return (earlier && OffHeapText.#difference(bytes, earlier.#base ?? earlier)) ?? new OffHeapText(bytes)
  }

  static #difference(bytes: Buffer, base: OffHeapText): OffHeapText | undefined {
    const whole = base.#chunk.subarray(base.#from, base.#to)
    if (whole.length > 2 * bytes.length) return undefined
    const most = Math.min(bytes.length, whole.length)
    let head = 0
    while (head < most && bytes[head] === whole[head]) head++
    while (head > 0 && isWithinCharacter(bytes[head])) head--
    let tail = 0
    while (tail < most - head && bytes[bytes.length - 1 - tail] === whole[whole.length - 1 - tail]) tail++
    while (tail > 0 && isWithinCharacter(bytes[bytes.length - tail])) tail--
    const middle = bytes.subarray(head, bytes.length - tail)
    return 2 * middle.length > bytes.length ? undefined : new OffHeapText(middle, base, head, tail)
  }

  toString(): string {
    const middle = this.#chunk.toString("utf8", this.#from, this.#to)
    const base = this.#base
    if (base === undefined) return middle
    const start = base.#chunk.toString("utf8", base.#from, base.#from + this.#head)
    return start + middle + base.#chunk.toString("utf8", base.#to - this.#tail, base.#to)
  }
}

/** Returns whether a byte continues a UTF-8 character that an earlier byte started. */
const isWithinCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
