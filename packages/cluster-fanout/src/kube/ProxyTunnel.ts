/**
 * Opens connections to API servers through a cluster's proxy.
 *
 * **Source** RFC 9110 §9.3.6 (CONNECT), RFC 1928 and RFC 1929 (SOCKS5). The proxy resolves the server's name.
 */
import { Socket } from "node:net"
import { SocksClient, type SocksClientOptions } from "socks"
import { type buildConnector, Client } from "undici"

type Callback = buildConnector.Callback

/** Opens a connection to a host behind the proxy. */
export type Open = (host: string, port: number, callback: Callback) => void

/** The proxy answered the CONNECT request with another status than 2xx. */
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
 * **Limits** `timeoutMs` for each tunnel, in addition to the time of `connect`.
 */
export const make = (proxyUrl: string, connect: buildConnector.connector, timeoutMs: number): Open => {
  const proxy = new URL(proxyUrl)
  return proxy.protocol.startsWith("socks") ? bySocks(proxy, connect, timeoutMs) : byHttp(proxy, connect, timeoutMs)
}

const byHttp = (proxy: URL, connect: buildConnector.connector, timeoutMs: number): Open => {
  const { password, username } = credentialsOf(proxy)
  const hasUser = username !== "" || password !== ""
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
  return (host, port, callback) => {
    // A tunnel takes its connection out of the client, so each tunnel has its own client.
    const client = new Client(proxy.origin, { connect, headersTimeout: timeoutMs })
    const request = {
      path: `${host.includes(":") ? `[${host}]` : host}:${port}`,
      signal: AbortSignal.timeout(timeoutMs),
      headers: hasUser ? { "proxy-authorization": authorization } : {}
    }
    client.connect(request, (error, answer) => {
      if (error !== null) return failed(callback, error)
      const { socket, statusCode } = answer
      const isOpen = statusCode >= 200 && statusCode < 300
      if (isOpen && socket instanceof Socket) return callback(null, socket)
      socket.on("error", () => socket.destroy()).destroy()
      failed(callback, new ProxyRefused(statusCode))
    })
  }
}

const bySocks = (proxy: URL, connect: buildConnector.connector, timeoutMs: number): Open => {
  const { password, username } = credentialsOf(proxy)
  const address = { host: bare(proxy.hostname), port: proxy.port === "" ? 1_080 : Number(proxy.port) }
  const to = { hostname: address.host, protocol: "http:", port: String(address.port) }
  return (host, port, callback) =>
    connect(to, (...[error, socket]) => {
      if (error !== null) return failed(callback, error)
      const options: SocksClientOptions = {
        proxy: { ...address, type: 5, ...(username === "" ? {} : { userId: username, password }) },
        command: "connect",
        destination: { host, port },
        timeout: timeoutMs,
        existing_socket: socket
      }
      const answered = (error: Error | null, opened?: { readonly socket: Socket }) =>
        opened === undefined ? failed(callback, error) : callback(null, opened.socket)
      // With a callback, the library's promise never rejects.
      void SocksClient.createConnection(options, answered)
    })
}

/**
 * Reports a failure as the cause of an error without a code. If the error itself had the code UND_ERR_SOCKET, a pool
 * would reconnect forever.
 */
const failed = (callback: Callback, cause: unknown): void => callback(new Error("the tunnel failed", { cause }), null)

const credentialsOf = ({ password, username }: URL) => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password)
})

/** Returns a host without the brackets of IPv6. */
const bare = (hostname: string): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)
