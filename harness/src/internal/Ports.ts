/**
 * Finds ports on the loopback address that nobody listens on.
 *
 * @since 0.1.0
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { Effect } from "effect"
import { PortsTaken } from "../HarnessError.ts"

/**
 * Below the ranges from which Linux (32768 up) and macOS (49152 up) take the ports of outgoing connections: a cluster
 * that is down for a moment must find its port free when it comes back.
 */
const LOWEST = 20_000
const HIGHEST = 32_767
const ATTEMPTS = 50

/** Given out by this process; another cluster that is just starting may not listen yet. */
const given = new Set<number>()

/** Finds a free port and keeps it from being given twice in this process until the scope closes. */
export const free = Effect.acquireRelease(
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
