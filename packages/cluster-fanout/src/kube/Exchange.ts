/** Sends one request and takes its answer piece by piece, in step with the reader and open to interruption in between. */
import { Effect, Option } from "effect"
import type { Dispatcher } from "undici"

/** The head of an answer. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export interface Exchange {
  /** Waits for the head of the answer. **Errors** what the connection failed with. */
  readonly head: Effect.Effect<Head, unknown>
  /** Waits for the next piece of the body, none at its end. **Errors** what the connection failed with. */
  readonly read: Effect.Effect<Option.Option<Buffer>, unknown>
  /** Destroys the request, wherever it stands, unless it is over. */
  readonly giveUp: () => void
}

/** What has come and is not read yet, beyond which the connection is not read either. */
const HIGH_WATER_BYTES = 64 * 1024

/**
 * Sends a request. **Errors** thrown: what is wrong with the request itself.
 *
 * undici's own `request` makes a promise, a `Readable` and, to be given up, a signal of each, which cost more than the
 * exchange itself where hundreds of clusters are asked at once.
 */
export const open = (dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): Exchange => {
  const answer = new Answer()
  dispatcher.dispatch(options, answer)
  return answer
}

class Answer implements Exchange, Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined
  #head: Head | undefined
  #pieces: Array<Buffer> = []
  #bytes = 0
  #isEnded = false
  #failure: Error | undefined
  #isGivenUp = false
  #isWaking = false
  #look: () => void = nobody

  readonly head: Effect.Effect<Head, unknown> = this.#await(() => {
    if (this.#head !== undefined) return Effect.succeed(this.#head)
    return this.#failure && Effect.fail(this.#failure)
  })

  readonly read: Effect.Effect<Option.Option<Buffer>, unknown> = this.#await(() => {
    const piece = this.#pieces.shift()
    if (piece === undefined && this.#failure !== undefined) return Effect.fail(this.#failure)
    if (piece === undefined) return this.#isEnded ? Effect.succeedNone : undefined
    this.#bytes -= piece.length
    if (this.#bytes < HIGH_WATER_BYTES) this.#controller?.resume()
    return Effect.succeed(Option.some(piece))
  })

  /** Waits until there is something to give. */
  #await<A>(next: () => Effect.Effect<A, unknown> | undefined): Effect.Effect<A, unknown> {
    return Effect.suspend(
      () =>
        next()
        ?? Effect.callback<A, unknown>((resume) => {
          const look = () => {
            const found = next()
            if (found === undefined) return
            this.#look = nobody
            resume(found)
          }
          this.#look = look
          return Effect.sync(() => {
            this.#look = nobody
          })
        })
    )
  }

  /**
   * Lets the reader look once undici is done with what has come: until then the connection counts as busy, and what the reader
   * sends next would open another.
   */
  #wake(): void {
    if (this.#isWaking) return
    this.#isWaking = true
    queueMicrotask(() => {
      this.#isWaking = false
      this.#look()
    })
  }

  giveUp(): void {
    this.#isGivenUp = true
    if (!this.#isEnded && this.#failure === undefined) this.#controller?.abort(new Error("the request was given up"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isGivenUp) controller.abort(new Error("the request was given up"))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Head["headers"]): void {
    // What comes before the answer, such as 103, says nothing.
    if (status < 200) return
    this.#head = { status, headers }
    this.#wake()
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= HIGH_WATER_BYTES) controller.pause()
    this.#wake()
  }

  onResponseEnd(): void {
    this.#isEnded = true
    this.#wake()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#failure = error
    this.#wake()
  }
}

const nobody = (): void => {}
