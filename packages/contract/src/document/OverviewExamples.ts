/** Examples of the overview and its parts. */
import { ClusterCounts, Overview, OverviewAccess, OverviewCost, PodReason } from "../OverviewGroup.ts"
import { example } from "./Example.ts"
import { coverage, failedCoverage, statusCounts, workload } from "./ListExamples.ts"

const clusterCounts: typeof ClusterCounts.Type = { ok: 1, stale: 0, failed: 1 }

const podReason: PodReason = { reason: "CrashLoopBackOff", count: 1 }

const DAYS = [
  "2026-11-08",
  "2026-11-09",
  "2026-11-10",
  "2026-11-11",
  "2026-11-12",
  "2026-11-13",
  "2026-11-14",
  "2026-11-15",
  "2026-11-16",
  "2026-11-17",
  "2026-11-18",
  "2026-11-19",
  "2026-11-20"
]

const cost: OverviewCost = {
  asOf: "2026-11-21T06:16:06.007Z",
  currency: "USD",
  today: 4.21,
  last7d: 118.4,
  previous7d: 121.07,
  perDay: [
    ...DAYS.map((day) => ({ day, cost: 16.92, hoursCovered: 24 })),
    { day: "2026-11-21", cost: 4.21, hoursCovered: 6.25 }
  ]
}

const access: OverviewAccess = { expiringKeys: 1, denials24h: 12 }

export const overviewExamples = [
  example(ClusterCounts, clusterCounts),
  example(PodReason, podReason),
  example(OverviewCost, cost),
  example(OverviewAccess, access),
  example(Overview, {
    clusters: [coverage, failedCoverage],
    clusterCounts,
    statusCounts,
    podReasons: [podReason],
    attention: [workload],
    cost,
    access,
    partial: true
  })
]
