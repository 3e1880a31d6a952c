import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { IDLE, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { hour, series } from "../store/samples.ts"
import { asking, closing, costsOf, getAggregated, getWorkloads, grouping, monday, reporting } from "./reporting.ts"

const labelled = (name: string, labels: Readonly<Record<string, string>>) => series(name, { labels })

/** The `api` moves from one team to the other in the second hour. */
const written = closing([
  hour(monday, [
    [labelled("api", { team: "a" }), { cpuCostNanos: 1, existedSeconds: 3_600 }],
    [labelled("web", { team: "b", tier: "front" }), { cpuCostNanos: 2, existedSeconds: 3_600 }],
    [labelled("bare", {}), { cpuCostNanos: 4, existedSeconds: 3_600 }],
    [series("node-1", { namespace: "", kind: IDLE }), { cpuCostNanos: 14 }],
    [series("disk", { kind: UNMOUNTED }), { storageCostNanos: 32 }]
  ]),
  hour(monday + HOUR_MS, [[labelled("api", { team: "b" }), { cpuCostNanos: 8, existedSeconds: 3_600 }]])
])

const costs = (labelSelector: string) =>
  Effect.map(getWorkloads(asking({ filter: { labelSelector } })), ({ aggregatedWorkloads, clusters, totals }) => {
    const rows = Object.fromEntries(
      aggregatedWorkloads.map(({ totalCost, workloadName }) => [workloadName, Math.round(totalCost * 1e9)])
    )
    assert.strictEqual(
      Math.round(totals.totalCost * 1e9),
      Object.values(rows).reduce((sum, one) => sum + one, 0)
    )
    assert.strictEqual(clusters[0]?.count, aggregatedWorkloads.length)
    return rows
  })

describe("a report of workloads with some labels", () => {
  it.effect("counts a workload in the hours in which it had them", () =>
    Effect.gen(function* () {
      yield* written
      assert.deepStrictEqual(yield* costs("team=a"), { api: 1 })
      assert.deepStrictEqual(yield* costs("team=b"), { api: 8, web: 2 })
      assert.deepStrictEqual(yield* costs("team in (a, b),tier"), { web: 2 })
      assert.deepStrictEqual(yield* costs("!team"), { bare: 4 })
      assert.deepStrictEqual(yield* costs("team!=b"), { api: 1, bare: 4 })
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("groups those alone, with their shares as of all, and without costs that no workload has", () =>
    Effect.gen(function* () {
      yield* written
      const filter = { labelSelector: "team=b" }
      const groups = (idle: "show" | "share") =>
        Effect.map(getAggregated(grouping(["workload"], { filter, idle, range: { range: "2h" } })), (reply) =>
          "rows" in reply ? costsOf(reply.rows) : {}
        )
      assert.deepStrictEqual(yield* groups("show"), { api: 8e-9, web: 2e-9 })
      // 14 of idle for 15 of all workloads, of which these are 10; the dearest carries what rounding leaves.
      const shared = yield* groups("share")
      assert.closeTo((shared["api"] ?? 0) + (shared["web"] ?? 0), 10e-9 + (14e-9 * 10) / 15, 1e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("reports where the selector is wrong, and refuses the cursor of another selector", () =>
    Effect.gen(function* () {
      yield* written
      const refused = yield* Effect.flip(getWorkloads(asking({ filter: { labelSelector: "team in a" } })))
      assert.strictEqual(refused._tag, "InvalidCostQuery")
      assert.strictEqual(refused.message, "labelSelector: label selector, character 9: expected ( after in or notin")
      const first = yield* getWorkloads(asking({ filter: { labelSelector: "team" }, page: { limit: 1 } }))
      const cursor = first.nextCursor ?? assert.fail("there is one page only")
      const other = yield* Effect.flip(
        getWorkloads(asking({ filter: { labelSelector: "team=b" }, page: { limit: 1, cursor } }))
      )
      assert.strictEqual(other._tag, "CursorInvalid")
    }).pipe(Effect.provide(reporting()))
  )
})
