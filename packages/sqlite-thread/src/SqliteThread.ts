/**
 * Starts a worker thread that owns a SQLite file, and pairs calls to it with replies.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { Transferable, Worker } from "node:worker_threads"
import { ThreadBusy, ThreadEnded, type ThreadFault, ThreadTimedOut } from "./ThreadFault.ts"

/** Calls that the worker may have before it unless it is told otherwise; one more is refused rather than kept. */
const MAX_WAITING = 1_000

/** Sent to the worker. **Shape** replies come back in the order of the requests, each with its request's number. */
export interface Request<Call> {
  readonly number: number
  readonly call: Call
}

/** Sent by the worker. */
export interface Reply<Outcome> {
  readonly number: number
  readonly outcome: Outcome
}

export interface SqliteThread<Call, Outcome> {
  /**
   * Sends one call and gives what it came to.
   *
   * **Shape** `onSettled` runs once the call is answered or refused, before a later call is answered. A call that was
   * given up still counts as waiting until it is answered.
   */
  readonly call: (call: Call, onSettled?: () => void) => Effect.Effect<Outcome, ThreadFault>
}

interface Options<Call> {
  /** What log lines call the thread's owner. **Example** `the key store` */
  readonly name: string
  readonly start: () => Worker
  readonly timeoutMs: (call: Call) => number
  /** What of a call moves to the worker instead of being copied. */
  readonly transferred?: (call: Call) => ReadonlyArray<Transferable>
  /** Calls that the worker may have before it, {@link MAX_WAITING} when left out. */
  readonly maxWaiting?: number
}

/**
 * Starts the worker.
 *
 * **Limits** one thread, `maxWaiting` calls; the scope's end ends the thread. A thread that dies is not replaced:
 * every later call fails, and the log says so once.
 */
export const make = Effect.fnUntraced(function* <Call, Outcome>({
  maxWaiting = MAX_WAITING,
  name,
  start,
  timeoutMs,
  transferred = () => []
}: Options<Call>): Effect.fn.Return<SqliteThread<Call, Outcome>, never, Scope.Scope> {
  const worker = yield* Effect.acquireRelease(Effect.sync(start), (started) =>
    Effect.promise(() => started.terminate())
  )
  const death = yield* Deferred.make<Error>()
  const exchange = makeExchange<Call, Outcome>(worker, transferred, maxWaiting, (cause) =>
    Deferred.doneUnsafe(death, Effect.succeed(cause))
  )
  yield* Effect.forkScoped(
    Effect.flatMap(Deferred.await(death), (cause) => Effect.logError(`the thread of ${name} ended`, cause))
  )
  return {
    call: (call, onSettled) => {
      const duration = timeoutMs(call)
      return exchange(call, onSettled).pipe(
        Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(new ThreadTimedOut({ timeoutMs: duration })) })
      )
    }
  }
})

const makeExchange = <Call, Outcome>(
  worker: Worker,
  transferred: (call: Call) => ReadonlyArray<Transferable>,
  maxWaiting: number,
  onDeath: (cause: Error) => void
) => {
  const waiting = new Map<number, (settled: Effect.Effect<Outcome, ThreadFault>) => void>()
  let next = 0
  let dead: Error | undefined

  const end = (cause: Error) => {
    dead ??= cause
    onDeath(dead)
    const ended = Effect.fail(new ThreadEnded({ cause: dead }))
    for (const settle of waiting.values()) settle(ended)
    waiting.clear()
  }
  worker.on("error", (cause: unknown) => end(cause instanceof Error ? cause : new Error("the thread failed")))
  worker.on("exit", (code) => end(new Error(`the thread ended with code ${code}`)))
  worker.on("message", ({ number, outcome }: Reply<Outcome>) => {
    const settle = waiting.get(number)
    waiting.delete(number)
    settle?.(Effect.succeed(outcome))
  })

  return (call: Call, onSettled: () => void = () => undefined): Effect.Effect<Outcome, ThreadFault> =>
    Effect.callback((resume) => {
      const settle = (settled: Effect.Effect<Outcome, ThreadFault>) => {
        onSettled()
        resume(settled)
      }
      if (dead !== undefined) return settle(Effect.fail(new ThreadEnded({ cause: dead })))
      if (waiting.size >= maxWaiting) return settle(Effect.fail(new ThreadBusy({ waiting: waiting.size })))
      const number = next++
      waiting.set(number, settle)
      const request: Request<Call> = { number, call }
      worker.postMessage(request, [...transferred(call)])
    })
}
