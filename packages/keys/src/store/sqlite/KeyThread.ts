/**
 * Calls the worker thread that owns the SQLite file.
 */
import { Deferred, Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { KeyStoreError, StoreBusy, StoreFailed, StoreTimedOut, StoreTooNew } from "../../KeyError.ts"
import type { Call, Reply, Request } from "./KeyProtocol.ts"

/** Calls that the worker may have before it; one more is refused rather than kept. */
const MAX_WAITING = 1_000
/** Longer than the worker waits for a file that another process holds. */
const CALL_TIMEOUT_MS = 10_000
/** Migrations may rewrite tables. */
const OPEN_TIMEOUT_MS = 60_000

type Rows = ReadonlyArray<unknown>

export interface SqliteClient {
  /** Sends one call. **Errors** `StoreBusy`, `StoreTimedOut`, `StoreFailed`. */
  readonly call: (call: Call) => Effect.Effect<Rows, KeyStoreError>
}

/**
 * Starts the worker and opens the file.
 *
 * **Errors** `StoreTooNew`, `StoreFailed`. **Limits** one thread, {@link MAX_WAITING} calls; the scope's end closes
 * the file and ends the thread. A thread that dies is not replaced: every later call fails, and readiness with it.
 */
export const make = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<SqliteClient, KeyStoreError, Scope.Scope> {
  const worker = yield* Effect.acquireRelease(Effect.sync(startThread), (started) =>
    Effect.promise(() => started.terminate())
  )
  const death = yield* Deferred.make<Error>()
  const exchange = makeExchange(worker, (cause) => Deferred.doneUnsafe(death, Effect.succeed(cause)))

  const call = (request: Call): Effect.Effect<Rows, KeyStoreError> => {
    const { operation } = request
    const timeoutMs = operation === "open" ? OPEN_TIMEOUT_MS : CALL_TIMEOUT_MS
    return exchange(request).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(new KeyStoreError({ reason: new StoreTimedOut({ operation, timeoutMs }) }))
      })
    )
  }

  yield* call({ operation: "open", path })
  yield* Effect.addFinalizer(() =>
    Effect.ignore(call({ operation: "close" }), { log: "Warn", message: "the key store was not closed in order" })
  )
  yield* Effect.forkScoped(
    Effect.flatMap(Deferred.await(death), (cause) => Effect.logError("the thread of the key store ended", cause))
  )
  return { call }
})

/** The entry imports nothing but its siblings, so none of the program's own Node options concern it. */
const startThread = (): Worker =>
  new Worker(new URL(import.meta.resolve("@quarterdeck/keys/store/SqliteWorker")), { execArgv: [] })

/** Pairs requests with replies. **Shape** a call that was given up still counts as waiting until it is answered. */
export const makeExchange = (worker: Worker, onDeath: (cause: Error) => void) => {
  const waiting = new Map<number, (reply: Reply) => void>()
  let next = 0
  let dead: Error | undefined

  const end = (cause: Error) => {
    dead ??= cause
    onDeath(dead)
    for (const [number, settle] of waiting) settle({ number, outcome: "failed", message: dead.message })
    waiting.clear()
  }
  worker.on("error", (cause: unknown) => end(cause instanceof Error ? cause : new Error("the thread failed")))
  worker.on("exit", (code) => end(new Error(`the thread ended with code ${code}`)))
  worker.on("message", (reply: Reply) => {
    const settle = waiting.get(reply.number)
    waiting.delete(reply.number)
    settle?.(reply)
  })

  return (call: Call): Effect.Effect<Rows, KeyStoreError> =>
    Effect.callback((resume) => {
      const { operation } = call
      if (dead !== undefined) return resume(failed(operation, dead))
      if (waiting.size >= MAX_WAITING) {
        return resume(Effect.fail(new KeyStoreError({ reason: new StoreBusy({ operation, waiting: waiting.size }) })))
      }
      const number = next++
      waiting.set(number, (reply) => resume(outcomeOf(operation, reply)))
      const request: Request = { number, call }
      worker.postMessage(request)
    })
}

const outcomeOf = (operation: Call["operation"], reply: Reply): Effect.Effect<Rows, KeyStoreError> => {
  switch (reply.outcome) {
    case "done":
      return Effect.succeed(reply.rows)
    case "failed":
      return failed(operation, new Error(reply.message))
    case "tooNew":
      return Effect.fail(
        new KeyStoreError({ reason: new StoreTooNew({ found: reply.found, supported: reply.supported }) })
      )
  }
}

const failed = (operation: Call["operation"], cause: Error): Effect.Effect<never, KeyStoreError> =>
  Effect.fail(new KeyStoreError({ reason: new StoreFailed({ operation, cause }) }))
