/** Passes TCP connections on to a target, and does to them what the injected faults say. */
import { Clock, Effect, FiberSet, Random, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { MachineRefused } from "../machine/HarnessError.ts"
import type { WireFault } from "./Fault.ts"
import * as Lane from "./Lane.ts"
import { listen } from "./LoopbackSocket.ts"
import type { Address } from "./Target.ts"
import { pieceBytes } from "./LineRate.ts"
import * as LineRate from "./LineRate.ts"

/** What has passed since the start. */
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
  /** Begins a fault at once and gives what heals it. */
  readonly begin: (fault: WireFault) => () => void
}

type Direction = "toCluster" | "toClient"

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  readonly toCluster: Lane.Lane
  readonly toClient: Lane.Lane
  /** The cluster's end is gone and the client does not know. */
  orphan: boolean
}

/** A fault that has begun, with the lines that its connections share. */
interface Active {
  readonly fault: WireFault
  readonly toCluster: ReadonlyArray<Lane.Rate>
  readonly toClient: ReadonlyArray<Lane.Rate>
}

/**
 * Listens on a free port of 127.0.0.1.
 *
 * Faults add up: `Cut` goes before `HalfOpen`, that before `BlackHole`; what passes then keeps the slowest of all
 * rates, and comes later by the sum of all latencies. Latencies lie before rates.
 *
 * **Limits** holds at most 1 MiB of a connection's bytes in each direction. A target that does not answer resets the
 * client. Closing the scope resets what is open.
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
        // Reset inside its own `connection` event, a socket was seen to keep the process in its exit for ever (Node 24).
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
          counted: (count) => {
            bytes[direction] += count
          }
        })
      const toCluster = lane(client, upstream, "toCluster")
      const toClient = lane(upstream, client, "toClient")
      const pair: Pair = { client, upstream, toCluster, toClient, orphan: false }
      pairs.add(pair)
      endTogether(pair, () => pairs.delete(pair))
      if (has("HalfOpen")) orphaned(pair)
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
        if (fault._tag === "HalfOpen") pairs.forEach(orphaned)
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

const orphaned = (pair: Pair): void => {
  pair.orphan = true
  pair.toCluster.abandon()
  pair.toClient.abandon()
  pair.upstream.destroy()
}

/** Passes the failure of one end on to the other, and tells when both are closed. */
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
    rates: all.flatMap((one) => one[direction])
  }
}
