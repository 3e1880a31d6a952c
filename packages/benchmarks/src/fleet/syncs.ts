/**
 * First syncs of many pods, compared with informers of the official client on the same servers.
 */
import { ControlPlane, Fleet, Seed } from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim, Goal } from "../claim/Claim.ts"
import * as Asking from "../load/Asking.ts"
import type { Figures } from "../load/Figures.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"

const KEY = { raw: "benchmark-reader-0123456789", rule: { role: "Viewer" } }
const POD_BYTES = 10_000

/** The cost of a sync, without the cost of the same clusters when empty. **Units** milliseconds, bytes. */
interface Synced {
  readonly cpuMs: number
  readonly keptBytes: number
}

/** Starts the service, and calls whoami until it is ready. **Shape** `open` makes held clusters reachable. */
const started = Effect.fnUntraced(function* (kubeconfig: string, open: Effect.Effect<unknown, Programs.ProgramFailed>) {
  const service = yield* Programs.service({ kubeconfig, keys: [KEY] })
  const ask = yield* Asking.connect(service.port, KEY.raw)
  yield* service.watched
  yield* open
  const { tookMs } = yield* Asking.beside(ask, "/api/v1/whoami", Programs.untilReady(service))
  const synced = yield* service.figures
  return { ask, service, synced, tookMs, collected: yield* service.collected }
})

/** Number of syncs. Their medians count. */
const TIMES = 3

/** Measures a start of the service with empty clusters. */
const idle = Effect.fnUntraced(function* (clusters: number) {
  const filling = { clusters, deployments: 0, pods: 0, podBytes: 0, delayMs: 0, isHeld: false }
  const { kubeconfig } = yield* Programs.clusters(JSON.stringify(filling))
  const { collected, synced } = yield* started(kubeconfig, Effect.void)
  return { cpuMs: synced.cpuMs, bytes: collected.heapBytes + collected.externalBytes }
}, Effect.scoped)

/** Measures several starts with empty clusters and returns the medians. */
const idles = Effect.fnUntraced(function* (clusters: number) {
  const all = yield* Effect.replicateEffect(idle(clusters), TIMES)
  return { cpuMs: medianOf(all, ({ cpuMs }) => cpuMs), bytes: medianOf(all, ({ bytes }) => bytes) }
})

const medianOf = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number => Measure.median(all.map(of))

const peerOf = ({ before, collected, synced }: Effect.Success<ReturnType<typeof Programs.informed>>): Synced => ({
  cpuMs: synced.cpuMs - before.cpuMs,
  keptBytes: collected.heapBytes + collected.externalBytes - before.heapBytes - before.externalBytes
})

/** Returns the medians of several syncs of a peer. */
const peersOf = (all: ReadonlyArray<Synced>): Synced => ({
  cpuMs: medianOf(all, ({ cpuMs }) => cpuMs),
  keptBytes: medianOf(all, ({ keptBytes }) => keptBytes)
})

/** Makes a claim about the processor time of a sync. */
const processor = (claim: string, ours: number, peer: Synced, goal: Goal, note: string): Claim => ({
  claim,
  ours: { value: ours, unit: "ms" },
  peer: { name: "informers of @kubernetes/client-node", value: peer.cpuMs, unit: "ms" },
  goal,
  note
})

