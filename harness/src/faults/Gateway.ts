/** Terminates TLS in front of a cluster, so that faults can act on requests and replies. */
import { Effect, FiberSet, Redacted, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { MachineRefused } from "../machine/HarnessError.ts"
import type { ActiveFaults } from "./ActiveFaults.ts"
import * as ApiCall from "./ApiCall.ts"
import type { ServerKeys } from "./Authority.ts"
import { forward, type Reply } from "./Forward.ts"
import { listen } from "./LoopbackSocket.ts"
import type { Answer } from "./FaultReply.ts"
import type { Target } from "./Target.ts"
import * as Upgrade from "./Upgrade.ts"
import * as Upstream from "./Upstream.ts"

export interface Gateway {
  readonly port: number
  /** The open watches. */
  readonly watches: () => ReadonlyArray<Reply>
  /** Presents another certificate to new connections. */
  readonly present: (keys: ServerKeys) => void
}

export interface GatewayOptions {
  readonly target: Target
  readonly keys: ServerKeys
  readonly faults: ActiveFaults
  readonly onRequest: (call: ApiCall.ApiCall, request: IncomingMessage) => void
}

/** A client's connection. */
interface Link {
  readonly upstream: Upstream.Upstream
  /** Closes the connection gracefully, once its TLS handshake is complete. */
  end: () => void
  readonly reset: () => void
}

const MAX_HEADER_BYTES = 256 * 1024

/**
 * Listens on a free port of 127.0.0.1.
 *
 * HTTP/1.1. A request to upgrade (exec, attach, port-forward, a watch by WebSocket) becomes a tunnel.
 *
 * **Limits** each client connection has its own connection to the cluster and ends with it.
 */
export const make = (options: GatewayOptions): Effect.Effect<Gateway, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const { faults, keys, target } = options
    const run = yield* FiberSet.makeRuntime<never, void>()
    const connector = Upstream.connectorFor(target)
    const raws = new Set<Socket>()
    /** Links by the client's port. A TLS socket does not expose its TCP socket, but both know the port. */
    const links = new Map<number, Link>()
    /** Undefined if the client's connection has closed. */
    const linkOf = ({ remotePort }: Socket): Link | undefined => links.get(remotePort ?? 0)
    const open = new Set<Reply>()

    const server = createServer({
      cert: keys.cert,
      key: Redacted.value(keys.key),
      ALPNProtocols: ["http/1.1"],
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
      // The cluster decides how long a connection may be idle and a request may take.
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0
    })
    server.on("connection", (raw: Socket) => {
      const port = raw.remotePort ?? 0
      const link: Link = {
        upstream: Upstream.make(target, connector, (cause) => {
          if (cause === undefined) link.end()
          else link.reset()
        }),
        end: () => raw.resetAndDestroy(),
        reset: () => raw.resetAndDestroy()
      }
      raws.add(raw)
      links.set(port, link)
      raw.on("error", () => raw.destroy())
      raw.once("close", () => {
        raws.delete(raw)
        links.delete(port)
        link.upstream.destroy()
      })
    })
    server.on("secureConnection", (socket) => {
      socket.on("error", () => socket.destroy())
      const link = linkOf(socket)
      if (link !== undefined) link.end = () => socket.end()
    })
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const link = linkOf(request.socket)
      if (link === undefined) return
      const call = ApiCall.from(request)
      options.onRequest(call, request)
      const refusal = faults.refuse(call)
      if (refusal !== undefined) {
        if (refusal === "reset") link.reset()
        else refuse(request, response, refusal)
        return
      }
      const { reset, upstream } = link
      const reply = forward({ call, request, response, upstream, reset, run, altered: faults.alter(call) })
      if (!ApiCall.isWatch(call)) return
      open.add(reply)
      response.once("close", () => open.delete(reply))
    })
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const link = linkOf(request.socket)
      if (link === undefined) return
      const call = ApiCall.from(request)
      options.onRequest(call, request)
      const refusal = faults.refuse(call)
      if (refusal === "reset") link.reset()
      else if (refusal !== undefined) Upgrade.refuse(socket, refusal)
      else Upgrade.tunnel({ request, socket, head, target, reset: link.reset })
    })

    const port = yield* listen(server, "listen as a proxy that opens TLS", () => {
      for (const raw of raws) raw.resetAndDestroy()
    })
    return {
      port,
      watches: () => [...open],
      present: (presented) => server.setSecureContext({ cert: presented.cert, key: Redacted.value(presented.key) })
    }
  })

const refuse = (request: IncomingMessage, response: ServerResponse, { body, headers, status }: Answer): void => {
  // The client may still be sending. A connection can be reused only after the request has been read.
  request.resume()
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(body)
}
