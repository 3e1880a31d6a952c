/**
 * The connection to the cluster behind one client's connection.
 *
 * Each client connection has its own. If the cluster closes it, the client's connection ends in the same way, as
 * without a proxy.
 */
import { connect, type Socket } from "node:net"
import { buildConnector, Client } from "undici"
import type { Target } from "./Target.ts"

export interface Upstream {
  readonly client: Client
  /** Called before a fault ends this connection. The client's connection then stays open. */
  readonly forgive: () => void
  readonly destroy: () => void
}

/** Time after which the proxy closes an idle connection. So long that the cluster closes it first. */
const KEEP_ALIVE_MS = 24 * 60 * 60 * 1_000
const MAX_HEADER_BYTES = 256 * 1024
const CONNECT_TIMEOUT_MS = 30_000

/** Creates the connector that opens TLS to the cluster. All connections share it, so TLS sessions are resumed. */
export const connectorFor = ({ caPem }: Target): buildConnector.connector =>
  buildConnector({ ca: caPem, allowH2: false, timeout: CONNECT_TIMEOUT_MS })

/**
 * Connects at once. TLS follows with the first request.
 *
 * `gone` is called when the connection ends, with an error if it was reset.
 */
export const make = (
  target: Target,
  connector: buildConnector.connector,
  gone: (cause: Error | undefined) => void
): Upstream => {
  let forgiven = false
  let destroyed = false
  const open = (): Socket => connect({ host: target.host, port: target.port, noDelay: true })
  const end = (cause: Error | undefined): void => {
    if (!destroyed) gone(cause)
  }

  let early: Socket | undefined = open()
  const lostEarly = (cause: Error) => end(cause)
  const closedEarly = () => end(undefined)
  early.once("error", lostEarly).once("close", closedEarly)
  const taken = (): Socket => {
    const socket = early ?? open()
    early = undefined
    // From here on the HTTP client reports how the connection ended. A socket error without a listener would end the
    // process.
    socket.off("error", lostEarly).off("close", closedEarly).on("error", ignored)
    return socket
  }

  const client = new Client(target.origin, {
    connect: (options, callback) => connector({ ...options, httpSocket: taken() }, callback),
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false
  })
  client.on("disconnect", (_origin, _targets, error) => {
    if (forgiven) {
      forgiven = false
      return
    }
    end(isReset(error) ? error : undefined)
  })
  return {
    client,
    forgive: () => {
      forgiven = true
    },
    destroy: () => {
      destroyed = true
      early?.destroy()
      // The handler of the request in progress reports its error.
      client.destroy().catch(ignored)
    }
  }
}

const isReset = (error: Error): boolean => "code" in error && error.code === "ECONNRESET"

const ignored = (): void => undefined
