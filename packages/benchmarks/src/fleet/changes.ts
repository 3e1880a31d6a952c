/**
 * The delay until a change shows in cached reads, compared with a plain watch.
 */
import { KubeConfig, Watch } from "@kubernetes/client-node"
import { Clock, Console, Effect, Schema } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Asking from "../load/Asking.ts"
import * as Objects from "../load/Objects.ts"
import * as Programs from "../load/Programs.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"

const KEY = { raw: "benchmark-reader-0123456789", rule: { role: "Viewer" } }
const NANOS_PER_MS = 1_000_000
/** First number of replicas, above those of any deployment at the start. */
const FIRST_REPLICAS = 1_000

const nowMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / NANOS_PER_MS)

const decodeReplicas = Schema.decodeUnknownSync(
  Schema.Struct({ metadata: Schema.Struct({ name: Schema.String }), spec: Schema.Struct({ replicas: Schema.Int }) })
)

/** Watches the deployments of the first cluster with the official client. Returns when each number of replicas arrived. */
const hearing = Effect.fnUntraced(function* (kubeconfig: string, name: string) {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  const heard = new Map<number, number>()
  const now = yield* Effect.map(Effect.context<never>(), (context) => () => Effect.runSyncWith(context)(nowMs))
  const hear = (_: string, object: unknown) => {
    const { metadata, spec } = decodeReplicas(object)
    if (metadata.name === name) heard.set(spec.replicas, now())
  }
  yield* Effect.acquireRelease(
    Effect.promise(() => new Watch(config).watch("/apis/apps/v1/deployments", {}, hear, () => undefined)),
    (watch) => Effect.sync(() => watch.abort())
  )
  return heard
})

export const changes = Effect.fnUntraced(function* ({ quick }: Extent) {
  const times = quick ? 30 : 200
  yield* Console.error(`${times} changes heard and read`)
  const filling = { clusters: 3, deployments: 100, pods: 0, podBytes: 0, delayMs: 0, isHeld: false }
  const clusters = yield* Programs.clusters(JSON.stringify(filling))
  const service = yield* Programs.service({ kubeconfig: clusters.kubeconfig, keys: [KEY] })
  yield* Programs.untilReady(service)
  const { name, namespace = "" } = Objects.deployment(0, 0).object.metadata
  const heard = yield* hearing(clusters.kubeconfig, name ?? "")
  const ask = yield* Asking.connect(service.port, KEY.raw)
  const path = `/api/v1/workloads?limit=1&name=${name}`

  const heardMs: Array<number> = []
  const readMs: Array<number> = []
  const laterMs: Array<number> = []
  for (let turn = 0; turn < times; turn++) {
    const replicas = FIRST_REPLICAS + turn
    const from = yield* nowMs
    const write = clusters.command(`/scale?cluster=0&name=${name}&namespace=${namespace}&replicas=${replicas}`)
    const read = ask(path).pipe(
      Effect.repeat({ until: (text) => text.includes(`"desired":${replicas},`) }),
      Effect.andThen(nowMs),
      Effect.timeout("10 seconds")
    )
    const [, readAt] = yield* Effect.all([write, read], { concurrency: "unbounded" })
    yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => heard.has(replicas) }).pipe(
      Effect.timeout("10 seconds")
    )
    const heardAt = heard.get(replicas) ?? Number.NaN
    heardMs.push(heardAt - from)
    readMs.push(readAt - from)
    laterMs.push(readAt - heardAt)
  }
  const claim: Claim = {
    claim: "a change is read from the cache so much later than a plain watch hears it, p50",
    ours: { value: Measure.median(laterMs), unit: "ms" },
    goal: { _tag: "absolute", atMost: 3 },
    note: `${times} changes; from the write on: read ${Measure.median(readMs).toFixed(1)} ms, heard ${Measure.median(heardMs).toFixed(1)} ms; asked again as soon as answered`
  }
  return [claim]
})
