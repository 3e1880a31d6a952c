/** An HTTP server that listens until a scope closes. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import { Effect, FiberSet, type Scope } from "effect"
import { MachineRefused } from "../../machine/HarnessError.ts"

/** Answers one request. Interrupted when the connection closes. */
export type Respond = (request: IncomingMessage, response: ServerResponse) => Effect.Effect<void>

/**
 * Listens on a free port and returns its number.
 *
 * **Limits** closing the scope cuts every connection.
 */
export const listen = (
  create: (onRequest: RequestListener) => Pick<Server, "address" | "close" | "closeAllConnections" | "listen" | "once">,
  respond: Respond,
  host = "127.0.0.1"
): Effect.Effect<number, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime()
    const server = create((request, response) => {
      const fiber = run(respond(request, response))
      response.once("close", () => fiber.interruptUnsafe())
    })
    const listening = Effect.callback<number, MachineRefused>((resume) => {
      const refused = (cause: Error) =>
        resume(Effect.fail(new MachineRefused({ action: "listen for requests for a cluster's metrics", cause })))
      server.once("error", refused)
      server.listen(0, host, () => {
        const address = server.address()
        resume(
          address === null || typeof address === "string"
            ? Effect.die(new Error("the server has no port"))
            : Effect.succeed(address.port)
        )
      })
    })
    const closed = Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
    return yield* Effect.acquireRelease(listening, () => closed)
  })
