/**
 * A week of costs from before the service starts: whole, with a day of which the usage is lost, and with a day in which
 * the cluster was not seen.
 */
import { Hour, HourBuilder, PriceHistory, HourCosts } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { DAY_MS, GIB_BYTES, HOUR_MS, hourOf } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"

interface Lost {
  readonly cluster: "hub" | "prod" | "stage"
  readonly day: "nothing" | "usage" | "all"
}

const LOST: ReadonlyArray<Lost> = [
  { cluster: "hub", day: "nothing" },
  { cluster: "prod", day: "usage" },
  { cluster: "stage", day: "all" }
]

/** How long before now the history begins and ends, and the lost day of it. **Units** days. */
const [BEGUN, LOST_FROM, LOST_TO, ENDED] = [10, 6, 5, 1]

/** The week that a report is asked for, inside of the history even if the hour has changed since. */
export const aWeek = Effect.map(Clock.currentTimeMillis, (nowMs) => {
  const from = hourOf(nowMs) - 9 * DAY_MS
  return `?from=${from}&to=${from + 7 * DAY_MS}`
})

const ratesOver = PriceHistory.ratesOver(PriceHistory.initial)

/** A Deployment of one replica, on a machine of four cores: it requests half a core and a GiB, and uses half of that. */
const hourOfPast = ({ cluster, day }: Lost, startMs: number, isLost: boolean): Hour.Hour => {
  const span = { fromMs: startMs, toMs: startMs + HOUR_MS }
  const edges = { fromMs: [span.fromMs], toMs: [span.toMs] }
  const usage = { ...edges, cpuMillis: [250], memoryBytes: [GIB_BYTES / 2] }
  const workload = { namespace: "shop", kind: "Deployment", name: "past", uid: "uid-past", labels: {} }
  const hour = HourBuilder.build({
    cluster: ClusterName.make(cluster),
    startMs,
    seen: [span],
    volumes: [],
    loadBalancers: [],
    nodes: [
      {
        name: "node-1",
        uid: "uid-node-1",
        providerId: "aws:///eu-central-1a/i-1",
        labels: {},
        spans: [span],
        cpuMillis: 4_000,
        memoryBytes: 16 * GIB_BYTES,
        gpus: 0
      }
    ],
    pods: [
      {
        uid: "uid-pod",
        namespace: "shop",
        name: "past-1",
        node: "node-1",
        workload,
        claims: [],
        containers: [
          {
            name: "app",
            role: "main",
            runs: [span],
            gpus: 0,
            isOomKilled: false,
            cpuRequestMillis: 500,
            memoryRequestBytes: GIB_BYTES,
            ...(isLost && day === "usage" ? {} : { usage })
          }
        ]
      }
    ]
  })
  return HourCosts.reprice(hour, (subject) => ratesOver(subject, { startMs, endMs: span.toMs }))
}

/** Keeps the history. */
export const past = (directory: string) =>
  Effect.gen(function* () {
    const store = yield* CostStore
    const nowMs = hourOf(yield* Clock.currentTimeMillis)
    const starts = Array.from({ length: (BEGUN - ENDED) * 24 }, (_, index) => nowMs - BEGUN * DAY_MS + index * HOUR_MS)
    const isLost = (startMs: number) => startMs >= nowMs - LOST_FROM * DAY_MS && startMs < nowMs - LOST_TO * DAY_MS
    for (const lost of LOST) {
      const seen = starts.filter((startMs) => lost.day !== "all" || !isLost(startMs))
      yield* store.rewrite(seen.map((startMs) => hourOfPast(lost, startMs, isLost(startMs))))
    }
  }).pipe(Effect.provide(layerSqlite({ directory })))
