import { assert, describe, it } from "@effect/vitest"
import type { WorkloadCosts } from "../src/api/CostQueries.ts"
import * as Savings from "../src/cost/Savings.ts"
import { clusterName, present, workloadCost } from "./costGroups.ts"

const clusters = (hoursCovered: number): WorkloadCosts["clusters"] => [
  {
    name: clusterName("hub"),
    status: "ok",
    source: "cache",
    count: 0,
    ageMs: 0,
    latencyMs: 0,
    hoursCovered,
    hoursInWindow: 168
  }
]

const rowsOf = (rows: WorkloadCosts["aggregatedWorkloads"], hours = 73) =>
  Savings.rowsOf({ aggregatedWorkloads: rows, clusters: clusters(hours) }, [
    present("api"),
    present("job", { replicas: { desired: 0, ready: 0, updated: 0, available: 0 } })
  ])

const isUnused = (some: Parameters<typeof workloadCost>[1]): boolean | undefined =>
  rowsOf([workloadCost("api", some)])[0]?.isUnused

describe("savings of workloads", () => {
  it("are a month at the rate of the hours seen, or not known without a recommendation", () => {
    const rows = rowsOf([
      workloadCost("young", { totalCost: 9, savingsAvailable: 0 }),
      workloadCost("fits", { recommendationDays: 3 }),
      workloadCost("api", { recommendationDays: 3, savingsAvailable: 1.5, totalCost: 3 })
    ])
    assert.deepStrictEqual(
      rows.map(({ monthly, row }) => [row.workloadName, monthly]),
      [
        ["api", 15],
        ["fits", 0],
        ["young", undefined]
      ]
    )
    assert.isUndefined(rowsOf([workloadCost("api", { recommendationDays: 3 })], 0)[0]?.monthly)
  })

  it("have the requests of one replica and the labels of now, where the workload runs now", () => {
    const [api, job, gone] = rowsOf([
      workloadCost("api", { totalCost: 3 }),
      workloadCost("job", { totalCost: 2 }),
      workloadCost("gone", { totalCost: 1 })
    ])
    assert.deepStrictEqual(api?.requests, { cpuMillis: 500, memoryBytes: 1_024 })
    assert.strictEqual(api?.labels?.["team"], "web")
    assert.isUndefined(job?.requests)
    assert.isUndefined(gone?.labels)
  })

  it("fold what is small, nothing, or not known yet", () => {
    const { large, none, small, unknown } = Savings.ranked(
      rowsOf([
        workloadCost("large", { recommendationDays: 3, savingsAvailable: 100 }),
        workloadCost("small", { recommendationDays: 3, savingsAvailable: 0.5 }),
        workloadCost("none", { recommendationDays: 3 }),
        workloadCost("unknown")
      ])
    )
    const names = [large, small, none, unknown].map((rows) => rows.map(({ row }) => row.workloadName))
    assert.deepStrictEqual(names, [["large"], ["small"], ["none"], ["unknown"]])
  })

  it("are grouped by the team label, the largest savings first", () => {
    const rows = rowsOf([
      workloadCost("api", { recommendationDays: 3, savingsAvailable: 1 }),
      workloadCost("gone", { recommendationDays: 3, savingsAvailable: 9 })
    ])
    assert.deepStrictEqual(
      Savings.sectionsOf(rows, "label", "team").map(({ name }) => name),
      ["Without team", "web"]
    )
    assert.strictEqual(Savings.sectionsOf(rows, "", "team").length, 1)
  })
})

describe("a workload is unused", () => {
  const idle = {
    hoursCovered: 168,
    cpuCoreHours: 168,
    memoryByteHours: 168,
    cpuRequestedCoreHours: 168,
    memoryRequestedByteHours: 168,
    cpuEfficiency: 0.04,
    memoryEfficiency: 0.04
  }

  it("if it used under 5 % of both requests for a week, with known usage", () => {
    assert.isTrue(isUnused(idle))
    assert.isFalse(isUnused({ ...idle, cpuEfficiency: 0.05 }))
    assert.isFalse(isUnused({ ...idle, memoryEfficiency: 0.05 }))
    assert.isFalse(isUnused({ ...idle, hoursCovered: 100 }))
  })

  it("is not claimed where usage was not known, or nothing is requested", () => {
    assert.isFalse(isUnused({ ...idle, cpuRequestedCoreHours: 50 }))
    assert.isFalse(isUnused({ ...idle, memoryRequestedByteHours: 0 }))
    assert.isFalse(isUnused({ ...idle, cpuEfficiency: null }))
  })
})
