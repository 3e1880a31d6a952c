/** A server's socket on a free loopback port, open until a scope closes. */
import { Effect, type Scope } from "effect"
import type { Server } from "node:net"
import { MachineRefused } from "../machine/HarnessError.ts"

/** Listens and returns the port. Closing the scope closes the server, then runs `reset` to end open connections. */
export const listen = (
  server: Server,
  action: string,
  reset: () => void
): Effect.Effect<number, MachineRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number, MachineRefused>((resume) => {
      const refused = (cause: Error) => resume(Effect.fail(new MachineRefused({ action, cause })))
      server.once("error", refused)
      server.listen(0, "127.0.0.1", () => {
        server.off("error", refused)
        const address = server.address()
        resume(
          address === null || typeof address === "string"
            ? Effect.die(new Error("a server that listens on TCP has an address with a port"))
            : Effect.succeed(address.port)
        )
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        reset()
      })
  )
