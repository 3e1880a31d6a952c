import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Worker } from "node:worker_threads"
import type { CostError } from "../../../src/hour/CostError.ts"
import { makeExchange } from "../../../src/store/sqlite/CostClient.ts"

/** A thread that runs a script in place of the store's. */
const thread = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Worker(script, { eval: true })),
    (worker) => Effect.promise(() => worker.terminate())
  )

const messageOf = <A>(call: Effect.Effect<A, CostError>) => Effect.map(Effect.flip(call), ({ message }) => message)

describe("the thread of the cost history", () => {
  it.live("fails every waiting and every later call once it has ended", () =>
    Effect.gen(function* () {
      const worker = yield* thread(`require("node:worker_threads").parentPort.once("message", () => process.exit(3))`)
      const deaths: Array<string> = []
      const exchange = makeExchange(worker, ({ message }) => deaths.push(message))
      const waiting = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(messageOf(exchange({ operation: "extents" })))
      )
      const ended = "could not list the hours that are kept: the thread ended with code 3"
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), [ended, ended, ended])
      assert.strictEqual(yield* messageOf(exchange({ operation: "extents" })), ended)
      assert.deepStrictEqual(deaths, ["the thread ended with code 3"])
    })
  )

  it.live("refuses calls beyond a thousand, of which those that were given up still count", () =>
    Effect.gen(function* () {
      const worker = yield* thread(`setInterval(() => {}, 60_000)`)
      const exchange = makeExchange(worker, () => {})
      const givenUp = yield* Effect.forEach(Array(1_000).fill(0), () =>
        Effect.forkChild(exchange({ operation: "extents" }), { startImmediately: true })
      )
      yield* Fiber.interruptAll(givenUp)
      assert.strictEqual(
        yield* messageOf(exchange({ operation: "end" })),
        "could not close the cost history: 1000 calls are waiting"
      )
    })
  )
})
