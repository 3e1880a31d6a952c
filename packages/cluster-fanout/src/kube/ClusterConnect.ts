/**
 * Opens connections to one API server: directly or through its proxy, subject to its address rule and trust settings.
 */
import type { SecureContext } from "node:tls"
import { buildConnector } from "undici"
import { hostOf } from "../registry/AddressRule.ts"
import type { Connection } from "../registry/Cluster.ts"
import * as guardedConnect from "./GuardedConnect.ts"
import * as proxyTunnel from "./ProxyTunnel.ts"

/** TCP keep-alive interval, which detects a vanished peer below HTTP. */
const TCP_KEEP_ALIVE_MS = 30_000

/**
 * Options of a connector. **Shape** `contexts` are tried in turn while a certificate's signature does not match.
 * Without contexts, Node's own root certificates apply.
 */
export interface ConnectOptions {
  readonly connection: Connection
  readonly contexts: ReadonlyArray<SecureContext>
  readonly lookup: guardedConnect.Lookup
  /** **Units** milliseconds, for the connection and again for each tunnel. */
  readonly connectMs: number
}

/** Makes the connector of a server's pool. */
export const make = ({ connectMs, connection, contexts, lookup }: ConnectOptions): buildConnector.connector => {
  const { addressRule: rule, proxyUrl, server } = connection
  // With HTTP/2, all requests of a pool would share one connection.
  const plain = { allowH2: false, timeout: connectMs, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS }
  const tls = {
    ...plain,
    ...(connection.tlsServerName !== undefined && { servername: connection.tlsServerName }),
    rejectUnauthorized: !connection.insecureSkipTlsVerify
  }
  const options = contexts.length === 0 ? [tls] : contexts.map((secureContext) => ({ ...tls, secureContext }))
  if (proxyUrl === undefined) {
    return inTurn(
      options.map((tlsOptions) =>
        rule === undefined ? buildConnector(tlsOptions) : guardedConnect.make({ rule, lookup }, tlsOptions)
      )
    )
  }
  const toProxy =
    rule === undefined ? buildConnector(plain) : guardedConnect.make({ rule, lookup, behind: hostOf(server) }, plain)
  const open = proxyTunnel.make(proxyUrl, toProxy, connectMs)
  return inTurn(options.map((tlsOptions) => through(open, buildConnector(tlsOptions))))
}

/** Connects through a tunnel, with TLS inside the tunnel if the server uses TLS. */
const through =
  (open: proxyTunnel.Open, secure: buildConnector.connector): buildConnector.connector =>
  (target, callback) => {
    const isSecure = target.protocol === "https:"
    const port = target.port === "" ? (isSecure ? 443 : 80) : Number(target.port)
    open(hostOf(`${target.protocol}//${target.host ?? target.hostname}`), port, (...answer) => {
      const [error, socket] = answer
      if (error !== null || !isSecure) return callback(...answer)
      secure({ ...target, httpSocket: socket }, callback)
    })
  }

/** Tries the next connector if a signature does not match. Starts with the connector that succeeded last. */
const inTurn = (connectors: ReadonlyArray<buildConnector.connector>): buildConnector.connector => {
  let first = 0
  return (target, callback) => {
    const attempt = (tried: number): void => {
      const index = (first + tried) % connectors.length
      connectors[index]?.(target, (...answer) => {
        const [error] = answer
        if (error !== null && isForeignSignature(error) && tried + 1 < connectors.length) return attempt(tried + 1)
        if (error === null) first = index
        callback(...answer)
      })
    }
    attempt(0)
  }
}

const isForeignSignature = (error: Error): boolean => "code" in error && error.code === "CERT_SIGNATURE_FAILURE"
