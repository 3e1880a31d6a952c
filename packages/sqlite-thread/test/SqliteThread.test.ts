import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { Worker } from "node:worker_threads"
import { SqliteThread } from "@quarterdeck/sqlite-thread"

/** A thread that runs a script in place of a store's. */
const thread = (script: string, timeoutMs = 60_000) =>
  SqliteThread.make<string, string>({
    name: "the example",
    start: () => new Worker(script, { eval: true }),
    timeoutMs: () => timeoutMs
  })

const messageOf = <A>(call: Effect.Effect<A, { readonly message: string }>) =>
  Effect.map(Effect.flip(call), ({ message }) => message)

const ECHO = `
  const { parentPort } = require("node:worker_threads")
  parentPort.on("message", ({ number, call }) => parentPort.postMessage({ number, outcome: call + "!" }))
`

describe("a thread that owns a file", () => {
  it.live("answers each of many calls at once with its own outcome", () =>
    Effect.gen(function* () {
      const { call } = yield* thread(ECHO)
      const texts = Array.from({ length: 500 }, (_, index) => `call ${index}`)
      const outcomes = yield* Effect.forEach(texts, (text) => call(text), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        outcomes,
        texts.map((text) => `${text}!`)
      )
    })
  )

  it.live("fails every waiting and every later call once it has ended, and logs that once", () => {
    const lines: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    return Effect.gen(function* () {
      const { call } = yield* thread(`require("node:worker_threads").parentPort.once("message", () => process.exit(3))`)
      const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(messageOf(call("count"))))
      const ended = "the thread ended with code 3"
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), [ended, ended, ended])
      assert.strictEqual(yield* messageOf(call("count")), ended)
      assert.strictEqual(lines.length, 1)
      assert.include(String(lines[0]), "the thread of the example ended")
    }).pipe(Effect.provide(log))
  })

  it.live("says what it died of", () =>
    Effect.gen(function* () {
      const { call } = yield* thread(
        `require("node:worker_threads").parentPort.once("message", () => { throw new Error("out of luck") })`
      )
      assert.strictEqual(yield* messageOf(call("count")), "out of luck")
    })
  )

  it.live("refuses calls beyond a thousand, of which those that were given up still count", () =>
    Effect.gen(function* () {
      const { call } = yield* thread(`
        const { parentPort } = require("node:worker_threads")
        const held = []
        parentPort.on("message", ({ number, call }) => {
          held.push({ number, outcome: call })
          if (call === "answer all") for (const reply of held) parentPort.postMessage(reply)
        })
      `)
      const givenUp = yield* Effect.forEach(Array(999).fill("count"), (text: string) =>
        Effect.forkChild(call(text), { startImmediately: true })
      )
      yield* Fiber.interruptAll(givenUp)
      const last = yield* Effect.forkChild(call("answer all"), { startImmediately: true })
      assert.strictEqual(yield* messageOf(call("count")), "1000 calls are waiting")
      assert.strictEqual(yield* Fiber.join(last), "answer all")
      assert.strictEqual(yield* call("answer all"), "answer all")
    })
  )

  it.live("gives up on a call that takes too long", () =>
    Effect.gen(function* () {
      const { call } = yield* thread(`setInterval(() => {}, 60_000)`, 20)
      assert.strictEqual(yield* messageOf(call("count")), "no answer within 20 ms")
    })
  )

  it.live("tells that a call is settled before a later one is answered, and also of one that is refused", () =>
    Effect.gen(function* () {
      const { call } = yield* thread(ECHO)
      const order: Array<string> = []
      yield* Effect.all(
        [
          Effect.andThen(
            call("one", () => order.push("one settled")),
            Effect.sync(() => order.push("one"))
          ),
          Effect.andThen(
            call("two", () => order.push("two settled")),
            Effect.sync(() => order.push("two"))
          )
        ],
        { concurrency: "unbounded" }
      )
      assert.isBelow(order.indexOf("one settled"), order.indexOf("two"))
      const { call: dead } = yield* thread(`process.exit(1)`)
      yield* Effect.flip(dead("count"))
      yield* Effect.flip(dead("count", () => order.push("refused")))
      assert.strictEqual(order.at(-1), "refused")
    })
  )
})
