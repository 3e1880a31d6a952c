/** Keeps the connection pools of each cluster: created once, shared, and closed after a period without use. */
import "./NodeVersion.ts"
import { Clock, Effect, Result } from "effect"
import { type Dispatcher, Pool } from "undici"
import type { Cluster, Connection } from "../registry/Cluster.ts"
import { ClusterCredentialUnavailable, ClusterError, ClusterThrottled } from "./ClusterError.ts"
import type { Proof, TlsMaterial } from "./credential/Credentials.ts"
import * as clusterConnect from "./ClusterConnect.ts"
import * as guardedConnect from "./GuardedConnect.ts"
import * as steadyClock from "./SteadyClock.ts"
import * as trustAnchors from "./TrustAnchors.ts"

/**
 * Kinds of connections, each with its own pool.
 *
 * Calls are short and share few connections. A watch occupies one for minutes and must not delay calls. A probe has its
 * own connection: behind slow lists, it would report a busy cluster as dead. Writes may wait long for admission
 * webhooks and must not delay reads. Logs arrive at a node's pace and wait only for each other. A followed log occupies
 * its connection for up to an hour.
 */
export type Lane = "call" | "write" | "watch" | "log" | "follow" | "probe"

export interface PoolLimits {
  readonly callConnections: number
  /** Calls of one cluster that may be running or waiting for a connection. */
  readonly callsWaiting: number
  readonly writeConnections: number
  readonly watchConnections: number
  readonly logConnections: number
  /** Logs of one cluster that may be open or waiting for a connection. */
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

/** A pool and its users. **Units** `idleSince` milliseconds by `steadyClock`. */
interface Shared {
  readonly dispatcher: Dispatcher
  users: number
  idleSince: number
}

/** A pool in use by one caller. */
export interface Lent {
  readonly dispatcher: Dispatcher
  /** Ends the caller's use of the pool. Call this once. */
  readonly giveBack: () => void
}

const KEEP_ALIVE_MAX_MS = 600_000
const BUSY_RETRY_MS = 1_000

/** Sweeps per `idleMs`. An idle pool is destroyed at most a quarter of `idleMs` late. */
const SWEEPS = 4

/**
 * Makes the pool keeper.
 *
 * **Shape** a pool belongs to one `generation` of a cluster's connection, one TLS identity and one `Lane`, so a changed
 * connection never reuses an old socket. A pool is destroyed `idleMs` after its last use.
 *
 * An `RcMap` would need a scope for each use, which is expensive for live lists of hundreds of clusters.
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

  /** Returns a cluster's pool. **Errors** `ClusterCredentialUnavailable`, `ClusterThrottled`. */
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
  Result.map(trustAnchors.secureContexts(tls), (contexts): Shared => {
    const dispatcher = new Pool(new URL(connection.server).origin, {
      connections: connectionsOf(lane, limits),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // The transport has its own timeouts, by the clock of the program.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: clusterConnect.make({ connection, contexts, lookup, connectMs: limits.connectMs })
    })
    return { dispatcher, users: 0, idleSince: Number.POSITIVE_INFINITY }
  })

const connectionsOf = (lane: Lane, limits: PoolLimits): number => {
  switch (lane) {
    case "call":
      // One connection is reserved for the probe, so that the configured total is never exceeded.
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

/**
 * Returns how many callers may use a lane, including those that wait for a connection. In lanes whose requests last
 * long, no caller waits.
 */
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
