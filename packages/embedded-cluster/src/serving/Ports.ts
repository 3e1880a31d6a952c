/**
 * Finds ports of the loopback address that nobody has, and keeps them.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { Effect, type Scope } from "effect"
import type { MachineRefused } from "../core/MachineRefused.ts"
import { PortsTaken } from "../core/PortsTaken.ts"
import * as HeldPort from "./HeldPort.ts"

/**
 * Below the ranges from which Linux (32768 up) and macOS (49152 up) take the ports of outgoing connections and of those
 * who ask for any, and Docker those that it publishes.
 */
const LOWEST = 20_000
const HIGHEST = 32_767
const ATTEMPTS = 50

/** Given out by this process; another cluster that is just starting may not listen yet. */
const given = new Set<number>()

/** Finds a port that systems give to nobody, and gives it once in this process until the scope closes. */
export const outOfTheWay: Effect.Effect<number, PortsTaken, Scope.Scope> = Effect.acquireRelease(
  Effect.gen(function* () {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Not Effect's Random: two processes with one seed would walk the same ports.
      const port = randomInt(LOWEST, HIGHEST + 1)
      if (given.has(port)) continue
      given.add(port)
      if (yield* isFree(port)) return port
      given.delete(port)
    }
    return yield* new PortsTaken({ attempts: ATTEMPTS })
  }),
  (port) => Effect.sync(() => given.delete(port))
)

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resume(Effect.succeed(true))))
  })

const held = Effect.gen(function* () {
  const port = yield* HeldPort.hold
  // A sandbox may call itself Linux and not let one listen beside a connection.
  return (yield* isFree(port)) ? port : yield* outOfTheWay
})

/**
 * Finds a port to listen on now and then until the scope closes.
 *
 * **Shape** on Linux nobody else gets it meanwhile, unless by its number. Elsewhere it is one {@link outOfTheWay}.
 */
export const kept: Effect.Effect<number, MachineRefused | PortsTaken, Scope.Scope> =
  process.platform === "linux" ? held : outOfTheWay
