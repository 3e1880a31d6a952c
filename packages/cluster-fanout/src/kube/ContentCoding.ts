/** Decodes answers that a server or a proxy has compressed although the request did not ask for compression. */
import { Effect, Option, Result } from "effect"
import { createGunzip } from "node:zlib"
import type { Exchange, Head } from "./Exchange.ts"

/** An answer with an unsupported content coding. **Source** RFC 9110, 8.4 */
export class UnknownCoding extends Error {
  readonly coding: string

  constructor(coding: string) {
    super(`the content coding ${coding} is not supported`)
    this.coding = coding
  }
}

/**
 * Returns the exchange with its body decoded. Returns an uncompressed exchange unchanged.
 *
 * **Errors** `UnknownCoding` for every coding but gzip, and for several codings at once.
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
 * Decodes gzip incrementally.
 *
 * **Limits** at most some 32 KiB are decoded ahead of the reader, however small the compressed input is.
 */
class GzipExchange implements Exchange {
  readonly head: Exchange["head"]
  readonly read: Exchange["read"]
  readonly #source: Exchange
  readonly #gunzip = createGunzip()
  /** True if all input is decoded, so that the next chunk may be written. */
  #acceptsInput = true
  #isEmpty = true
  #isEnded = false
  #failure: Error | undefined
  #hasOutput = false
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
        yield* this.#acceptsInput ? this.#feed() : this.#awaitOutput()
      }
    })
  }

  #feed(): Effect.Effect<void, unknown> {
    return Effect.map(this.#source.read, (piece) => {
      this.#acceptsInput = false
      if (Option.isNone(piece)) return this.#end()
      this.#isEmpty = false
      this.#gunzip.write(piece.value, () => {
        this.#acceptsInput = true
        this.#wake()
      })
    })
  }

  /** Ends the input. An answer without a body is not gzip, and is complete. */
  #end(): void {
    if (this.#isEmpty) this.#isEnded = true
    else this.#gunzip.end()
  }

  /** Waits until the decoder has output, has ended or has failed. */
  #awaitOutput(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (!this.#hasOutput) return
        this.#hasOutput = false
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
    this.#hasOutput = true
    this.#look()
  }
}

const ignore = (): void => {}
