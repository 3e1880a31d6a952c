/**
 * Calls the worker thread that owns the file of the cost history.
 */
import { is } from "@quarterdeck/targeting/ClusterName"
import { DiskReserve, SqliteThread } from "@quarterdeck/sqlite-thread"
import { Effect, type Scope, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import {
  CostError,
  DiskFull,
  HourClosed,
  HourForgotten,
  StoreUnavailable,
  StoreUnreadable
} from "../../hour/CostError.ts"
import type { Answer, Call, Operation, Outcome } from "./CostProtocol.ts"

/** Timeout of a call. It exceeds the wait for a locked file, and the duration of a rewrite of a year of hours. */
const CALL_TIMEOUT_MS = 60_000
/** Timeout of migrations, which may rewrite tables, and of checks, which read the whole file. */
const LONG_TIMEOUT_MS = 1_800_000

/** Size of the thread's young generation. With a small one, the garbage collector runs often and frees typed arrays soon. */
const YOUNG_MB = 8

type AnswerOf<O extends Operation> = Extract<Answer, { readonly operation: O }>

export interface CostClient {
  /**
   * Sends one call.
   *
   * **Shape** `onOutcome` runs before a later call is answered. **Errors** Those of the store.
   */
  readonly call: <O extends Operation>(
    call: Extract<Call, { readonly operation: O }>,
    onOutcome?: () => void
  ) => Effect.Effect<AnswerOf<O>, CostError>
}

/**
 * Starts the worker and opens the file.
 *
 * **Limits** One thread. The end of the scope closes the file and ends the thread. A thread that dies is not replaced: every
 * later call fails. With `isAlone` no other process can open the file meanwhile.
 */
export const make = Effect.fnUntraced(function* (
  path: string,
  { isAlone }: { readonly isAlone: boolean }
): Effect.fn.Return<CostClient, CostError, Scope.Scope> {
  const thread = yield* SqliteThread.make<Call, Outcome>({
    name: "the cost history",
    start: startThread,
    timeoutMs: ({ operation }) =>
      operation === "open" || operation === "check" || operation === "repair" ? LONG_TIMEOUT_MS : CALL_TIMEOUT_MS,
    transferred
  })
  const client = over(thread, yield* DiskReserve.CurrentReserve)
  yield* client.call({ operation: "open", path, isAlone, sweeps: true })
  yield* Effect.addFinalizer(() =>
    Effect.ignore(client.call({ operation: "end" }), {
      log: "Warn",
      message: "the cost history was not closed in order"
    })
  )
  return client
})

/** Disk use of each operation. An operation that is missing here is a `write`. */
const USES: Partial<Record<Operation, DiskReserve.Use>> = {
  open: "revoke",
  end: "read",
  sums: "read",
  hours: "read",
  series: "read",
  extents: "read",
  recommendations: "read",
  histories: "read",
  check: "read"
}

/**
 * Makes the client of a thread.
 *
 * **Shape** Writes are sent one at a time. When a write fails on a full disk, the waiting writes fail without being sent.
 */
export const over = (
  thread: SqliteThread.SqliteThread<Call, Outcome>,
  reserve: DiskReserve.DiskReserve
): CostClient => {
  const turn = Semaphore.makeUnsafe(1)
  const send = (request: Call, onOutcome?: () => void) => {
    const use = USES[request.operation] ?? "write"
    const sent = Effect.suspend(() => thread.call(reserve.isFull() ? frugal(request) : request, onOutcome))
    const outcome = DiskReserve.send(reserve, use, sent)
    return use === "write" ? turn.withPermit(outcome) : outcome
  }
  return {
    call: (request, onOutcome) => {
      const { operation } = request
      return send(request, onOutcome).pipe(
        Effect.mapError((fault) => unavailable(operation, fault)),
        Effect.flatMap((outcome) => resultOf(operation, outcome)),
        Effect.filterOrElse(isAnswer(operation), (answer) =>
          Effect.die(new Error(`the answer to ${operation} was ${answer.operation}`))
        )
      )
    }
  }
}

/** Disables the sweep of an `open` call on a full disk, so that the space of the reserve remains for revocations. */
const frugal = (call: Call): Call => (call.operation === "open" ? { ...call, sweeps: false } : call)

const isAnswer =
  <O extends Operation>(operation: O) =>
  (answer: Answer): answer is AnswerOf<O> =>
    answer.operation === operation

/** Starts the worker without the Node options of the process. It needs no options, because its entry imports no package. */
const startThread = (): Worker =>
  new Worker(new URL(import.meta.resolve("@quarterdeck/cost/store/SqliteWorker")), {
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB }
  })

/** Lists the buffers that move to the worker instead of being copied. */
const transferred = (call: Call): Array<ArrayBuffer> => {
  if (call.operation === "close") return [call.closing.values.buffer]
  if (call.operation === "rewrite") return call.closings.map(({ values }) => values.buffer)
  if (call.operation === "recommend") return [call.saved.checkpoints.buffer]
  return []
}

const resultOf = (operation: Operation, outcome: Outcome): Effect.Effect<Answer, CostError> => {
  switch (outcome.outcome) {
    case "done":
      return Effect.succeed(outcome.answer)
    case "closed":
    case "forgotten": {
      const { cluster, startMs } = outcome
      if (!is(cluster)) return Effect.die(new Error("the worker answered for an invalid cluster name"))
      const Reason = outcome.outcome === "closed" ? HourClosed : HourForgotten
      return Effect.fail(new CostError({ reason: new Reason({ cluster, startMs }) }))
    }
    case "unreadable":
      return Effect.fail(new CostError({ reason: new StoreUnreadable({ problem: outcome.message }) }))
    case "failed":
      return Effect.fail(
        outcome.isDiskFull
          ? new CostError({ reason: new DiskFull({ action: ACTIONS[operation], problem: outcome.message }) })
          : unavailable(operation, new Error(outcome.message))
      )
  }
}

const ACTIONS: { readonly [O in Operation]: string } = {
  open: "open the cost history",
  end: "close the cost history",
  close: "close an hour",
  rewrite: "rewrite hours",
  sums: "sum hours",
  hours: "read hours",
  series: "read the names of series",
  extents: "list the hours that are kept",
  prune: "forget old hours",
  recommend: "keep recommendations",
  recommendations: "read recommendations",
  forgetRecommendations: "forget recommendations",
  histories: "read the book of cost histories",
  saveHistories: "keep the book of cost histories",
  check: "check the cost history",
  repair: "repair the cost history"
}

const unavailable = (operation: Operation, cause: Error): CostError =>
  new CostError({ reason: new StoreUnavailable({ action: ACTIONS[operation], cause }) })
