/**
 * The journal entries of an open hour, their lines in a file, and the restoring of the hour from them.
 */
import { Kind } from "@quarterdeck/cluster-fanout"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Result, Schema } from "effect"
import { crc32 } from "node:zlib"
import { Inventory } from "./Inventory.ts"
import { NodeObservations } from "./NodeObservations.ts"
import { OpenHour } from "./OpenHour.ts"
import { noteSample, type PodObservation, PodObservations } from "./PodObservations.ts"
import { ObservationSpans } from "./ObservationSpans.ts"
import type { UsageBlock } from "./UsageBlocks.ts"

const Labels = Schema.Record(Schema.String, Schema.String)
const Ms = Schema.Finite

/** Owner of a pod. Entries of older releases have none. */
const Owner = Schema.Struct({
  kind: Schema.String,
  name: Schema.String,
  uid: Schema.String,
  followed: Schema.NullOr(Schema.Literals(Kind.workloadKinds))
})

/** GPU parts by resource name. Absent in entries of older releases. */
const GpuParts = Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite))

const Containers = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    role: Schema.Literals(["main", "sidecar", "init"]),
    cpuRequestMillis: Schema.Finite,
    memoryRequestBytes: Schema.Finite,
    gpus: Schema.Finite,
    gpuParts: GpuParts
  })
)

const Pod = Schema.Struct({
  uid: Schema.String,
  namespace: Schema.String,
  name: Schema.String,
  node: Schema.String,
  labels: Labels,
  owner: Schema.optionalKey(Owner),
  claims: Schema.Array(Schema.String),
  containers: Containers,
  earlier: Schema.optionalKey(Schema.Array(Schema.Struct({ untilMs: Ms, containers: Containers }))),
  number: Schema.Natural,
  isGone: Schema.Boolean,
  runs: Schema.Array(
    Schema.Struct({
      container: Schema.Natural,
      startedAtMs: Ms,
      finishedAtMs: Schema.NullOr(Ms),
      isOomKilled: Schema.Boolean
    })
  ),
  workload: Schema.NullOr(
    Schema.Struct({
      namespace: Schema.String,
      kind: Schema.String,
      name: Schema.String,
      uid: Schema.String,
      labels: Labels
    })
  )
})

const Node = Schema.Struct({
  name: Schema.String,
  uid: Schema.String,
  labels: Labels,
  providerId: Schema.String,
  cpuMillis: Schema.Finite,
  memoryBytes: Schema.Finite,
  gpus: Schema.Finite,
  gpuParts: GpuParts,
  fromMs: Ms,
  toMs: Schema.NullOr(Ms)
})

const lasting = {
  uid: Schema.String,
  namespace: Schema.String,
  name: Schema.String,
  fromMs: Ms,
  toMs: Schema.NullOr(Ms)
}

/**
 * A part of an hour's observations.
 *
 * A later entry of the same object replaces an earlier one; samples accumulate. Sample columns are base64 of little-endian
 * numbers. The value is plain JSON.
 */
export const JournalEntry = Schema.Union([
  Schema.TaggedStruct("Pods", { pods: Schema.Array(Pod) }),
  Schema.TaggedStruct("Nodes", { nodes: Schema.Array(Node) }),
  Schema.TaggedStruct("Seen", { spans: Schema.Array(Schema.Struct({ fromMs: Ms, toMs: Ms })) }),
  Schema.TaggedStruct("Usage", {
    containers: Schema.String,
    from: Schema.String,
    to: Schema.String,
    cpuMillis: Schema.String,
    memoryBytes: Schema.String
  }),
  Schema.TaggedStruct("Inventory", {
    volumes: Schema.Array(
      Schema.Struct({ ...lasting, claim: Schema.String, storageClass: Schema.String, bytes: Schema.Finite })
    ),
    loadBalancers: Schema.Array(Schema.Struct({ ...lasting, selector: Labels })),
    listedAtMs: Ms
  })
])
export type JournalEntry = typeof JournalEntry.Type

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(JournalEntry))
const CHECKSUM_LENGTH = 8

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_LENGTH, "0")

/** Formats an entry as a line with a checksum, including the line break. */
export const printLine = (entry: JournalEntry): string => {
  const json = JSON.stringify(entry)
  return `${checksumOf(json)} ${json}\n`
}

/** Parses a line without its line break. **Shape** `undefined` if it was cut by a crash or damaged. */
export const parseLine = (line: string): JournalEntry | undefined => {
  const json = line.slice(CHECKSUM_LENGTH + 1)
  if (line.slice(0, CHECKSUM_LENGTH) !== checksumOf(json)) return undefined
  return Result.getOrUndefined(decodeLine(json))
}

/** Pods per entry: few enough to yield to other fibers between two entries. */
const PODS_AT_ONCE = 200

/**
 * Returns the changes of an hour since the last call, or the whole hour if `all` is set.
 *
 * Pods are encoded lazily to save memory. If a pod changes before it is encoded, its new state is written now, and again by the
 * next call.
 */
export const take = (hour: OpenHour, all: boolean): Iterable<JournalEntry> => {
  const pods = hour.pods.take(all)
  const others = takeOthers(hour, all)
  return { [Symbol.iterator]: () => inOrder(pods, others) }
}

