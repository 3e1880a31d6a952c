import { assert, describe, it } from "@effect/vitest"
import type { Overview, OverviewCost } from "../src/api/OverviewQueries.ts"
import { daysText, needing, podReasonsText, restText, totalOf, weekText } from "../src/overview/OverviewText.ts"

const COUNTS = { failed: 1, degraded: 2, progressing: 3, paused: 4, healthy: 10, completed: 5, idle: 6 }
const HEALTHY = { ...COUNTS, failed: 0, degraded: 0 }

const overview = (clusterCounts: Overview["clusterCounts"]): Overview => ({
  clusters: [],
  clusterCounts,
  statusCounts: HEALTHY,
  podReasons: [],
  attention: [],
  partial: false
})

const cost: OverviewCost = {
  asOf: "2026-11-27T09:00:00Z",
  currency: "USD",
  today: 10,
  last7d: 110,
  previous7d: 100,
  perDay: [
    { day: "2026-11-25", cost: 0, hoursCovered: 0 },
    { day: "2026-11-26", cost: 20, hoursCovered: 24 },
    { day: "2026-11-27", cost: 10, hoursCovered: 9 }
  ]
}

describe("the sentences of the overview", () => {
  it("count failed and degraded workloads as those that need attention", () => {
    assert.strictEqual(needing(COUNTS), 3)
    assert.strictEqual(totalOf(COUNTS), 31)
  })

  it("name the reasons of most pods and sum the others", () => {
    const reasons = ["CrashLoopBackOff", "ImagePullBackOff", "Unschedulable"].map((reason, index) => ({
      reason,
      count: 5 - index
    }))
    assert.strictEqual(podReasonsText(reasons, 3), "CrashLoopBackOff 5, ImagePullBackOff 4, Unschedulable 3")
    assert.strictEqual(podReasonsText(reasons, 1), "CrashLoopBackOff 5, others 7")
  })

  it("say that nothing needs attention only of the clusters that are known", () => {
    assert.strictEqual(
      restText(overview({ ok: 3, stale: 0, failed: 0 })),
      "None of the 28 workloads in 3 clusters is failed or degraded."
    )
    assert.strictEqual(
      restText(overview({ ok: 1, stale: 1, failed: 1 })),
      "None of the 28 workloads in 2 clusters is failed or degraded. 1 of these clusters no longer answers: its state is as last known. 1 other cluster did not answer."
    )
  })

  it("compare two weeks only if they were covered alike", () => {
    assert.strictEqual(weekText(cost), "$110.00 in the last 7 days, +10% compared with the 7 days before")
    assert.strictEqual(
      weekText({ ...cost, previous7d: null }),
      "$110.00 in the last 7 days. The 7 days before were covered differently."
    )
  })

  it("describe the bars, and days without data", () => {
    assert.strictEqual(
      daysText(cost),
      "Cost by day from 2026-11-26, the most on 2026-11-26: $20.00, 1 day without data"
    )
    assert.strictEqual(daysText({ currency: "USD", perDay: [] }), "No costs are known yet")
  })
})
