/**
 * Finds and reserves free ports of the loopback address.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { Effect, type Scope } from "effect"
import { type MachineRefused, PortsTaken } from "../core/Machine.ts"
import * as ReservedPort from "./ReservedPort.ts"

/**
 * Lowest port to use. The range is below the ephemeral ports of Linux (32768 up) and macOS (49152 up), from which
 * systems choose ports for outgoing connections and Docker for published ports.
 */
const LOWEST = 20_000
const HIGHEST = 32_767
const ATTEMPTS = 50

/** Ports that this process has assigned. Another cluster that is starting may not listen yet. */
const assigned = new Set<number>()

/** Finds a free port in the range, and assigns it once in this process until the scope closes. */
export const outsideEphemeralRanges: Effect.Effect<number, PortsTaken, Scope.Scope> = Effect.acquireRelease(
  Effect.gen(function* () {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Not Effect's Random: two processes with one seed would try the same ports.
      const port = randomInt(LOWEST, HIGHEST + 1)
      if (assigned.has(port)) continue
      assigned.add(port)
      if (yield* isFree(port)) return port
      assigned.delete(port)
    }
    return yield* new PortsTaken({ attempts: ATTEMPTS })
  }),
  (port) => Effect.sync(() => assigned.delete(port))
)

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resume(Effect.succeed(true))))
  })

const reserveOnLinux = Effect.gen(function* () {
  const port = yield* ReservedPort.reserve
  // Some sandboxes report Linux, but a server cannot listen on a port that an outgoing connection uses.
  return (yield* isFree(port)) ? port : yield* outsideEphemeralRanges
})

/**
 * Reserves a port until the scope closes, for a server that listens on it from time to time.
 *
 * **Shape** on Linux other programs can take the port only by its number. On other systems the port comes
 * from {@link outsideEphemeralRanges}.
 */
export const reserve: Effect.Effect<number, MachineRefused | PortsTaken, Scope.Scope> =
  process.platform === "linux" ? reserveOnLinux : outsideEphemeralRanges
