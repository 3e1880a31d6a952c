/**
 * Client of the worker thread that owns the file of the key store.
 */
import { DiskReserve, SqliteThread, type ThreadFault } from "@quarterdeck/sqlite-thread"
import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import {
  KeyStoreError,
  MakerFull,
  StoreBusy,
  StoreFailed,
  StoreTimedOut,
  StoreTooNew,
  StoreUnopened
} from "../../KeyError.ts"
import type { Call, Outcome } from "./KeyProtocol.ts"

/** Timeout of a call. Longer than the worker waits for a file that another process has locked. */
const CALL_TIMEOUT_MS = 10_000
/** Timeout of the call `open`. Longer than for other calls, since migrations may rewrite tables. */
const OPEN_TIMEOUT_MS = 60_000

type Rows = ReadonlyArray<unknown>

export interface KeyClient {
  /** Sends one call. **Errors** `StoreBusy`, `StoreTimedOut`, `StoreFailed`. */
  readonly call: (call: Call) => Effect.Effect<Rows, KeyStoreError>
}

/**
 * Starts the worker and opens the file.
 *
 * **Errors** `StoreTooNew`, `StoreUnopened`, `StoreTimedOut`.
 *
 * **Limits** one thread. The end of the scope closes the file and ends the thread. A thread that dies is not restarted:
 * every later call fails, and the server is no longer ready.
 */
export const make = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<KeyClient, KeyStoreError, Scope.Scope> {
  const thread = yield* SqliteThread.make<Call, Outcome>({
    name: "the key store",
    start: startThread,
    timeoutMs: ({ operation }) => (operation === "open" ? OPEN_TIMEOUT_MS : CALL_TIMEOUT_MS)
  })
  const client = over(thread, yield* DiskReserve.CurrentReserve)
  yield* client.call({ operation: "open", path }).pipe(
    Effect.catchReason("KeyStoreError", "StoreFailed", ({ cause }) =>
      Effect.fail(
        new KeyStoreError({
          reason: new StoreUnopened({ place: path, problem: cause instanceof Error ? cause.message : "not an error" })
        })
      )
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(client.call({ operation: "close" }), {
      log: "Warn",
      message: "the key store could not be closed cleanly"
    })
  )
  return client
})

/** Starts the worker without the Node options of the process, which the entry does not need since it imports no package. */
const startThread = (): Worker =>
  new Worker(new URL(import.meta.resolve("@quarterdeck/keys/store/SqliteWorker")), { execArgv: [] })

/** Disk use of each operation. An operation that is not listed writes. */
const USES: Partial<Record<Call["operation"], DiskReserve.Use>> = {
  open: "revoke",
  close: "read",
  find: "read",
  findByHash: "read",
  findLiving: "read",
  findSession: "read",
  newestSessions: "read",
  list: "read",
  listClusters: "read",
  count: "read",
  revoke: "revoke",
  revokeAll: "revoke",
  removeSession: "revoke",
  removeSessionsOfOwner: "revoke"
}

/** Makes a client over a thread, which maps the thread's faults to errors of the key store. */
export const over = (
  thread: SqliteThread.SqliteThread<Call, Outcome>,
  reserve: DiskReserve.DiskReserve
): KeyClient => ({
  call: (call) =>
    DiskReserve.send(reserve, USES[call.operation] ?? "write", thread.call(call)).pipe(
      Effect.mapError((fault) => new KeyStoreError({ reason: reasonOf(call.operation, fault) })),
      Effect.flatMap((outcome) => rowsOf(call, outcome))
    )
})

const reasonOf = (operation: Call["operation"], fault: ThreadFault.ThreadFault) => {
  switch (fault._tag) {
    case "ThreadBusy":
      return new StoreBusy({ operation, waiting: fault.waiting })
    case "ThreadTimedOut":
      return new StoreTimedOut({ operation, timeoutMs: fault.timeoutMs })
    case "ThreadEnded":
      return new StoreFailed({ operation, cause: fault.cause })
  }
}

const rowsOf = (call: Call, outcome: Outcome): Effect.Effect<Rows, KeyStoreError> => {
  switch (outcome.outcome) {
    case "done":
      return Effect.succeed(outcome.rows)
    case "full":
      return Effect.fail(new KeyStoreError({ reason: new MakerFull({}) }))
    case "failed":
      return Effect.fail(
        new KeyStoreError({
          reason: new StoreFailed({ operation: call.operation, cause: new Error(outcome.message) })
        })
      )
    case "tooNew":
      return Effect.fail(
        new KeyStoreError({
          reason: new StoreTooNew({
            place: call.operation === "open" ? call.path : "",
            found: outcome.found,
            supported: outcome.supported
          })
        })
      )
  }
}
