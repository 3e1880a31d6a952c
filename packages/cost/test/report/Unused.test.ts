import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { build } from "../../src/allocation/HourBuilder.ts"
import type { HourFacts } from "../../src/allocation/HourFacts.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import * as CostCsv from "../../src/report/CostCsv.ts"
import { GIB_BYTES, HOUR_MS } from "../../src/hour/Units.ts"
import { container, facts, node, pod, prod, span, startMs, steady, volume } from "../allocation/facts.ts"
import {
  allGroups,
  asking,
  closing,
  getAggregated,
  getWorkloads,
  grouping,
  recommending,
  reporting
} from "./reporting.ts"

const rates = PriceHistory.ratesOver(PriceHistory.initial)

/** Closes the hour of some facts. */
const closed = (one: HourFacts) =>
  closing([reprice(build(one), (subject) => rates(subject, { startMs, endMs: startMs + HOUR_MS }))])

describe("unmounted storage and unused load balancers", () => {
  it.effect("is a group of its own, with its volumes and its load balancers apart", () =>
    Effect.gen(function* () {
      yield* closed(
        facts({
          nodes: [node("node-1")],
          volumes: [volume("data", { bytes: 100 * GIB_BYTES })],
          loadBalancers: [{ namespace: "shop", name: "gone", spans: [span()], pods: [] }]
        })
      )
      const asked = grouping(["namespace"], { idle: "show" })
      const reply = yield* getAggregated(asked)
      const [row] = "rows" in reply ? reply.rows.filter(({ unmounted }) => unmounted === true) : []
      assert.deepInclude(row, { group: { namespace: "shop" }, loadBalancerCost: 0.025, cpuCost: 0 })
      assert.isAbove(row?.storageCost ?? 0, 0)
      assert.closeTo(row?.totalCost ?? 0, (row?.storageCost ?? 0) + 0.025, 1e-9)

      const file = yield* allGroups(asked)
      const text = yield* Stream.mkString(CostCsv.groups({ ...file, groupBy: ["namespace"] }))
      const [names = [], ...records] = text
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(","))
      const cell = (record: ReadonlyArray<string>, name: string) => record[names.indexOf(name)]
      const unmounted = records.find((record) => cell(record, "beside") === "unmounted") ?? []
      assert.deepStrictEqual(
        ["namespace", "storageCost", "loadBalancerCost"].map((name) => cell(unmounted, name)),
        ["shop", String(row?.storageCost), "0.025"]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("of a workload that never got beyond its init containers saves nothing", () =>
    Effect.gen(function* () {
      const load = container({ name: "load", role: "init", usage: steady(10, GIB_BYTES) })
      yield* closed(
        facts({
          nodes: [node("node-1")],
          pods: [
            pod("api-1", { containers: [load, container({ runs: [] })] }),
            pod("web-1", { containers: [container()] })
          ]
        })
      )
      const recommendation = { cpuRecommendedMillis: 100, memoryRecommendedBytes: 1_048_576, recommendationDays: 8 }
      yield* recommending(prod, { "shop/Deployment/api": recommendation, "shop/Deployment/web": recommendation })
      const { aggregatedWorkloads, totals } = yield* getWorkloads(asking())
      const savings = Object.fromEntries(
        aggregatedWorkloads.map(({ savingsAvailable, workloadName }) => [workloadName, savingsAvailable])
      )
      assert.strictEqual(savings["api"], 0)
      assert.isAbove(aggregatedWorkloads.find(({ workloadName }) => workloadName === "api")?.cpuCost ?? 0, 0)
      assert.isAbove(savings["web"] ?? 0, 0)
      assert.strictEqual(totals.savingsAvailable, savings["web"])
    }).pipe(Effect.provide(reporting()))
  )
})
