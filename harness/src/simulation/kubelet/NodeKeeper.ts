/** Keeps nodes ready: reports their status, renews their leases, and removes the taint of new nodes. */
import { Clock, type Duration, Effect, Result } from "effect"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { Addresses } from "./Addresses.ts"
import { type Calls, DONE, isLost } from "./Calls.ts"
import * as Agenda from "./Agenda.ts"
import type { Follower } from "./Follow.ts"
import * as NodeReports from "./NodeReports.ts"
import { decodeNode, healthOf, internalIpOf, type NodeView } from "./NodeView.ts"

export interface NodeKeeper {
  readonly follower: Follower
  /** Returns the address of a known node. */
  readonly address: (name: string) => string | undefined
  readonly nodes: () => Iterable<NodeView>
  /** Reports statuses and renews leases. Never ends. */
  readonly run: Effect.Effect<never>
}

export interface NodeKeeperOptions {
  readonly api: ClusterApi
  readonly calls: Calls
  readonly addresses: Addresses
  readonly version: string
  readonly leaseInterval: Duration.Input
  /** Called with every new or changed node. */
  readonly onNode: (node: { readonly name: string; readonly address: string }) => void
}

/** Number of lease renewals between two status heartbeats: five minutes with the default interval. */
const BEATS_PER_HEARTBEAT = 15
const CONCURRENCY = 4
const RETRY_MS = 1_000

export const make = (options: NodeKeeperOptions): NodeKeeper => {
  const { addresses, api, calls, onNode, version } = options
  const known = new Map<string, NodeView>()
  const uids = new Map<string, string>()

  const leased = new Set<string>()
  const assigned = new Map<string, string>()
  const agenda = Agenda.make<NodeView>()

  const addressOf = (node: NodeView): string => {
    const { name } = node.metadata
    const address = internalIpOf(node) ?? assigned.get(name) ?? addresses.nextNode()
    assigned.set(name, address)
    return address
  }
  const { removeTaint, renew, report } = NodeReports.make({ api, calls, version, addressOf })
  const serve = Effect.fnUntraced(function* (node: NodeView) {
    const { name } = node.metadata
    if (healthOf(node) === "unreachable") return
    const reported = yield* report(node, false)
    const untainted = healthOf(node) === "ready" ? yield* removeTaint(node) : DONE
    if (isLost(reported) || isLost(untainted)) {
      return agenda.put(name, (yield* Clock.currentTimeMillis) + RETRY_MS, known.get(name) ?? node)
    }
    if (leased.has(name)) return
    leased.add(name)
    yield* renew(node)
  })

  const follower: Follower = {
    put: Effect.fnUntraced(function* (object) {
      const decoded = decodeNode(object)
      if (Result.isFailure(decoded)) {
        return yield* Effect.logWarning(`cannot decode a node: ${decoded.failure.message}`)
      }
      const node = decoded.success
      const { name, uid } = node.metadata
      const address = internalIpOf(node)
      if (address !== undefined) addresses.reserve(address)
      known.set(name, node)
      uids.set(uid, name)
      onNode({ name, address: addressOf(node) })
      agenda.put(name, yield* Clock.currentTimeMillis, node)
    }),
    remove: (uid) => Effect.sync(() => forget(uid)),
    retain: (present) =>
      Effect.sync(() => {
        for (const uid of [...uids.keys()]) if (!present.has(uid)) forget(uid)
      })
  }
  const forget = (uid: string): void => {
    const name = uids.get(uid)
    uids.delete(uid)
    if (name === undefined || known.get(name)?.metadata.uid !== uid) return
    known.delete(name)
    assigned.delete(name)
    leased.delete(name)
    agenda.drop(name)
  }

  const beat = Effect.gen(function* () {
    for (let count = 1; ; count++) {
      yield* Effect.sleep(options.leaseInterval)
      const living = [...known.values()].filter((node) => healthOf(node) !== "unreachable")
      yield* Effect.forEach(
        living,
        (node) => Effect.andThen(renew(node), count % BEATS_PER_HEARTBEAT === 0 ? report(node, true) : Effect.void),
        { concurrency: CONCURRENCY, discard: true }
      )
    }
  })
  return {
    follower,
    address: (name) => assigned.get(name),
    nodes: () => known.values(),
    run: Effect.raceFirst(agenda.run(serve, CONCURRENCY), beat)
  }
}
