import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { Effect } from "effect"
import * as Ports from "../../src/serving/Ports.ts"

/** Listens briefly and returns the port. */
const listening = async (asked: number): Promise<number> => {
  const server = createServer()
  server.listen(asked, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return address !== null && typeof address !== "string" ? address.port : 0
}

const answerOf = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve("connected")
    })
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })

describe("Ports", () => {
  it.effect.each([
    ["reserved", Ports.reserve],
    ["outside of the ephemeral ranges", Ports.outsideEphemeralRanges]
  ] as const)("%s differ, are listened on again and again, and refuse connections in between", ([, one]) =>
    Effect.gen(function* () {
      const ports = yield* Effect.replicateEffect(one, 40, { concurrency: "unbounded" })
      assert.strictEqual(new Set(ports).size, 40)
      for (const port of ports) {
        for (let round = 0; round < 2; round++) {
          assert.strictEqual(yield* Effect.promise(() => listening(port)), port)
          assert.strictEqual(yield* Effect.promise(() => answerOf(port)), "ECONNREFUSED")
        }
      }
    })
  )

  it.effect("that are reserved are not given to programs that ask for any port, even while no server listens", () =>
    Effect.gen(function* () {
      const ports = new Set(yield* Effect.replicateEffect(Ports.reserve, 40))
      // Without the reservation, one in 200 of these ports would be one of the forty.
      for (let asked = 0; asked < 5_000; asked++) {
        assert.isFalse(ports.has(yield* Effect.promise(() => listening(0))))
      }
    })
  )
})
