/**
 * The TLS socket of an embedded server.
 */
import { Effect, FiberSet, Redacted, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import type { Socket } from "node:net"
import { MachineRefused, type PortsTaken } from "../core/Machine.ts"
import * as Ports from "./Ports.ts"
import type { ServerCertificate } from "./ServerCertificate.ts"

/** Answers one request. It is interrupted when the connection closes. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Effect.Effect<void>

export interface Listener {
  readonly port: number
  readonly isListening: () => boolean
  /** Number of TLS connections accepted since the start, over all restarts. */
  readonly accepted: () => number
  /** Number of TLS connections that are open now. */
  readonly open: () => number
  /** Stops listening and resets every connection at once. */
  readonly kill: Effect.Effect<void>
  /** Listens again on the same port. **Errors** if another program has taken the port. */
  readonly listen: Effect.Effect<void, MachineRefused>
}

/**
 * Listens on a free port of 127.0.0.1, and reserves the port while the server is stopped.
 *
 * **Limits** closing the scope stops the server and interrupts every request.
 */
export const make = (
  certificate: ServerCertificate,
  handle: Handle
): Effect.Effect<Listener, MachineRefused | PortsTaken, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime()
    const sockets = new Set<Socket>()
    let accepted = 0

    const server = createServer(
      {
        cert: certificate.certificatePem,
        key: Redacted.value(certificate.keyPem),
        minVersion: "TLSv1.3",
        noDelay: true,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: 0
      },
      (request, response) => {
        const fiber = run(handle(request, response))
        response.once("close", () => fiber.interruptUnsafe())
      }
    )
    server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      // Clients may reset connections. The close event that follows ends the request's fiber.
      socket.on("error", () => socket.destroy())
    })
    server.on("secureConnection", (socket) => {
      accepted++
      socket.on("error", () => socket.destroy())
    })

    const kill = Effect.callback<void>((resume) => {
      if (server.listening) server.close(() => resume(Effect.void))
      else resume(Effect.void)
      for (const socket of sockets) socket.resetAndDestroy()
    })
    yield* Effect.addFinalizer(() => kill)
    const port = yield* Effect.tap(Ports.reserve, (reserved) => listenOn(server, reserved)).pipe(
      Effect.retry({ times: START_ATTEMPTS - 1, while: isTaken })
    )
    return {
      port,
      isListening: () => server.listening,
      accepted: () => accepted,
      open: () => sockets.size,
      kill,
      listen: listenOn(server, port)
    }
  })

/** Time for which idle connections stay open: as long as clients keep them, so that clients close them first. */
const KEEP_ALIVE_MS = 180_000
/** Another program may ask for the reserved port by number, so the start is retried. */
const START_ATTEMPTS = 5
const isTaken = (error: MachineRefused | PortsTaken): boolean =>
  error._tag === "MachineRefused"
  && error.cause instanceof Error
  && "code" in error.cause
  && error.cause.code === "EADDRINUSE"

/** Starts to listen. Uninterruptible, because a server that does not listen yet cannot be closed. */
const listenOn = (server: Server, port: number): Effect.Effect<void, MachineRefused> =>
  Effect.callback<void, MachineRefused>((resume) => {
    const refused = (cause: Error) =>
      resume(Effect.fail(new MachineRefused({ action: "listen as an embedded API server", cause })))
    server.once("error", refused)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  }).pipe(Effect.uninterruptible)
