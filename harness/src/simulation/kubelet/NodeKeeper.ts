/** Keeps nodes ready: their status, their lease, and the taint that new nodes carry. */
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
  /** The address of a node that is known. */
  readonly address: (name: string) => string | undefined
  readonly nodes: () => Iterable<NodeView>
  /** Reports, and renews leases and heartbeats, for ever. */
  readonly run: Effect.Effect<never>
}

export interface NodeKeeperOptions {
  readonly api: ClusterApi
  readonly calls: Calls
  readonly addresses: Addresses
  readonly version: string
  readonly leaseInterval: Duration.Input
  /** Called with every node that is new or has changed. */
  readonly onNode: (node: { readonly name: string; readonly address: string }) => void
}

/** Every this many lease renewals a heartbeat goes into the node itself: five minutes with the default interval. */
const BEATS_PER_HEARTBEAT = 15
const CONCURRENCY = 4
const RETRY_MS = 1_000

export const make = (options: NodeKeeperOptions): NodeKeeper => {
  const { addresses, api, calls, onNode, version } = options
  const known = new Map<string, NodeView>()
  const uids = new Map<string, string>()

  const leased = new Set<string>()
  const given = new Map<string, string>()
  const agenda = Agenda.make<NodeView>()

  const addressOf = (node: NodeView): string => {
    const { name } = node.metadata
    const address = internalIpOf(node) ?? given.get(name) ?? addresses.nextNode()
    given.set(name, address)
    return address
  }
  const { liftTaint, renew, report } = NodeReports.make({ api, calls, version, addressOf })
  const keep = Effect.fnUntraced(function* (node: NodeView) {
    const { name } = node.metadata
    if (healthOf(node) === "unreachable") return
    const reported = yield* report(node, false)
    const lifted = healthOf(node) === "ready" ? yield* liftTaint(node) : DONE
    if (isLost(reported) || isLost(lifted)) {
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
        return yield* Effect.logWarning(`a node cannot be read: ${decoded.failure.message}`)
      }
      const node = decoded.success
      const { name, uid } = node.metadata
      const address = internalIpOf(node)
      if (address !== undefined) addresses.seen(address)
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
    given.delete(name)
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
    address: (name) => given.get(name),
    nodes: () => known.values(),
    run: Effect.raceFirst(agenda.run(keep, CONCURRENCY), beat)
  }
}