function* inOrder(pods: ReadonlyArray<PodObservation>, others: ReadonlyArray<JournalEntry>): Generator<JournalEntry> {
  for (let from = 0; from < pods.length; from += PODS_AT_ONCE) {
    yield { _tag: "Pods", pods: pods.slice(from, from + PODS_AT_ONCE).map(toPod) }
  }
  yield* others
}

const takeOthers = (hour: OpenHour, all: boolean): ReadonlyArray<JournalEntry> => {
  const entries: Array<JournalEntry> = []
  const nodes = hour.nodes.take(all)
  if (nodes.length > 0)
    entries.push({ _tag: "Nodes", nodes: nodes.map((node) => ({ ...node, toMs: node.toMs ?? null })) })
  const inventory = hour.inventory.take(all)
  if (inventory !== undefined) entries.push({ _tag: "Inventory", ...inventory })
  for (const block of hour.takeBlocks(all)) entries.push(toUsage(block))
  // The spans are copied now, so that no time is recorded as observed before the pods of that time are recorded.
  entries.push({ _tag: "Seen", spans: [...hour.seen.all] })
  return entries
}

/** Restores an hour from its entries. The time between the last entry and now was not observed. */
export const restore = (cluster: ClusterName, startMs: number, entries: ReadonlyArray<JournalEntry>): OpenHour => {
  const seen = new ObservationSpans(entries.findLast((entry) => entry._tag === "Seen")?.spans)
  seen.cut()
  const hour = new OpenHour(cluster, startMs, {
    pods: new PodObservations(startMs),
    nodes: new NodeObservations(startMs),
    inventory: new Inventory(entries.findLast((entry) => entry._tag === "Inventory")),
    seen
  })
  const sampled = new Map<number, number>()
  for (const entry of entries) {
    if (entry._tag === "Pods") for (const pod of entry.pods) hour.pods.restore(fromPod(pod))
    else if (entry._tag === "Nodes") {
      for (const node of entry.nodes) hour.nodes.restore({ ...node, toMs: node.toMs ?? undefined })
    } else if (entry._tag === "Usage") {
      const block = fromUsage(entry)
      hour.restoreBlock(block)
      for (const [index, container] of block.containers.entries()) sampled.set(container, block.to[index] ?? 0)
    }
  }
  for (const entry of hour.pods.entries.values()) {
    for (const index of entry.pod.containers.keys()) {
      const to = sampled.get(entry.number + index)
      if (to !== undefined) noteSample(entry, index, startMs + to)
    }
  }
  return hour
}

const toPod = ({ earlier, isGone, number, pod, runs, workload }: PodObservation): typeof Pod.Type => ({
  uid: pod.uid,
  namespace: pod.namespace,
  name: pod.name,
  node: pod.node,
  labels: pod.labels,
  ...(pod.owner === undefined ? {} : { owner: { ...pod.owner, followed: pod.owner.followed ?? null } }),
  claims: pod.claims,
  containers: pod.containers,
  ...(earlier.length === 0 ? {} : { earlier }),
  number,
  isGone,
  runs: runs.map((run) => ({ ...run, finishedAtMs: run.finishedAtMs ?? null })),
  workload: workload ?? null
})

const fromPod = ({ earlier = [], isGone, number, owner, runs, workload, ...pod }: typeof Pod.Type): PodObservation => ({
  pod: { ...pod, owner: owner === undefined ? undefined : { ...owner, followed: owner.followed ?? undefined } },
  number,
  earlier,
  isGone,
  isReported: false,
  runs: runs.map((run) => ({ ...run, finishedAtMs: run.finishedAtMs ?? undefined })),
  workload: workload ?? undefined,
  sampledAtMs: undefined
})

type Usage = Extract<JournalEntry, { readonly _tag: "Usage" }>

const toUsage = ({ containers, cpuMillis, from, memoryBytes, to }: UsageBlock): Usage => ({
  _tag: "Usage",
  containers: bytesOf(containers),
  from: bytesOf(from),
  to: bytesOf(to),
  cpuMillis: bytesOf(cpuMillis),
  memoryBytes: bytesOf(memoryBytes)
})

const fromUsage = ({ containers, cpuMillis, from, memoryBytes, to }: Usage): UsageBlock => ({
  containers: new Uint32Array(ownBuffer(containers, 4)),
  from: new Int32Array(ownBuffer(from, 4)),
  to: new Int32Array(ownBuffer(to, 4)),
  cpuMillis: new Float32Array(ownBuffer(cpuMillis, 4)),
  memoryBytes: new Float64Array(ownBuffer(memoryBytes, 8))
})

const bytesOf = ({
  buffer,
  byteLength,
  byteOffset
}: Pick<Uint8Array, "buffer" | "byteLength" | "byteOffset">): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

/** Decodes base64 into a new buffer, aligned for any number type and truncated to whole numbers of `size` bytes. */
const ownBuffer = (text: string, size: number): ArrayBuffer => {
  const bytes = Buffer.from(text, "base64")
  return Uint8Array.from(bytes.subarray(0, bytes.length - (bytes.length % size))).buffer
}
