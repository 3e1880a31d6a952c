import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Worker } from "node:worker_threads"
import { makeExchange } from "../../../src/store/sqlite/KeyThread.ts"

/** A thread that runs a script in place of the store's. */
const thread = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Worker(script, { eval: true })),
    (worker) => Effect.promise(() => worker.terminate())
  )

const causeOf = <A, E extends { readonly reason: object }>(call: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(call), ({ reason }) =>
    "cause" in reason && reason.cause instanceof Error ? reason.cause.message : "none"
  )

describe("the thread of the key store", () => {
  it.live("fails every waiting and every later call once it has ended", () =>
    Effect.gen(function* () {
      const worker = yield* thread(`require("node:worker_threads").parentPort.once("message", () => process.exit(3))`)
      const deaths: Array<string> = []
      const exchange = makeExchange(worker, ({ message }) => deaths.push(message))
      const waiting = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(causeOf(exchange({ operation: "count" })))
      )
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), Array(3).fill("the thread ended with code 3"))
      assert.strictEqual(yield* causeOf(exchange({ operation: "count" })), "the thread ended with code 3")
      assert.deepStrictEqual(deaths, ["the thread ended with code 3"])
    })
  )

  it.live("tells what it died of", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        `require("node:worker_threads").parentPort.once("message", () => { throw new Error("out of luck") })`
      )
      const exchange = makeExchange(worker, () => {})
      assert.strictEqual(yield* causeOf(exchange({ operation: "count" })), "out of luck")
    })
  )

  it.live("counts a call that was given up as waiting until it is answered", () =>
    Effect.gen(function* () {
      const worker = yield* thread(`
        const { parentPort } = require("node:worker_threads")
        const held = []
        parentPort.on("message", ({ number, call }) => {
          held.push({ number, outcome: "done", rows: [] })
          if (call.operation === "close") for (const reply of held) parentPort.postMessage(reply)
        })
      `)
      const exchange = makeExchange(worker, () => {})
      const givenUp = yield* Effect.forEach(Array(999).fill(0), () =>
        Effect.forkChild(exchange({ operation: "count" }), { startImmediately: true })
      )
      yield* Fiber.interruptAll(givenUp)
      const last = yield* Effect.forkChild(exchange({ operation: "count" }), { startImmediately: true })
      const refused = yield* Effect.flip(exchange({ operation: "close" }))
      assert.strictEqual(refused.message, "the key store has 1000 calls waiting and takes no more")
      yield* Fiber.interrupt(last)
    })
  )
})
