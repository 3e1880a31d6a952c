import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { connect, createServer } from "node:net"
import * as Delays from "../../src/fleet/Delays.ts"
import { port } from "../../src/load/Ready.ts"

/** Relays that are so slow, in front of a server that answers each piece by two. **Shape** what happened is in order, at either end. */
const place = Effect.fnUntraced(function* (answeredMs: number) {
  const happened: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((socket) => {
        socket.on("error", () => socket.destroy())
        socket.on("data", (bytes) => {
          happened.push(`${bytes.toString()} asked`)
          socket.write("first ")
          // In a later turn, so that it is a piece of its own.
          setImmediate(() => socket.write("second"))
        })
      })
    ),
    (open) => Effect.sync(() => open.close())
  )
  const address = `https://127.0.0.1:${yield* Effect.promise(() => port(server))}`
  const delays = yield* Delays.make(answeredMs, false)
  yield* delays.slow

  /** Asks over a connection of its own. */
  const ask = Effect.fnUntraced(function* (word: string) {
    const relay = new URL(yield* delays.relay(address))
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(Number(relay.port), "127.0.0.1")),
      (open) => Effect.sync(() => open.destroy())
    )
    let answer = ""
    socket.on("data", (bytes) => {
      answer += bytes.toString()
      if (answer.endsWith("second")) happened.push(`${word} answered: ${answer}`)
    })
    socket.write(word)
  })
  const untilHappened = (count: number) =>
    eventually(
      "that happened",
      Effect.sync(() => [...happened]),
      ({ length }) => length >= count,
      {
        within: "10 seconds"
      }
    )
  return { ask, untilHappened }
})

describe("relays that are slow", () => {
  it.live("pass on requests while answers to others wait", () =>
    Effect.gen(function* () {
      const { ask, untilHappened } = yield* place(60_000)
      yield* ask("one")
      yield* untilHappened(1)
      yield* ask("two")
      assert.deepStrictEqual(yield* untilHappened(2), ["one asked", "two asked"])
    }).pipe(Effect.scoped)
  )

  it.live("keep the pieces of an answer in order", () =>
    Effect.gen(function* () {
      const { ask, untilHappened } = yield* place(100)
      yield* ask("one")
      assert.deepStrictEqual(yield* untilHappened(2), ["one asked", "one answered: first second"])
    }).pipe(Effect.scoped)
  )
})
