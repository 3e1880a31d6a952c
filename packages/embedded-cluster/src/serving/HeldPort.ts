/**
 * Keeps a port from everybody else by a connection that goes out from it.
 *
 * Linux lets one listen on a port beside such a connection, and gives the port to nobody who asks it for a free one, nor
 * to a connection that goes out from this address: a cluster that is down for a moment finds its port when it comes
 * back. Who asks for the port by its number still gets it.
 *
 * **Source** Linux, `net/ipv4/inet_connection_sock.c` (`inet_csk_bind_conflict`) and `inet_hashtables.c`
 * (`__inet_hash_connect`); libuv and Go set `SO_REUSEADDR` on every socket that listens, libuv on every one that binds.
 */
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { MachineRefused } from "../core/MachineRefused.ts"

const HOST = "127.0.0.1"

/** A connection of this process with itself. */
interface Loop {
  /** The port that it goes out from. */
  readonly port: number
  readonly ends: ReadonlyArray<Socket>
}

const made = async (): Promise<Loop> => {
  const server = createServer()
  try {
    const out = connect({ host: HOST, port: await listening(server), localAddress: HOST })
    try {
      const [inner, port] = await Promise.all([accepted(server, out), connected(out)])
      const ends = [out, inner]
      for (const end of ends) end.unref()
      return { port, ends }
    } catch (cause) {
      out.destroy()
      throw cause
    }
  } finally {
    server.close()
  }
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, HOST, () => {
      const address = server.address()
      if (address !== null && typeof address !== "string") resolve(address.port)
    })
  })

const accepted = (server: Server, from: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    server.on("error", reject)
    // Without a free file descriptor the system accepts it, and ends it at once.
    from.once("close", () => reject(new Error("the connection was not accepted")))
    server.on("connection", (end: Socket) => {
      // It ends with the other one, by a reset.
      end.on("error", () => end.destroy())
      if (end.remotePort === from.localPort) resolve(end)
      // Somebody else has found the server.
      else end.destroy()
    })
  })

const connected = (out: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    out.on("error", reject)
    out.once("connect", () => {
      if (out.localPort !== undefined) resolve(out.localPort)
    })
  })

/** Takes a port of 127.0.0.1 that the system chooses, until the scope closes. */
export const hold: Effect.Effect<number, MachineRefused, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.tryPromise({
      try: made,
      catch: (cause) => new MachineRefused({ action: "keep a port of 127.0.0.1", cause })
    }),
    ({ ends }) =>
      Effect.sync(() => {
        for (const end of ends) end.resetAndDestroy()
      })
  ),
  ({ port }) => port
)
