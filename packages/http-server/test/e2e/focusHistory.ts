/** Two days of costs of every kind, one before and one after the start of a month, kept before the service starts. */
import { HourBuilder, type Hour, HourCosts, PriceHistory } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { DAY_MS, GIB_BYTES, HOUR_MS } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"

/** The start of the last month that began at least a day ago. */
const monthStart = Effect.map(Clock.currentTimeMillis, (nowMs) => {
  const date = new Date(nowMs - DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
})

/** The two days, as query parameters. */
export const twoMonths = Effect.map(monthStart, (startMs) => `?from=${startMs - DAY_MS}&to=${startMs + DAY_MS}`)

const ratesOver = PriceHistory.ratesOver(PriceHistory.initial)

const NODES = [
  { name: "spot-1", gpus: 0, labels: { "karpenter.sh/capacity-type": "spot" } },
  { name: "gpu-1", gpus: 4, labels: {} }
]

/** An hour of a Deployment with a replica on each node, a volume and a load balancer. */
const hourOf = (cluster: string, startMs: number): Hour.Hour => {
  const span = { fromMs: startMs, toMs: startMs + HOUR_MS }
  const usage = { fromMs: [span.fromMs], toMs: [span.toMs], cpuMillis: [250], memoryBytes: [GIB_BYTES / 2] }
  const workload = { namespace: "shop", kind: "Deployment", name: "api", uid: "uid-api", labels: {} }
  const hour = HourBuilder.build({
    cluster: ClusterName.make(cluster),
    startMs,
    seen: [span],
    nodes: NODES.map((node) => ({
      ...node,
      uid: `uid-${node.name}`,
      providerId: `aws:///eu-central-1a/${node.name}`,
      spans: [span],
      cpuMillis: 4_000,
      memoryBytes: 16 * GIB_BYTES
    })),
    pods: NODES.map(({ gpus, name }) => ({
      uid: `uid-pod-${name}`,
      namespace: "shop",
      name: `api-${name}`,
      node: name,
      workload,
      claims: ["data"],
      egress: { zoneKib: 1_024, regionKib: 2_048, internetKib: 4_096 },
      containers: [
        {
          name: "app",
          role: "main" as const,
          runs: [span],
          gpus: gpus / 4,
          isOomKilled: false,
          cpuRequestMillis: 500,
          memoryRequestBytes: GIB_BYTES,
          usage
        }
      ]
    })),
    volumes: [
      { namespace: "shop", claim: "data", name: "pv-1", storageClass: "gp3", bytes: 10 * GIB_BYTES, spans: [span] }
    ],
    loadBalancers: [{ namespace: "shop", name: "api", spans: [span], pods: NODES.map(({ name }) => `uid-pod-${name}`) }]
  })
  return HourCosts.reprice(hour, (subject) => ratesOver(subject, { startMs, endMs: span.toMs }))
}

/** Keeps the history of some clusters. */
export const keep = (clusters: ReadonlyArray<string>) => (directory: string) =>
  Effect.gen(function* () {
    const store = yield* CostStore
    const firstMs = (yield* monthStart) - DAY_MS
    const starts = Array.from({ length: 48 }, (_, index) => firstMs + index * HOUR_MS)
    for (const cluster of clusters) yield* store.rewrite(starts.map((startMs) => hourOf(cluster, startMs)))
  }).pipe(Effect.provide(layerSqlite({ directory })))
