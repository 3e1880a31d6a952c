/** Forwards TCP connections to a target and applies wire faults to them. */
import { Clock, Effect, FiberSet, Random, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { MachineRefused } from "../machine/HarnessError.ts"
import type { WireFault } from "./Fault.ts"
import * as Lane from "./Lane.ts"
import { listen } from "./LoopbackSocket.ts"
import type { Address } from "./Target.ts"
import { pieceBytes } from "./LineRate.ts"
import * as LineRate from "./LineRate.ts"

/** Counters since the start of the proxy. */
export interface WireCounters {
  readonly connectionsAccepted: number
  readonly connectionsOpen: number
  readonly bytesToCluster: number
  readonly bytesToClient: number
}

export interface Wire {
  readonly port: number
  readonly counters: () => WireCounters
  /** Resets every open connection, once. */
  readonly reset: () => void
  /** Activates a fault. The returned function heals it. */
  readonly begin: (fault: WireFault) => () => void
}

type Direction = "toCluster" | "toClient"

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  readonly toCluster: Lane.Lane
  readonly toClient: Lane.Lane
  /** True if the cluster's side has been dropped without closing the client's side. */
  orphan: boolean
}

/** An active fault, with the rate limits that its connections share. */
interface Active {
  readonly fault: WireFault
  readonly toCluster: ReadonlyArray<Lane.Rate>
  readonly toClient: ReadonlyArray<Lane.Rate>
}

/**
 * Listens on a free port of 127.0.0.1.
 *
 * Several faults combine. `Cut` takes precedence over `HalfOpen`, and `HalfOpen` over `BlackHole`. The slowest of all
 * rates applies. Latencies add up and are applied before rates.
 *
 * **Limits** buffers at most 1 MiB of a connection in each direction. If the target is unreachable, the client's
 * connection is reset. Closing the scope resets open connections.
 */
export const make = (target: Address): Effect.Effect<Wire, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void>()
    const clock = yield* Clock.Clock
    const random = yield* Random.Random
    const pairs = new Set<Pair>()
    const active = new Set<Active>()
    const bytes = { toCluster: 0, toClient: 0 }
    let accepted = 0

    const has = (tag: WireFault["_tag"]): boolean => [...active].some(({ fault }) => fault._tag === tag)
    const apply = (): void => {
      const toCluster = rulesOf(active, "toCluster")
      const toClient = rulesOf(active, "toClient")
      for (const pair of pairs) {
        pair.toCluster.apply(toCluster)
        pair.toClient.apply(toClient)
      }
    }
    const join = (client: Socket): void => {
      accepted++
      if (has("Cut")) {
        client.on("error", () => undefined)
        // A socket that is reset inside its own `connection` event can keep the process from exiting (Node 24).
        setImmediate(() => client.resetAndDestroy())
        return
      }
      const upstream = connect({ host: target.host, port: target.port, noDelay: true, allowHalfOpen: true })
      const lane = (from: Socket, to: Socket, direction: Direction) =>
        Lane.make({
          from,
          to,
          clock,
          run,
          rules: rulesOf(active, direction),
          chance: () => random.nextDoubleUnsafe(),
          onWritten: (count) => {
            bytes[direction] += count
          }
        })
      const toCluster = lane(client, upstream, "toCluster")
      const toClient = lane(upstream, client, "toClient")
      const pair: Pair = { client, upstream, toCluster, toClient, orphan: false }
      pairs.add(pair)
      endTogether(pair, () => pairs.delete(pair))
      if (has("HalfOpen")) dropUpstream(pair)
    }

    const reset = () => pairs.forEach(resetPair)
    const server = createServer({ noDelay: true, allowHalfOpen: true }, join)
    const port = yield* listen(server, "listen as a proxy", reset)
    return {
      port,
      counters: () => ({
        connectionsAccepted: accepted,
        connectionsOpen: pairs.size,
        bytesToCluster: bytes.toCluster,
        bytesToClient: bytes.toClient
      }),
      reset,
      begin: (fault) => {
        const entry = activeFrom(fault)
        active.add(entry)
        if (fault._tag === "Cut") reset()
        if (fault._tag === "HalfOpen") pairs.forEach(dropUpstream)
        apply()
        return () => {
          active.delete(entry)
          if (!has("HalfOpen")) [...pairs].filter(({ orphan }) => orphan).forEach(resetPair)
          apply()
        }
      }
    }
  })

const resetPair = (pair: Pair): void => {
  pair.client.resetAndDestroy()
  pair.upstream.destroy()
}

const dropUpstream = (pair: Pair): void => {
  pair.orphan = true
  pair.toCluster.abandon()
  pair.toClient.abandon()
  pair.upstream.destroy()
}

/** Resets one side of a connection when the other side fails. Calls `closed` when both sides are closed. */
const endTogether = (pair: Pair, closed: () => void): void => {
  const { client, upstream } = pair
  client.on("error", () => upstream.resetAndDestroy())
  upstream.on("error", () => {
    if (!pair.orphan) client.resetAndDestroy()
  })
  const forget = () => {
    if (client.closed && upstream.closed) closed()
  }
  client.once("close", forget)
  upstream.once("close", forget)
}

const activeFrom = (fault: WireFault): Active => {
  switch (fault._tag) {
    case "Bandwidth": {
      const { bytesPerSecond } = fault
      const rate = () => [{ bytesPerSecond, pieceBytes: pieceBytes(bytesPerSecond), line: { state: LineRate.idle } }]
      return { fault, toCluster: rate(), toClient: rate() }
    }
    case "SlowDrip": {
      const { bytesPerSecond } = fault
      const rate = { bytesPerSecond, pieceBytes: fault.pieceBytes ?? pieceBytes(bytesPerSecond) }
      return { fault, toCluster: [], toClient: [rate] }
    }
    case "Cut":
    case "BlackHole":
    case "HalfOpen":
    case "Latency":
      return { fault, toCluster: [], toClient: [] }
  }
}

const rulesOf = (active: ReadonlySet<Active>, direction: Direction): Lane.Rules => {
  if (active.size === 0) return Lane.FREE
  const all = [...active]
  const latencies = all.flatMap(({ fault }) => (fault._tag === "Latency" ? [fault] : []))
  return {
    held: all.some(({ fault }) => fault._tag === "BlackHole"),
    latencyMs: latencies.reduce((sum, { ms }) => sum + ms, 0),
    jitterMs: latencies.reduce((sum, { jitterMs = 0 }) => sum + jitterMs, 0),
    rates: all.flatMap((fault) => fault[direction])
  }
}
