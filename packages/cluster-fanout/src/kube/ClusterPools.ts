/** Keeps the connections to each cluster: made once, shared, and let go when nobody has asked for a while. */
import "./NodeVersion.ts"
import { Clock, Effect, Redacted, Result } from "effect"
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici"
import { hostOf } from "../registry/AddressRule.ts"
import type { Cluster, Connection } from "../registry/Cluster.ts"
import { ClusterCredentialUnavailable, ClusterError, ClusterThrottled } from "./ClusterError.ts"
import type { Proof, TlsMaterial } from "./credential/Credentials.ts"
import * as guardedConnect from "./GuardedConnect.ts"
import * as steadyClock from "./SteadyClock.ts"

/**
 * Calls are short and share few connections; a watch holds one for minutes and must not stand in a call's way. A probe has
 * a connection of its own: behind slow lists it would take a busy cluster for a dead one. Writes may wait long for admission, and
 * must not hold up what others read. Logs come at the pace of a node,
 * as many as callers ask for, and wait for each other alone; those that are followed hold theirs for up to an hour.
 */
export type Lane = "call" | "write" | "watch" | "log" | "follow" | "probe"

export interface PoolLimits {
  readonly callConnections: number
  /** Calls of one cluster that may be under way or wait for a connection. */
  readonly callsWaiting: number
  readonly writeConnections: number
  readonly watchConnections: number
  readonly logConnections: number
  /** Logs of one cluster that may be open or wait for a connection. */
  readonly logsWaiting: number
  /** Logs of one cluster that may be followed at the same time. */
  readonly followConnections: number
  readonly connectMs: number
  readonly keepAliveMs: number
  readonly idleMs: number
}

interface Spec {
  readonly connection: Connection
  readonly tls: TlsMaterial
  readonly lane: Lane
}

/** A pool, and who has it. **Units** `idleSince` milliseconds by `steadyClock`. */
interface Shared {
  readonly dispatcher: Dispatcher
  users: number
  idleSince: number
}

/** A pool that is lent. */
export interface Lent {
  readonly dispatcher: Dispatcher
  /** Gives it back, once. */
  readonly giveBack: () => void
}

/** TCP keep-alive: a peer that vanished without a word is noticed below HTTP too. */
const TCP_KEEP_ALIVE_MS = 30_000
const KEEP_ALIVE_MAX_MS = 600_000
const BUSY_RETRY_MS = 1_000

/** A pool is destroyed at most this part of `idleMs` late. */
const SWEEPS = 4

/**
 * Makes the keeper.
 *
 * **Shape** a pool belongs to one generation, one TLS identity and one lane, so a changed connection never reuses an
 * old socket; it is destroyed `idleMs` after its last user is done.
 *
 * An `RcMap` would do the same with a scope for each loan, whose finalizer copies all services of who asks: a fifth of what
 * a live list of hundreds of clusters allocates.
 */
export const make = Effect.fnUntraced(function* (limits: PoolLimits) {
  const lookup = yield* guardedConnect.HostLookup
  const clock = yield* Clock.Clock
  const pools = new Map<string, Shared>()
  const sweep = Effect.suspend(() => {
    const before = steadyClock.nowUnsafe(clock) - limits.idleMs
    const idle = [...pools].filter(([, { idleSince, users }]) => users === 0 && idleSince <= before)
    for (const [key] of idle) pools.delete(key)
    return Effect.forEach(idle, ([, { dispatcher }]) => destroy(dispatcher), { discard: true })
  })
  yield* Effect.addFinalizer(() =>
    Effect.forEach(pools.values(), ({ dispatcher }) => destroy(dispatcher), { concurrency: "unbounded", discard: true })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(limits.idleMs / SWEEPS), sweep)))

  /** Lends a cluster's pool. **Errors** `ClusterCredentialUnavailable`, `ClusterThrottled`. */
  const lend = (cluster: Cluster, proof: Proof, lane: Lane): Result.Result<Lent, ClusterError> => {
    const failed = (reason: ClusterError["reason"]) => Result.fail(new ClusterError({ cluster: cluster.name, reason }))
    const key = `${lane} ${cluster.generation} ${proof.tlsId}`
    const known = pools.get(key)
    const opened =
      known === undefined
        ? open({ connection: cluster.connection, tls: proof.tls, lane }, limits, lookup)
        : Result.succeed(known)
    if (Result.isFailure(opened)) return failed(new ClusterCredentialUnavailable({ problem: opened.failure }))
    const pool = opened.success
    pools.set(key, pool)
    if (pool.users >= usersOf(lane, limits)) return failed(new ClusterThrottled({ retryAfterMs: BUSY_RETRY_MS }))
    pool.users++
    const giveBack = () => {
      pool.users--
      pool.idleSince = steadyClock.nowUnsafe(clock)
    }
    return Result.succeed({ dispatcher: pool.dispatcher, giveBack })
  }
  return { lend }
})

