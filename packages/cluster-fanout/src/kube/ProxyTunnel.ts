/**
 * Opens connections to API servers through the proxy of a cluster.
 *
 * **Source** RFC 9110 §9.3.6 (CONNECT), RFC 1928 and RFC 1929 (SOCKS5). The proxy resolves the server's name.
 */
import { Socket } from "node:net"
import { SocksClient } from "socks"
import { type buildConnector, Client } from "undici"

/** Opens a connection to a host behind the proxy. **Errors** rejects with what connecting threw. */
export type Open = (host: string, port: number) => Promise<Socket>

/** The proxy answered the tunnel with another status than 2xx. */
class ProxyRefused extends Error {
  readonly code: string

  constructor(status: number) {
    super(`the proxy answered ${status}`)
    this.code = status === 407 ? "PROXY_AUTHENTICATION_REQUIRED" : "PROXY_REFUSED"
  }
}

/**
 * Makes tunnels through a proxy. **Shape** `connect` opens the connection to the proxy itself.
 *
 * **Limits** `timeoutMs` for each tunnel, beside what `connect` takes.
 */
export const make = (proxyUrl: string, connect: buildConnector.connector, timeoutMs: number): Open => {
  const proxy = new URL(proxyUrl)
  return proxy.protocol.startsWith("socks") ? bySocks(proxy, connect, timeoutMs) : byHttp(proxy, connect, timeoutMs)
}

const byHttp = (proxy: URL, connect: buildConnector.connector, timeoutMs: number): Open => {
  const { password, username } = credentialsOf(proxy)
  const hasUser = username !== "" || password !== ""
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
  return async (host, port) => {
    // A tunnel takes its connection out of the client, which holds nothing afterwards.
    const client = new Client(proxy.origin, { connect, headersTimeout: timeoutMs })
    const { socket, statusCode } = await client.connect({
      path: `${host.includes(":") ? `[${host}]` : host}:${port}`,
      signal: AbortSignal.timeout(timeoutMs),
      headers: hasUser ? { "proxy-authorization": authorization } : {}
    })
    if (statusCode >= 200 && statusCode < 300) return socketOf(socket)
    socket.on("error", () => socket.destroy()).destroy()
    throw new ProxyRefused(statusCode)
  }
}

const bySocks = (proxy: URL, connect: buildConnector.connector, timeoutMs: number): Open => {
  const { password, username } = credentialsOf(proxy)
  const address = { host: bare(proxy.hostname), port: proxy.port === "" ? 1_080 : Number(proxy.port) }
  return async (host, port) => {
    const { socket } = await SocksClient.createConnection({
      proxy: { ...address, type: 5, ...(username === "" ? {} : { userId: username, password }) },
      command: "connect",
      destination: { host, port },
      timeout: timeoutMs,
      existing_socket: await connected(connect, address)
    })
    return socket
  }
}

/** Opens the connection to a SOCKS proxy. */
const connected = (connect: buildConnector.connector, address: { readonly host: string; readonly port: number }) =>
  new Promise<Socket>((resolve, reject) => {
    const to = { hostname: address.host, protocol: "http:", port: String(address.port) }
    connect(to, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)))
  })

const credentialsOf = ({ password, username }: URL) => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password)
})

/** A host without the brackets of IPv6. */
const bare = (hostname: string): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)

const socketOf = (stream: unknown): Socket => {
  if (stream instanceof Socket) return stream
  throw new TypeError("a tunnel is a socket")
}
