/** Sends one request and reads its answer in chunks, with backpressure and interruption. */
import { Effect, Option } from "effect"
import type { Dispatcher } from "undici"

/** The head of an answer. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export interface Exchange {
  /** Waits for the head of the answer. **Errors** the connection's error. */
  readonly head: Effect.Effect<Head, unknown>
  /** Waits for the next chunk of the body; `None` at its end. **Errors** the connection's error. */
  readonly read: Effect.Effect<Option.Option<Buffer>, unknown>
  /** Aborts the request, unless it is complete. */
  readonly giveUp: () => void
}

/** Received but unread bytes above which reading from the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024

/**
 * Sends a request. **Errors** throws if the request itself is invalid.
 *
 * undici's `request` needs a promise, a `Readable` and an abort signal for each exchange. These cost more than the
 * exchange itself when hundreds of clusters are asked at once.
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
  #look: () => void = ignore

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

  /** Waits until `next` returns a result. */
  #await<A>(next: () => Effect.Effect<A, unknown> | undefined): Effect.Effect<A, unknown> {
    return Effect.suspend(
      () =>
        next()
        ?? Effect.callback<A, unknown>((resume) => {
          const look = () => {
            const found = next()
            if (found === undefined) return
            this.#look = ignore
            resume(found)
          }
          this.#look = look
          return Effect.sync(() => {
            this.#look = ignore
          })
        })
    )
  }

  /**
   * Notifies the reader after undici has processed the received data. Until then the connection counts as busy, and a
   * follow-up request would open another one.
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
    if (!this.#isEnded && this.#failure === undefined) this.#controller?.abort(new Error("the request was aborted"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isGivenUp) controller.abort(new Error("the request was aborted"))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Head["headers"]): void {
    // Ignore informational responses, such as 103.
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

const ignore = (): void => {}
