/**
 * Bounded send queue of one stream. Counts the bytes that the socket has not yet accepted.
 */
import { Effect, Option, Stream } from "effect"

/** Approximate size of one write to the socket. **Units** characters, which are bytes for ASCII text. */
const CHUNK = 64 * 2 ** 10

/** Maximum number of waiting texts of `pushMany`. */
const MOST_MANY = 10_000

interface Piece {
  readonly texts: Iterator<string, unknown>
  /** Limit that the waiting texts count against: their length, their number, or none. */
  readonly counts: "bytes" | "number" | undefined
}

export class EventOutbox {
  readonly #most: number
  readonly #overrun: () => void
  #pieces: Array<Piece> = []
  #waiting = 0
  /** Number of waiting texts of `pushMany`. */
  #many = 0
  /** Length of the last write; 0 after the socket has requested the next write, which means that the last is accepted. */
  #handed = 0
  #wake: () => void = () => {}
  #isEnded = false
  #takes = 0

  /** Calls `overrun` if a text is pushed while more than `most` bytes wait. */
  constructor(most: number, overrun: () => void) {
    this.#most = most
    this.#overrun = overrun
  }

  /** Counted text that the socket has not accepted. **Units** characters. */
  get behind(): number {
    return this.#waiting + this.#handed
  }

  /** True if anything waits for the socket. */
  get isWaiting(): boolean {
    return this.#pieces.length > 0 || this.#handed > 0
  }

  /** Number of writes that the socket has requested. It grows while the client reads. */
  get takes(): number {
    return this.#takes
  }

  /** Queues texts. **Limits** if too many bytes already wait, drops the queue and calls `overrun`. */
  push(texts: ReadonlyArray<string>): void {
    if (this.#isEnded) return
    if (this.behind > this.#most) {
      this.#drop()
      return
    }
    for (const text of texts) this.#waiting += text.length
    this.#add({ texts: texts.values(), counts: "bytes" })
  }

  /**
   * Queues many texts, which are produced lazily when the socket accepts them.
   *
   * **Limits** if more than 10,000 such texts already wait, drops the queue and calls `overrun`.
   */
  pushMany(count: number, texts: Iterable<string>): void {
    if (this.#isEnded) return
    if (this.#many > MOST_MANY) {
      this.#drop()
      return
    }
    this.#many += count
    this.#add({ texts: texts[Symbol.iterator](), counts: "number" })
  }

  /** Queues the initial snapshot: any number of texts, which are produced lazily and do not count while they wait. */
  pushLater(texts: Iterable<string>): void {
    if (!this.#isEnded) this.#add({ texts: texts[Symbol.iterator](), counts: undefined })
  }

  /** Replaces the queue by a last text. */
  end(text: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#pieces = []
    this.#waiting = text.length
    this.#many = 0
    this.#add({ texts: [text].values(), counts: "bytes" })
  }

  #drop(): void {
    this.#pieces = []
    this.#waiting = 0
    this.#many = 0
    this.#isEnded = true
    this.#overrun()
  }

  /** The bytes to send, at the pace of the socket. The stream ends after the last text. */
  get bytes(): Stream.Stream<Uint8Array> {
    return Stream.paginate(undefined, () => this.#take)
  }

  #add(piece: Piece): void {
    this.#pieces.push(piece)
    this.#wake()
  }

  readonly #take = Effect.callback<readonly [ReadonlyArray<Uint8Array>, Option.Option<undefined>]>((resume) => {
    this.#handed = 0
    this.#takes++
    const give = () => {
      const text = this.#next()
      if (text === "" && !this.#isEnded) return
      this.#wake = () => {}
      this.#handed = text.length
      const more = this.#isEnded && this.#pieces.length === 0 ? Option.none<undefined>() : Option.some(undefined)
      resume(Effect.succeed([text === "" ? [] : [Buffer.from(text)], more]))
    }
    this.#wake = give
    give()
    return Effect.sync(() => {
      this.#wake = () => {}
    })
  })

  #next(): string {
    let chunk = ""
    while (chunk.length < CHUNK) {
      const [piece] = this.#pieces
      if (piece === undefined) break
      const { done, value } = piece.texts.next()
      if (done === true || typeof value !== "string") {
        this.#pieces.shift()
        continue
      }
      chunk += value
      if (piece.counts === "bytes") this.#waiting -= value.length
      if (piece.counts === "number") this.#many--
    }
    return chunk
  }
}
