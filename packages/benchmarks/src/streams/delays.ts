/**
 * The delay from a write to the readers of streams, compared with a plain watch of the same API servers.
 */
import { KubeConfig, Watch } from "@kubernetes/client-node"
import { Console, Effect, Schema } from "effect"
import type { Claim } from "../claim/Claim.ts"
import { WRITTEN } from "../fleet/Writes.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import { nowMs, rowOf } from "./Reader.ts"

const CLUSTERS = 3
const DEPLOYMENTS = 500
/** The number of streams that the service allows per key. */
const STREAMS_A_KEY = 5
const MB = 1_000_000
const NANOS_PER_MS = 1_000_000
/** Time that the service may collect changes of one row into one event. **Units** milliseconds. */
const WINDOW_MS = 250
/** Number of changes that fills the service's log of changes. */
const LOG_FULL = 13_000

const decodeWritten = Schema.decodeUnknownSync(
  Schema.Struct({
    metadata: Schema.Struct({
      name: Schema.String,
      namespace: Schema.String,
      labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
    })
  })
)

/** Pause before and after the measured time. */
const ASIDE = "1 seconds"

/** A write as received by a plain watch. **Units** milliseconds of the machine's monotonic clock. */
interface Heard {
  readonly row: string
  readonly written: number
  readonly at: number
}

/** Watches the deployments of every cluster with the official client until the scope closes. */
const hearing = Effect.fnUntraced(function* (kubeconfig: string) {
  const heard: Array<Heard> = []
  const all = new KubeConfig()
  all.loadFromString(kubeconfig)
  for (const { name: cluster } of all.getContexts()) {
    const config = new KubeConfig()
    config.loadFromString(kubeconfig)
    config.setCurrentContext(cluster)
    const hear = (type: string, object: unknown) => {
      const at = nowMs()
      const { labels, name, namespace } = decodeWritten(object).metadata
      const written = Number(labels?.[WRITTEN] ?? 0) / NANOS_PER_MS
      if (type !== "DELETED" && written > 0) heard.push({ row: rowOf({ cluster, namespace, name }), written, at })
    }
    yield* Effect.acquireRelease(
      Effect.promise(() => new Watch(config).watch("/apis/apps/v1/deployments", {}, hear, () => undefined)),
      (watch) => Effect.sync(() => watch.abort())
    )
  }
  return heard
})

const Calm = Schema.fromJsonString(Schema.Struct({ writes: Schema.Int, refused: Schema.Int }))

/** A load of readers and changes. **Units** durations in seconds, changes per second. */
interface Load {
  readonly readers: number
  readonly perSecond: number
  readonly warmSeconds: number
  readonly seconds: number
  readonly keys: ReadonlyArray<string>
}

/** Runs readers and writes for a while, and returns the figures. */
const measured = Effect.fnUntraced(function* (
  { clusters, service }: { readonly clusters: Programs.Clusters; readonly service: Programs.Service },
  { keys, perSecond, readers, seconds, warmSeconds }: Load
) {
  yield* Console.error(`${readers} readers at ${perSecond} changes a second: ${warmSeconds} s and ${seconds} s`)
  const tell = yield* Programs.streamReaders
  const heard = yield* hearing(clusters.kubeconfig)
  const opened = yield* tell("/open", { port: service.port, keys, readers })
  if (opened.ready !== readers) {
    return yield* new Programs.ProgramFailed({ problem: `${opened.ready} readers of ${readers} are ready` })
  }
  yield* clusters.command(`/write?perSecond=${perSecond}`)
  yield* Effect.sleep(`${warmSeconds} seconds`)
  // Collect garbage outside of the measured time, because a full collection blocks the service.
  const before = yield* service.collected
  yield* Effect.sleep(ASIDE)
  yield* tell("/begin", {})
  yield* service.watched
  const from = nowMs()
  yield* Effect.sleep(`${seconds} seconds`)
  const to = nowMs()
  const held = yield* service.figures
  yield* Effect.sleep(ASIDE)
  const after = yield* service.collected
  const calm = yield* clusters.command("/calm")
  const { refused, writes } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Calm)(calm),
    () => new Programs.ProgramFailed({ problem: calm })
  )
  const counted = heard.filter(({ written }) => written >= from && written < to)
  const reading = yield* tell(
    "/end",
    counted.map(({ row, written }) => [row, written])
  )
  const plain = counted.map(({ at, written }) => at - written)
  const rate = (counted.length * 1_000) / (to - from)
  const cpu = (after.cpuMs - before.cpuMs) / (to - from + 2_000)
  return { after, before, cpu, held, plain, rate, reading, refused, writes }
}, Effect.scoped)

