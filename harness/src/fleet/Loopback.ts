import type { Server } from "node:http"
import { Effect, type Scope } from "effect"
import { HarnessError, MachineRefused } from "../machine/HarnessError.ts"

/**
 * Listens on a free port of 127.0.0.1 and returns its number. Closing the scope closes the server and its connections.
 *
 * **Errors** `MachineRefused`, which names the `action`.
 */
export const listen = (server: Server, action: string): Effect.Effect<number, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(listening(server, action), () => closed(server))
    const address = server.address()
    if (address === null || typeof address === "string") return yield* Effect.die(new Error("the server has no port"))
    return address.port
  })

const listening = (server: Server, action: string): Effect.Effect<void, HarnessError> =>
  Effect.callback((resume) => {
    server.once("error", (cause) =>
      resume(Effect.fail(new HarnessError({ reason: new MachineRefused({ action, cause }) })))
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
