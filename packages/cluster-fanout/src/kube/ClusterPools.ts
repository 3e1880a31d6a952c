/** Keeps the connections to each cluster: made once, shared, and let go when nobody has asked for a while. */
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
  Result.map(trustAnchors.secureContexts(tls), (contexts): Shared => {
    const dispatcher = new Pool(new URL(connection.server).origin, {
      connections: connectionsOf(lane, limits),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // The transport times calls and silence itself, by the clock of the program.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: clusterConnect.make({ connection, contexts, lookup, connectMs: limits.connectMs })
    })
    return { dispatcher, users: 0, idleSince: Number.POSITIVE_INFINITY }
  })

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