const destroy = (dispatcher: Dispatcher) => Effect.promise(() => dispatcher.destroy())

const open = (
  { connection, lane, tls }: Spec,
  limits: PoolLimits,
  lookup: guardedConnect.Lookup
): Result.Result<Shared, string> =>
  Result.map(secureContext(tls), (context): Shared => {
    const connect = {
      ...(context && { secureContext: context }),
      ...(connection.tlsServerName !== undefined && { servername: connection.tlsServerName }),
      rejectUnauthorized: !connection.insecureSkipTlsVerify,
      // HTTP/2 would put watches and calls of one pool on one connection.
      allowH2: false,
      timeout: limits.connectMs,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS
    }
    const options = {
      connections: connectionsOf(lane, limits),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // The transport times calls and silence itself, by the clock of the program.
      headersTimeout: 0,
      bodyTimeout: 0
    }
    const guard = connection.addressRule && { rule: connection.addressRule, lookup }
    const dispatcher =
      connection.proxyUrl === undefined
        ? new Pool(new URL(connection.server).origin, {
            ...options,
            connect: guard === undefined ? connect : guardedConnect.make(guard, connect)
          })
        : proxied(connection.proxyUrl, connect, {
            options,
            limits,
            ...(guard && { guard: { ...guard, behind: hostOf(connection.server) } })
          })
    return { dispatcher, users: 0, idleSince: Number.POSITIVE_INFINITY }
  })

interface Proxying {
  readonly options: Omit<Pool.Options, "connect">
  readonly limits: PoolLimits
  readonly guard?: guardedConnect.GuardedOptions
}

const proxied = (
  uri: string,
  requestTls: buildConnector.BuildOptions,
  { guard, limits, options }: Proxying
): ProxyAgent => {
  const proxyTls = { allowH2: false, timeout: limits.connectMs, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS }
  if (guard === undefined) return new ProxyAgent({ ...options, uri, requestTls, proxyTls })
  const connect = guardedConnect.make(guard, proxyTls)
  return new ProxyAgent({
    ...options,
    uri,
    requestTls,
    proxyTls,
    // Plain http too: what is not tunnelled would connect by means of its own.
    proxyTunnel: true,
    clientFactory: (origin, given) => new Pool(origin, { ...given, connect })
  })
}

const connectionsOf = (lane: Lane, limits: PoolLimits): number => {
  switch (lane) {
    case "call":
      // One of them is the probe's, so that a cluster never sees more than it was promised.
      return Math.max(1, limits.callConnections - 1)
    case "write":
      return limits.writeConnections
    case "watch":
      return limits.watchConnections
    case "log":
      return limits.logConnections
    case "follow":
      return limits.followConnections
    case "probe":
      return 1
  }
}

/** How many may use a lane, those who wait for a connection of it too: what holds one for long has nobody wait. */
const usersOf = (
  lane: Lane,
  { callsWaiting, followConnections, logsWaiting, watchConnections }: PoolLimits
): number => {
  switch (lane) {
    case "watch":
      return watchConnections
    case "log":
      return logsWaiting
    case "follow":
      return followConnections
    case "call":
    case "probe":
    case "write":
      return callsWaiting
  }
}

/**
 * Makes the TLS context of a cluster; none when neither authority nor certificate is given: then Node's own roots
 * count.
 */
const secureContext = ({
  certificateAuthority,
  client
}: TlsMaterial): Result.Result<SecureContext | undefined, string> => {
  if (certificateAuthority === undefined && client === undefined) return Result.succeed(undefined)
  if (certificateAuthority !== undefined && !isAuthority(certificateAuthority)) {
    return Result.fail("the certificate authority is not PEM")
  }
  return Result.try({
    try: () =>
      createSecureContext({
        ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
        ...(client && { cert: Redacted.value(client.certificate), key: Redacted.value(client.key) })
      }),
    // The cause is dropped: OpenSSL may quote what it could not read.
    catch: () => "the client certificate and its key are not PEM, or do not belong together"
  })
}

/** Node passes over what it cannot read as an authority, and would then trust nobody without saying why. */
const isAuthority = (pem: string): boolean => {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return (
    certificates.length > 0
    && certificates.every((one) =>
      Result.isSuccess(Result.try({ try: () => new X509Certificate(one), catch: () => "unreadable" }))
    )
  )
}
