/**
 * Reserves a port by an outgoing connection from it.
 *
 * Linux lets a server listen on a port beside such a connection. It assigns the port neither to programs that ask for
 * any free port nor to outgoing connections from this address. A stopped cluster can therefore listen on its port
 * again. A program that asks for the port by number still gets it.
 *
 * **Source** Linux, `net/ipv4/inet_connection_sock.c` (`inet_csk_bind_conflict`) and `inet_hashtables.c`
 * (`__inet_hash_connect`); libuv and Go set `SO_REUSEADDR` on every listening socket, libuv on every bound socket.
 */
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { MachineRefused } from "../core/Machine.ts"

const HOST = "127.0.0.1"

/** A connection of this process to itself. */
interface Loop {
  /** Local port of the outgoing end. */
  readonly port: number
  readonly ends: ReadonlyArray<Socket>
}

const openLoop = async (): Promise<Loop> => {
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
    // Without a free file descriptor, the system accepts the connection and closes it immediately.
    from.once("close", () => reject(new Error("the connection was not accepted")))
    server.on("connection", (end: Socket) => {
      // The other end closes by a reset, which raises an error here.
      end.on("error", () => end.destroy())
      if (end.remotePort === from.localPort) resolve(end)
      // Another program connected to the server.
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

/** Reserves a port of 127.0.0.1, chosen by the system, until the scope closes. */
export const reserve: Effect.Effect<number, MachineRefused, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.tryPromise({
      try: openLoop,
      catch: (cause) => new MachineRefused({ action: "reserve a port of 127.0.0.1", cause })
    }),
    ({ ends }) =>
      Effect.sync(() => {
        for (const end of ends) end.resetAndDestroy()
      })
  ),
  ({ port }) => port
)
