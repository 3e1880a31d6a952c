/** A history of costs, kept before the service starts: two days of every hour alike. */
import { Hour, Measure, Series } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS, HOUR_SECONDS, hourOf } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect } from "effect"

/** What something costs in an hour, in dollars. */
type Costs = Partial<Record<"cpu" | "memory" | "storage", number>>

interface Kept {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly costs: Costs
}

const api = { namespace: "shop", kind: "Deployment", name: "api" }
const ledger = { namespace: "payments", kind: "Deployment", name: "ledger" }

/** What each hour has. */
const KEPT: ReadonlyArray<Kept> = [
  { cluster: "hub", ...api, costs: { cpu: 1 } },
  { cluster: "hub", ...ledger, costs: { cpu: 0.5 } },
  { cluster: "prod", ...api, costs: { cpu: 2 } },
  { cluster: "prod", namespace: "shop", kind: "StatefulSet", name: "db", costs: { memory: 0.5, storage: 0.25 } },
  { cluster: "prod", ...ledger, costs: { cpu: 3 } },
  { cluster: "prod", namespace: "", kind: Series.IDLE, name: "node-1", costs: { cpu: 1.5 } },
  { cluster: "stage", ...api, costs: { cpu: 0.25 } }
]

const HOURS = 48

const MACHINES: Hour.RateClass = { provider: "aws", region: "", instanceType: "", capacity: "onDemand", gpuModel: "" }

const NANOS = 1_000_000_000

const seriesOf = ({ kind, name, namespace }: Kept): Series.Series => ({
  namespace,
  kind,
  name,
  uid: kind === Series.IDLE ? "" : `uid-${name}`,
  labels: kind === Series.IDLE ? {} : { app: name }
})

const amountsOf = ({
  costs: { cpu = 0, memory = 0, storage = 0 }
}: Kept): Partial<Record<Measure.Measure, number>> => ({
  cpuCostNanos: cpu * NANOS,
  memoryCostNanos: memory * NANOS,
  storageCostNanos: storage * NANOS,
  cpuAllocatedMilliSeconds: cpu * 1_000 * HOUR_SECONDS,
  memoryAllocatedKibSeconds: memory * 1_048_576 * HOUR_SECONDS,
  replicaSeconds: HOUR_SECONDS,
  existedSeconds: HOUR_SECONDS,
  coveredSeconds: HOUR_SECONDS
})

const hourOfCluster = (cluster: string, startMs: number): Hour.Hour => {
  const kept = KEPT.filter((one) => one.cluster === cluster)
  const values = Measure.columns(kept.length)
  for (const [place, one] of kept.entries()) {
    const amounts = amountsOf(one)
    for (const measure of Measure.measures) values[measure][place] = amounts[measure] ?? 0
  }
  return {
    cluster: ClusterName.make(cluster),
    startMs,
    knownSeconds: HOUR_SECONDS,
    series: kept.map(seriesOf),
    columns: values,
    rates: [MACHINES],
    rateOf: new Int32Array(kept.length),
    shares: []
  }
}

/** Keeps the history of some clusters: the last two days, or as many hours up to an earlier one. */
export const keep =
  (clusters: ReadonlyArray<string>, { endedHoursAgo = 0, hours = HOURS } = {}) =>
  (directory: string) =>
    Effect.gen(function* () {
      const store = yield* CostStore
      const endMs = hourOf(yield* Clock.currentTimeMillis) - endedHoursAgo * HOUR_MS
      const starts = Array.from({ length: hours }, (_, index) => endMs - (hours - index) * HOUR_MS)
      for (const cluster of clusters) yield* store.rewrite(starts.map((startMs) => hourOfCluster(cluster, startMs)))
    }).pipe(Effect.provide(layerSqlite({ directory })))

/**
 * A day of it, as query parameters: far from the hour that is going on.
 *
 * **Shape** the same for a whole file: an hour may end between two questions that must be one, as those of two pages.
 */
export const aDay = Effect.runSync(
  Effect.cached(
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const from = hourOf(nowMs) - 40 * HOUR_MS
      return `?from=${from}&to=${from + 24 * HOUR_MS}`
    })
  )
)

/** What a day of an hourly cost comes to, as a report says it. */
export const days = (costs: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(costs).map(([id, cost]) => [id, cost * 24]))
