/**
 * What waits to be sent to one reader, and how much of it its socket has not taken.
 */
import { Effect, Option, Stream } from "effect"

/** What is handed to the socket at once, about. **Units** characters, which are bytes but for names of other scripts. */
const CHUNK = 64 * 2 ** 10

/** So many changes that came many at once may wait; then no more of them. */
const MOST_MANY = 10_000

interface Piece {
  readonly texts: Iterator<string, unknown>
  /** What counts against the reader that waits: how long its texts are, how many there are, or nothing. */
  readonly counts: "bytes" | "number" | undefined
}

export class EventOutbox {
  readonly #most: number
  readonly #overrun: () => void
  #pieces: Array<Piece> = []
  #waiting = 0
  /** Of pieces that count by their number, texts that wait. */
  #many = 0
  /** What was handed over last: taken once more is asked for. */
  #handed = 0
  #wake: () => void = () => {}
  #isEnded = false
  #takes = 0

  /** Calls `overrun` when more than `most` bytes wait. */
  constructor(most: number, overrun: () => void) {
    this.#most = most
    this.#overrun = overrun
  }

  /** How much of what counts the socket has not taken. **Units** bytes. */
  get behind(): number {
    return this.#waiting + this.#handed
  }

  /** Whether something waits for the socket. */
  get isWaiting(): boolean {
    return this.#pieces.length > 0 || this.#handed > 0
  }

  /** Differs when the socket has taken something. */
  get takes(): number {
    return this.#takes
  }

  /** Sends texts. **Limits** a reader that is behind by more than it may be is overrun, and what it waits for is dropped. */
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
   * Sends many texts at once, which are made when the socket takes them.
   *
   * **Limits** a reader of whom more than 10,000 such wait already is overrun.
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

  /** Sends what a reader begins with: texts of any number, which are made when the socket takes them, and do not count until then. */
  pushLater(texts: Iterable<string>): void {
    if (!this.#isEnded) this.#add({ texts: texts[Symbol.iterator](), counts: undefined })
  }

  /** Sends a last text in place of what waits. */
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

  /** What is sent, as far as the socket takes it; ends behind the last text. */
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