/** Makes the claims. Memory is flat only once the log of changes is full, which a quick run does not reach. */
const claimsOf = (
  { perSecond, readers, seconds }: Load,
  isFull: boolean,
  { after, before, cpu, held, plain, rate, reading, refused, writes }: Effect.Success<ReturnType<typeof measured>>
): ReadonlyArray<Claim> => {
  const peer = { p50: Measure.percentile(plain, 0.5), p99: Measure.percentile(plain, 0.99) }
  const whose = `${readers} readers, ${perSecond} changes a second over ${CLUSTERS} clusters`
  const grownMb = (after.heapBytes - before.heapBytes) / MB
  const memory: Claim = {
    claim: "heap of the service after a collection, more at the end than at the start",
    ours: { value: Math.max(0, grownMb), unit: "MB" },
    goal: { _tag: "absolute", atMost: 5 },
    note: `${(before.heapBytes / MB).toFixed(1)} MB before, ${(after.heapBytes / MB).toFixed(1)} MB after`
  }
  const told: ReadonlyArray<Claim> = [
    {
      claim: `${whose}: from the write to the reader, p99`,
      ours: { value: reading.p99, unit: "ms" },
      peer: { name: "a plain watch", value: peer.p99, unit: "ms" },
      goal: { _tag: "absolute", atMost: WINDOW_MS + 2 * peer.p99 },
      note: `p50 ${reading.p50.toFixed(1)} ms, of the plain watch ${peer.p50.toFixed(1)} ms; ${seconds} s with ${rate.toFixed(0)} creations and changes a second, ${reading.told.toLocaleString("en-US")} told; service ${(cpu * 100).toFixed(0)} % of a processor, loop held up ${held.longestTurnMs.toFixed(0)} ms at most, ${held.longestBusyMs.toFixed(0)} ms by its own work`
    },
    {
      claim: "readers whose rows differ from a fresh live list at the end",
      ours: { value: reading.differing, unit: "count" },
      goal: { _tag: "absolute", atMost: 0 },
      note: `${writes.toLocaleString("en-US")} writes, ${refused} refused; ${reading.resets} resets`
    },
    {
      claim: "changes that a reader was not told, and readers that were cut",
      ours: { value: reading.untold + reading.ended, unit: "count" },
      goal: { _tag: "absolute", atMost: 0 }
    }
  ]
  return isFull ? [...told, memory] : told
}

export const delays = Effect.fnUntraced(function* ({ quick }: Extent) {
  const keys = Array.from({ length: 24 }, (_, index) => `benchmark-reader-${index}-0123456789`)
  const first = 20 / STREAMS_A_KEY
  const loads: ReadonlyArray<Load> = [
    {
      readers: 20,
      perSecond: 500,
      warmSeconds: quick ? 3 : LOG_FULL / 450,
      seconds: quick ? 8 : 20,
      keys: keys.slice(0, first)
    },
    { readers: 100, perSecond: 50, warmSeconds: 3, seconds: quick ? 8 : 20, keys: keys.slice(first) }
  ]
  const filling = { clusters: CLUSTERS, deployments: DEPLOYMENTS, pods: 0, podBytes: 0, delayMs: 0, isHeld: false }
  const clusters = yield* Programs.clusters(JSON.stringify(filling))
  const service = yield* Programs.service({
    kubeconfig: clusters.kubeconfig,
    keys: keys.map((raw) => ({ raw, rule: { role: "Viewer" } }))
  })
  yield* Programs.untilReady(service)
  const claims: Array<Claim> = []
  for (const load of loads) claims.push(...claimsOf(load, !quick, yield* measured({ clusters, service }, load)))
  return claims
})