export const pods = Effect.fnUntraced(function* ({ quick }: Extent) {
  const filling = {
    clusters: 2,
    deployments: 0,
    pods: quick ? 1_500 : 10_000,
    podBytes: POD_BYTES,
    delayMs: 0,
    isHeld: true
  }
  const total = filling.clusters * filling.pods
  yield* Console.error(`${total} pods of 10 kB synced`)
  const { command, kubeconfig } = yield* Programs.clusters(JSON.stringify(filling), { givesWay: true })
  const empty = yield* idles(filling.clusters)
  const bytesOf = ({ externalBytes, heapBytes }: Figures) => (heapBytes + externalBytes - empty.bytes) / total
  // The clusters become reachable only after the measurement has started, so that it covers the whole sync.
  const sync = Effect.gen(function* () {
    yield* command("/hold")
    const { ask, collected, service, synced, tookMs } = yield* started(kubeconfig, command("/open"))
    for (const order of ["name", "status", "createdAt"]) yield* ask(`/api/v1/workloads?limit=100&sort=${order}`)
    return { synced, tookMs, kept: bytesOf(collected), listed: bytesOf(yield* service.collected) }
  }).pipe(Effect.scoped)
  const pairs = yield* Effect.replicateEffect(
    Effect.all([sync, Effect.map(Programs.informed(kubeconfig, "pods", total), peerOf)]),
    TIMES
  )
  const syncs = pairs.map(([ours]) => ours)
  const peer = peersOf(pairs.map(([, theirs]) => theirs))
  const longest = (of: (synced: Figures) => number) => medianOf(syncs, ({ synced }) => of(synced))
  const few = total.toLocaleString("en-US")
  const keptByPeer = { name: "client-node's object", value: peer.keptBytes / total, unit: "bytes" } as const
  return [
    processor(
      `processor time to sync ${few} pods of 10 kB`,
      longest(({ cpuMs }) => cpuMs) - empty.cpuMs,
      peer,
      { _tag: "ratio", atMost: 0.25 },
      `whole service, less ${Math.round(empty.cpuMs)} ms that it takes in front of empty clusters; medians of ${TIMES} syncs, here and below`
    ),
    {
      claim: "longest turn of the serving loop meanwhile",
      ours: { value: longest(({ longestTurnMs }) => longestTurnMs), unit: "ms" },
      goal: { _tag: "absolute", atMost: 25 },
      note: `by the clock; ${longest(({ longestBusyMs }) => longestBusyMs).toFixed(1)} ms of its own processor time, ${longest(({ longestQueuedMs }) => longestQueuedMs).toFixed(1)} ms without a processor; the clusters leave the processors to the service`
    },
    {
      claim: "GET whoami meanwhile, p99",
      ours: { value: medianOf(syncs, ({ tookMs }) => Measure.percentile(tookMs, 0.99)), unit: "ms" },
      goal: { _tag: "absolute", atMost: 30 },
      note: `${Math.min(...syncs.map(({ tookMs }) => tookMs.length))} calls at least, one after the other; median ${medianOf(syncs, ({ tookMs }) => Measure.median(tookMs)).toFixed(1)} ms`
    },
    {
      claim: "kept bytes a pod after a collection, whole service",
      ours: { value: medianOf(syncs, ({ kept }) => kept), unit: "bytes" },
      peer: keptByPeer,
      goal: { _tag: "absolute", atMost: 1_000 },
      note: "pods without owners, each a row of workloads; heap and what V8 counts outside of it, on the serving thread"
    },
    {
      claim: "the same once they were listed by three orders",
      ours: { value: medianOf(syncs, ({ listed }) => listed), unit: "bytes" },
      peer: keptByPeer,
      goal: { _tag: "absolute", atMost: 1_500 }
    }
  ] satisfies ReadonlyArray<Claim>
})

export const controlPlanes = Effect.fnUntraced(function* ({ quick }: Extent) {
  const each = quick ? 200 : 7_000
  yield* Console.error(`first sync of 3 x ${each} pods on real API servers`)
  const fleet = yield* Fleet.make({ driver: ControlPlane.driver, parent: "hub", children: ["prod", "stage"] })
  yield* Seed.fill(fleet, { size: { pods: each } })
  const kinds = [
    { apiVersion: "v1", kind: "Pod" },
    { apiVersion: "apps/v1", kind: "Deployment" },
    { apiVersion: "apps/v1", kind: "ReplicaSet" }
  ]
  const lists = yield* Effect.forEach(fleet.clusters, ({ api }) => Effect.forEach(kinds, (kind) => api.list(kind)))
  const total = lists.flat().reduce((sum, { items }) => sum + items.length, 0)
  const empty = yield* idles(fleet.clusters.length)
  const informed = Effect.map(Programs.informed(fleet.kubeconfig, "pods,deployments,replicasets", total), peerOf)
  const pairs = yield* Effect.replicateEffect(
    Effect.all([Effect.scoped(started(fleet.kubeconfig, Effect.void)), informed]),
    TIMES
  )
  const peer = peersOf(pairs.map(([, theirs]) => theirs))
  const ours = medianOf(pairs, ([{ synced }]) => synced.cpuMs) - empty.cpuMs
  return [
    processor(
      `first sync of 3 x ${each.toLocaleString("en-US")} pods on real API servers, processor time`,
      ours,
      peer,
      { _tag: "ratio", atMost: 0.5 },
      `${(ours / (3 * each)).toFixed(3)} ms a pod, whole service, less its start; medians of ${TIMES}; the peer takes Pods, Deployments and ReplicaSets`
    )
  ]
})
