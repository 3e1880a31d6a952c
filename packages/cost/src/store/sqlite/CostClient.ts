/**
 * Calls the worker thread that owns the file of the cost history.
 */
import { is } from "@quarterdeck/targeting/ClusterName"
import { Deferred, Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { CostError, HourClosed, HourForgotten, StoreUnavailable, StoreUnreadable } from "../../hour/CostError.ts"
import type { Answer, Call, Operation, Outcome, Reply, Request } from "./CostProtocol.ts"

/** Calls that the worker may have before it; one more is refused rather than kept. */
const MAX_WAITING = 1_000
/** Longer than the worker waits for a file that another process holds, and than a year's hours take to rewrite. */
const CALL_TIMEOUT_MS = 60_000
/** Opening may rewrite tables; checking reads all of them. */
const LONG_TIMEOUT_MS = 1_800_000

/** What the thread keeps is in typed arrays; a small nursery is looked through often, and frees those soon. */
const YOUNG_MB = 8

/** What a call is answered with. */
type AnswerOf<O extends Operation> = Extract<Answer, { readonly operation: O }>

export interface CostClient {
  /**
   * Sends one call.
   *
   * **Shape** `onOutcome` runs before anything that was asked later is told. **Errors** those of the store.
   */
  readonly call: <O extends Operation>(
    call: Extract<Call, { readonly operation: O }>,
    onOutcome?: () => void
  ) => Effect.Effect<AnswerOf<O>, CostError>
}

/**
 * Starts the worker and opens the file.
 *
 * **Limits** one thread, {@link MAX_WAITING} calls; the scope's end closes the file and ends the thread. A thread that
 * dies is not replaced: every later call fails. With `isAlone` no other program has the file meanwhile.
 */
export const make = Effect.fnUntraced(function* (
  path: string,
  { isAlone }: { readonly isAlone: boolean }
): Effect.fn.Return<CostClient, CostError, Scope.Scope> {
  const worker = yield* Effect.acquireRelease(Effect.sync(startThread), (started) =>
    Effect.promise(() => started.terminate())
  )
  const death = yield* Deferred.make<Error>()
  const exchange = makeExchange(worker, (cause) => Deferred.doneUnsafe(death, Effect.succeed(cause)))

  const call: CostClient["call"] = (request, onOutcome) => {
    const { operation } = request
    const isLong = operation === "open" || operation === "check" || operation === "repair"
    const duration = isLong ? LONG_TIMEOUT_MS : CALL_TIMEOUT_MS
    return exchange(request, onOutcome).pipe(
      Effect.timeoutOrElse({
        duration,
        orElse: () => Effect.fail(unavailable(operation, new Error(`no answer within ${duration} ms`)))
      }),
      Effect.filterOrElse(isAnswer(operation), (answer) =>
        Effect.die(new Error(`the answer to ${operation} was ${answer.operation}`))
      )
    )
  }

  yield* call({ operation: "open", path, isAlone })
  yield* Effect.addFinalizer(() =>
    Effect.ignore(call({ operation: "end" }), { log: "Warn", message: "the cost history was not closed in order" })
  )
  yield* Effect.forkScoped(
    Effect.flatMap(Deferred.await(death), (cause) => Effect.logError("the thread of the cost history ended", cause))
  )
  return { call }
})

const isAnswer =
  <O extends Operation>(operation: O) =>
  (answer: Answer): answer is AnswerOf<O> =>
    answer.operation === operation

/** The entry imports nothing but its siblings, so none of the program's own Node options concern it. */
const startThread = (): Worker =>
  new Worker(new URL(import.meta.resolve("@quarterdeck/cost/store/SqliteWorker")), {
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB }
  })

/** Pairs requests with replies. **Shape** a call that was given up still counts as waiting until it is answered. */
export const makeExchange = (worker: Worker, onDeath: (cause: Error) => void) => {
  const waiting = new Map<number, (outcome: Outcome) => void>()
  let next = 0
  let dead: Error | undefined

  const end = (cause: Error) => {
    dead ??= cause
    onDeath(dead)
    for (const settle of waiting.values()) settle({ outcome: "failed", message: dead.message })
    waiting.clear()
  }
  worker.on("error", (cause: unknown) => end(cause instanceof Error ? cause : new Error("the thread failed")))
  worker.on("exit", (code) => end(new Error(`the thread ended with code ${code}`)))
  worker.on("message", (reply: Reply) => {
    const settle = waiting.get(reply.number)
    waiting.delete(reply.number)
    settle?.(reply)
  })

  return (call: Call, onOutcome: () => void = () => undefined): Effect.Effect<Answer, CostError> =>
    Effect.callback((resume) => {
      const { operation } = call
      const refuse = (cause: Error) => {
        onOutcome()
        resume(Effect.fail(unavailable(operation, cause)))
      }
      if (dead !== undefined) return refuse(dead)
      if (waiting.size >= MAX_WAITING) return refuse(new Error(`${waiting.size} calls are waiting`))
      const number = next++
      waiting.set(number, (outcome) => {
        onOutcome()
        resume(resultOf(operation, outcome))
      })
      const request: Request = { number, call }
      worker.postMessage(request, transferred(call))
    })
}

/** What of a call moves to the worker instead of being copied: values that were laid together for it. */
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
      if (!is(cluster)) return Effect.die(new Error("the worker answered for a cluster that nobody named"))
      const Reason = outcome.outcome === "closed" ? HourClosed : HourForgotten
      return Effect.fail(new CostError({ reason: new Reason({ cluster, startMs }) }))
    }
    case "unreadable":
      return Effect.fail(new CostError({ reason: new StoreUnreadable({ problem: outcome.message }) }))
    case "failed":
      return Effect.fail(unavailable(operation, new Error(outcome.message)))
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
  check: "check the cost history",
  repair: "repair the cost history"
}

const unavailable = (operation: Operation, cause: Error): CostError =>
  new CostError({ reason: new StoreUnavailable({ action: ACTIONS[operation], cause }) })
