/** Reports that are compared with the window before. */
import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { DAY_MS, HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import * as CostCsv from "../../src/report/CostCsv.ts"
import * as PreviousWindow from "../../src/report/PreviousWindow.ts"
import { cost, hour, prod, series, stage } from "../store/samples.ts"
import { allGroups, asking, closing, getAggregated, getWorkloads, grouping, monday, reporting } from "./reporting.ts"
import { collect, read } from "./written.ts"

const HOURS = 12
const HALF = monday + (HOURS / 2) * HOUR_MS
const END = monday + HOURS * HOUR_MS
const now = { from: String(HALF), to: String(END) }

/** Hours of a cluster that all cost the same. */
const hoursOf = (name: string, costNanos: number, indexes: ReadonlyArray<number>, cluster: ClusterName) =>
  indexes.map((index) => cost(monday + index * HOUR_MS, name, costNanos, { cluster }))
const [first, second] = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10, 11]
]
const both = { mode: "Named", clusters: [prod, stage] } as const

describe("a report compared with the window before", () => {
  it.effect("compares no group of a new or a removed cluster, and the others", () =>
    Effect.gen(function* () {
      yield* closing([
        ...hoursOf("api", 1e9, [...(first ?? []), ...(second ?? [])], prod),
        ...hoursOf("web", 2e9, second ?? [], stage)
      ])
      const reply = yield* getAggregated(grouping(["workload"], { target: both, range: now, compare: true }))
      assert("rows" in reply)
      assert.deepStrictEqual(
        reply.rows.map(({ group, previous }) => [group["workload"], previous?.totalCost ?? null]),
        [
          ["web", null],
          ["api", 6]
        ]
      )
      assert.isNull(reply.previous?.totals)
      assert.deepStrictEqual(
        reply.previous?.clusters.map(({ hoursCovered }) => hoursCovered),
        [6, 0]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("lists what only the window before has, with costs of 0", () =>
    Effect.gen(function* () {
      yield* closing([
        ...(first ?? []).map((index) =>
          hour(monday + index * HOUR_MS, [
            [series("api"), { cpuCostNanos: 1e9, existedSeconds: HOUR_SECONDS }],
            [series("old"), { cpuCostNanos: 3e9, existedSeconds: HOUR_SECONDS }]
          ])
        ),
        ...hoursOf("api", 1e9, second ?? [], prod)
      ])
      const groups = yield* getAggregated(grouping(["workload"], { range: now, compare: true }))
      assert("rows" in groups)
      assert.deepStrictEqual(
        groups.rows.map(({ group, previous, totalCost }) => [group["workload"], totalCost, previous?.totalCost]),
        [
          ["api", 6, 6],
          ["old", 0, 18]
        ]
      )
      const workloads = yield* getWorkloads(asking({ range: now, compare: true }))
      assert.deepStrictEqual(
        workloads.aggregatedWorkloads.map(({ hourlyCost, id, previous }) => [id, hourlyCost, previous?.totalCost]),
        [
          ["prod/shop/Deployment/api", 1, 6],
          ["prod/shop/Deployment/old", 0, 18]
        ]
      )
      const streamed = yield* allGroups(grouping(["workload"], { range: now, compare: true }))
      const file = read(
        yield* collect(
          CostCsv.groups({ currency: "USD", groupBy: ["workload"], rows: streamed.rows, isCompared: true })
        )
      )
      assert.deepStrictEqual(
        file.map(({ previousTotalCost, totalCost, workload }) => [workload, totalCost, previousTotalCost]),
        [
          ["api", "6", "6"],
          ["old", "0", "18"]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("is refused with steps, whose previous steps would begin on other days", () =>
    Effect.gen(function* () {
      yield* closing(hoursOf("api", 1e9, second ?? [], prod))
      const error = yield* Effect.flip(
        getAggregated(grouping(["workload"], { range: now, compare: true, stepSize: "day" }))
      )
      assert.strictEqual(error._tag, "InvalidCostQuery")
      assert.strictEqual("field" in error && error.field, "compare")
    }).pipe(Effect.provide(reporting()))
  )
})

describe("the window before", () => {
  const hours = (count: number) => ({ hoursCovered: count })

  it("is comparable up to 5 % of the observed time, even where little was observed", () => {
    assert.isTrue(PreviousWindow.isComparable(hours(168), hours(159.6)))
    assert.isFalse(PreviousWindow.isComparable(hours(168), hours(159)))
    assert.isFalse(PreviousWindow.isComparable(hours(8), hours(0.01)))
    assert.isFalse(PreviousWindow.isComparable(hours(0.1), undefined))
    assert.isTrue(PreviousWindow.isComparable(hours(0), hours(0)))
  })

  it("has as many hours, without the open one, and whole days where only days are stored", () => {
    const range = { hours: { startMs: HALF, endMs: END }, isInDays: false }
    const open = PreviousWindow.of({ ...range, endMs: END - 50 * 60_000 }, 0)
    assert.deepStrictEqual(open, { startMs: HALF - 5 * HOUR_MS, endMs: HALF })
    assert.deepStrictEqual(PreviousWindow.of({ ...range, endMs: END }, 0), { startMs: monday, endMs: HALF })
    const inDays = PreviousWindow.of({ ...range, endMs: END - 50 * 60_000 }, HALF)
    assert.deepStrictEqual(inDays, { startMs: monday, endMs: HALF })
  })

  it("extends a range to the start of the window before, to whole days where only days are stored", () => {
    const range = { asked: {}, fromMs: HALF + 1, toMs: END - 1, nowMs: END }
    assert.deepStrictEqual(PreviousWindow.extend(range, 0), { ...range, fromMs: monday })
    assert.deepStrictEqual(PreviousWindow.extend(range, END + DAY_MS), { ...range, fromMs: monday - DAY_MS })
  })
})
