import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { coverage, json, quarterdeck, service, workload } from "../program.ts"

const COUNTS = { failed: 0, degraded: 1, progressing: 0, paused: 0, healthy: 7, completed: 0, idle: 0 }
const DAYS = Array.from({ length: 14 }, (_, index) => ({
  day: `2026-01-${String(index + 1).padStart(2, "0")}`,
  cost: 1.5,
  hoursCovered: 24
}))

const overview = (facts: Record<string, unknown> = {}) => ({
  clusters: [
    coverage("hub"),
    coverage("prod", { status: "timeout", error: { code: "timeout", message: "no answer" } })
  ],
  clusterCounts: { ok: 1, stale: 0, failed: 1 },
  statusCounts: COUNTS,
  podReasons: [{ reason: "CrashLoopBackOff", count: 2 }],
  attention: [
    workload("shop", { reason: "CrashLoopBackOff", since: new Date(Date.now() - 3_600_000).toISOString() }),
    workload("cart", { status: "failed", reason: "Backoff\u001b[31m" })
  ],
  cost: {
    asOf: "2026-01-14T12:00:00Z",
    currency: "USD",
    today: 0.75,
    last7d: 9.8,
    previous7d: 10,
    perDay: DAYS
  },
  access: { expiringKeys: 1, denials24h: 0 },
  partial: true,
  ...facts
})

describe("quarterdeck status", () => {
  it.live("prints a summary, then the workloads that need attention, and each cluster that did not answer", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: overview() }))
      const { status, stderr, stdout } = yield* quarterdeck(["status", "--cluster", "*"], { env })
      assert.deepStrictEqual(stdout.split("\n"), [
        "Clusters:  1 ok, 1 failed",
        "Workloads: 1 degraded, 7 healthy",
        "Pods:      2 CrashLoopBackOff",
        "Cost:      0.75 USD today, 9.80 in 7 days (-2% on the 7 days before)",
        "Access:    1 key expires within 7 days, 0 denials in 24 hours",
        "",
        "CLUSTER  NAMESPACE  KIND        NAME  STATUS    REASON             SINCE",
        "prod     web        Deployment  shop  degraded  CrashLoopBackOff   60m",
        "prod     web        Deployment  cart  failed    Backoff\\u{1b}[31m",
        ""
      ])
      assert.include(stderr, "warning: cluster prod: timeout, its rows are missing")
      assert.strictEqual(status, 0)
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/overview")
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "*")
    })
  )

  it.live("leaves out what the key may not read, and prints the whole reply as JSON", () =>
    Effect.gen(function* () {
      const { access: _access, cost: _cost, ...rest } = overview({ attention: [], podReasons: [], partial: false })
      const { env } = yield* service(() => ({ body: rest }))
      const { stdout } = yield* quarterdeck(["status"], { env })
      assert.deepStrictEqual(stdout.split("\n"), [
        "Clusters:  1 ok, 1 failed",
        "Workloads: 1 degraded, 7 healthy",
        "Pods:      none needs intervention",
        ""
      ])
      const printed = yield* quarterdeck(["status", "-o", "json"], { env })
      assert.deepStrictEqual(json(printed.stdout), rest)
    })
  )
})
