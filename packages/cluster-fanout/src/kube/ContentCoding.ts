/** Decodes answers that a server or a proxy has compressed although the request did not ask for that. */
import { Effect, Option, Result } from "effect"
import { createGunzip } from "node:zlib"
import type { Exchange, Head } from "./Exchange.ts"

/** An answer in a coding that is not read here. **Source** RFC 9110, 8.4 */
export class UnknownCoding extends Error {
  readonly coding: string

  constructor(coding: string) {
    super(`the content coding ${coding} is not read`)
    this.coding = coding
  }
}

/**
 * Returns the exchange with its body decoded. A plain exchange is returned as it is.
 *
 * **Errors** `UnknownCoding` for every coding but gzip, and for several at once.
 */
export const decoded = (exchange: Exchange, { headers }: Head): Result.Result<Exchange, UnknownCoding> => {
  const header = headers["content-encoding"]
  if (header === undefined) return Result.succeed(exchange)
  const coding = [header].flat().join(",").slice(0, MAX_HEADER).trim().toLowerCase()
  if (coding === "" || coding === "identity") return Result.succeed(exchange)
  return coding === "gzip" || coding === "x-gzip"
    ? Result.succeed(new GzipExchange(exchange))
    : Result.fail(new UnknownCoding(/^[\w-]{1,32}$/.test(coding) ? coding : "another coding"))
}

const MAX_HEADER = 256

/**
 * Decodes gzip piece by piece.
 *
 * **Limits** at most some 32 KiB are decoded ahead of the reader, however small the piece is that they came from.
 */
class GzipExchange implements Exchange {
  readonly head: Exchange["head"]
  readonly read: Exchange["read"]
  readonly #source: Exchange
  readonly #gunzip = createGunzip()
  /** Whether all that came is decoded, so that the next piece may be given to it. */
  #isHungry = true
  #isEmpty = true
  #isEnded = false
  #failure: Error | undefined
  #hasNews = false
  #look: () => void = ignore

  constructor(source: Exchange) {
    this.#source = source
    this.head = source.head
    this.read = this.#next()
    this.#gunzip
      .on("readable", () => this.#wake())
      .on("end", () => {
        this.#isEnded = true
        this.#wake()
      })
      .on("error", (error) => {
        this.#failure = error
        this.#wake()
      })
  }

  giveUp(): void {
    this.#gunzip.destroy()
    this.#source.giveUp()
  }

  #next(): Exchange["read"] {
    return Effect.gen({ self: this }, function* () {
      while (true) {
        const piece: unknown = this.#gunzip.read()
        if (Buffer.isBuffer(piece)) return Option.some(piece)
        if (this.#failure !== undefined) return yield* Effect.fail(this.#failure)
        if (this.#isEnded) return Option.none()
        yield* this.#isHungry ? this.#feed() : this.#news()
      }
    })
  }

  #feed(): Effect.Effect<void, unknown> {
    return Effect.map(this.#source.read, (piece) => {
      this.#isHungry = false
      if (Option.isNone(piece)) return this.#end()
      this.#isEmpty = false
      this.#gunzip.write(piece.value, () => {
        this.#isHungry = true
        this.#wake()
      })
    })
  }

  /** An answer without a body is no gzip, and is whole. */
  #end(): void {
    if (this.#isEmpty) this.#isEnded = true
    else this.#gunzip.end()
  }

  /** Waits until the decoder has something to say. */
  #news(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (!this.#hasNews) return
        this.#hasNews = false
        this.#look = ignore
        resume(Effect.void)
      }
      this.#look = look
      look()
      return Effect.sync(() => {
        this.#look = ignore
      })
    })
  }

  #wake(): void {
    this.#hasNews = true
    this.#look()
  }
}

const ignore = (): void => {}
