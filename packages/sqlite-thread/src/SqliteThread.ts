/**
 * Starts a worker thread that owns a SQLite file, and matches its replies to calls.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { Transferable, Worker } from "node:worker_threads"
import { ThreadBusy, ThreadEnded, type ThreadFault, ThreadTimedOut } from "./ThreadFault.ts"

/** Default limit of calls that wait for their answer. Further calls are refused. */
const MAX_WAITING = 1_000

/** Message to the worker. **Shape** The worker replies in the order of the requests. A reply has the number of its request. */
export interface Request<Call> {
  readonly number: number
  readonly call: Call
}

/** Message from the worker. */
export interface Reply<Outcome> {
  readonly number: number
  readonly outcome: Outcome
}

export interface SqliteThread<Call, Outcome> {
  /**
   * Sends one call and returns its outcome.
   *
   * **Shape** `onSettled` runs when the call is answered or refused, before a later call is answered. A call that timed out or
   * was interrupted counts as waiting until the worker answers it.
   */
  readonly call: (call: Call, onSettled?: () => void) => Effect.Effect<Outcome, ThreadFault>
}

interface Options<Call> {
  /** Name of the owner of the thread in log lines. **Example** `the key store` */
  readonly name: string
  readonly start: () => Worker
  readonly timeoutMs: (call: Call) => number
  /** Lists the parts of a call that move to the worker instead of being copied. */
  readonly transferred?: (call: Call) => ReadonlyArray<Transferable>
  /** Limit of waiting calls, 1,000 by default. */
  readonly maxWaiting?: number
}

/**
 * Starts the worker.
 *
 * **Limits** One thread and `maxWaiting` calls. The end of the scope ends the thread. A thread that dies is not replaced: every
 * later call fails, and one error is logged.
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
