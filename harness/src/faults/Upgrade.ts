/** Upgraded connections, which no longer use HTTP: exec, attach, port-forward, a watch by WebSocket. */
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { connect } from "node:tls"
import type { Answer } from "./FaultReply.ts"
import type { Target } from "./Target.ts"

/**
 * Opens a separate connection to the cluster, sends the client's request over it, and copies all bytes in both
 * directions.
 *
 * **Limits** if the cluster refuses the upgrade, later requests on the connection also pass without faults.
 * Backpressure is that of a pipe.
 */
export const tunnel = (options: {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly target: Target
  readonly reset: () => void
}): void => {
  const { head, request, reset, socket, target } = options
  const upstream = connect({
    host: target.host,
    port: target.port,
    ca: target.caPem,
    ALPNProtocols: ["http/1.1"]
  })
  upstream.setNoDelay(true)
  upstream.once("secureConnect", () => {
    upstream.write(headOf(request))
    upstream.write(head)
    socket.pipe(upstream)
    upstream.pipe(socket)
  })
  upstream.on("error", reset)
  upstream.once("close", () => socket.destroy())
  socket.on("error", () => upstream.destroy())
  socket.once("close", () => upstream.destroy())
}

/** Sends a reply and closes the connection. */
export const refuse = (socket: Duplex, { body, headers, status }: Answer): void => {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close"
  ]
  socket.on("error", () => socket.destroy())
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`)
}

/** Returns the head of the request as the client sent it. */
const headOf = ({ httpVersion, method, rawHeaders, url }: IncomingMessage): string => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join("\r\n")}\r\n\r\n`
}
