/** The example of docs/cost-model.md, from what was seen to a row, is what the service makes of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { build } from "../src/allocation/HourBuilder.ts"
import { measures } from "../src/hour/Measure.ts"
import * as PriceHistory from "../src/price/PriceHistory.ts"
import { Recommender } from "../src/savings/Recommender.ts"
import { reprice } from "../src/price/HourCosts.ts"
import { HOUR_MS } from "../src/hour/Units.ts"
import { workedOut } from "./allocation/arithmetic.ts"
import { amountOf, MIB, startMs } from "./allocation/facts.ts"
import { examplesOf, tablesOf } from "./allocation/page.ts"
import { asking, closing, getAggregated, getWorkloads, grouping, reporting } from "./report/reporting.ts"
import { used } from "./savings/usage.ts"

const page = readFileSync(new URL("../../../docs/cost-model.md", import.meta.url), "utf8")
const [example] = examplesOf(page)
if (example === undefined) throw new Error("the page has no example")

interface Line {
  readonly name: string
  readonly text: string
  readonly because: string
}

/** The lines of a table, by the head of its first column. */
const linesOf = (head: string): ReadonlyArray<Line> =>
  tablesOf(page)
    .filter((table) => table.head === head)
    .flatMap(({ rows }) => rows)
    .map((row) => ({
      name: (row[head] ?? "").replaceAll("`", ""),
      text: row["amount"] ?? "",
      because: row["because"] ?? ""
    }))

/** Compares to the last decimal that is shown, the sixth at least: fewer are all there are. */
const isShownAs = (value: number, { name, text }: Line): void => {
  const decimals = Math.max(6, text.split(".")[1]?.length ?? 0)
  assert.approximately(value, Number(text), 10 ** -decimals / 2 + 1e-12, name)
}

const history = PriceHistory.ratesOver(PriceHistory.initial)
const hour = reprice(build(example.facts), (subject) => history(subject, { startMs, endMs: startMs + HOUR_MS }))
const range = { from: String(startMs), to: String(startMs + HOUR_MS) }

/** Eight days in which each replica used 200 millicores and 512 MiB. */
const learning = Effect.gen(function* () {
  const recommender = yield* Recommender
  const { cluster } = example.facts
  const rows = ["api-1", "api-2"].map((replica) =>
    used("api", { container: "app", replica, cpuMillis: [200], cpuRequestMillis: 500, memoryPeakBytes: 512 * MIB })
  )
  for (let before = 8 * 24; before > 0; before--) {
    yield* recommender.fold({ cluster, startMs: startMs - before * HOUR_MS, containers: rows })
  }
})

const kept = Recommender.layer.pipe(Layer.provideMerge(reporting()))

describe("docs/cost-model.md", () => {
  it("works out", () => {
    const lines = ["column", "of the cluster"].flatMap(linesOf)
    assert.isNotEmpty(lines)
    for (const line of lines) isShownAs(workedOut(line.because), line)
    for (const { amount, because } of example.charges) assert.strictEqual(workedOut(because), amount)
  })

  it("has the quantities of its hour", () => {
    for (const { amount, measure, to } of example.charges) {
      const known = measures.find((one) => one === measure)
      if (known === undefined) assert.fail(`no measure: ${measure}`)
      assert.strictEqual(amountOf(hour, to, known), amount, measure)
    }
  })

  it("shows the prices of a new service", () => {
    const { aws } = PriceHistory.current(PriceHistory.initial).default
    const shown = tablesOf(page)
      .filter(({ head }) => head === "price")
      .flatMap(({ rows }) => rows.flatMap((row) => [row["on demand"] ?? "", row["spot"] ?? ""]))
      .filter((text) => text !== "")
    assert.deepStrictEqual(shown.map(Number), [
      ...[aws.cpuPerCoreHour, aws.spotCpuPerCoreHour, aws.memoryPerGiBHour, aws.spotMemoryPerGiBHour],
      ...[aws.storagePerGiBHour, aws.loadBalancerPerHour, aws.clusterPerHour]
    ])
  })

  it.effect("has every figure of the row that a report shows", () =>
    Effect.gen(function* () {
      yield* learning
      yield* closing([hour])
      const { aggregatedWorkloads } = yield* getWorkloads(asking({ range }))
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ id }) => id),
        ["prod/shop/Deployment/api"]
      )
      const figures = new Map(
        Object.entries(aggregatedWorkloads[0] ?? {}).filter(([, value]) => Number.isFinite(value))
      )
      const lines = linesOf("column")
      assert.deepStrictEqual(lines.map(({ name }) => name).toSorted(), [...figures.keys()].toSorted())
      for (const line of lines) isShownAs(Number(figures.get(line.name)), line)
    }).pipe(Effect.provide(kept))
  )

  it.effect("comes to the cluster's bill", () =>
    Effect.gen(function* () {
      yield* closing([hour])
      const reply = yield* getAggregated(grouping([], { idle: "show", range }))
      const rows = "rows" in reply ? reply.rows : []
      const sum = (costs: ReadonlyArray<number>) => costs.reduce((all, cost) => all + cost, 0)
      const machines = rows.flatMap(({ cpuCost, management, memoryCost }) => (management ? [] : [cpuCost + memoryCost]))
      const amounts = new Map([
        ["machines", sum(machines)],
        ["idle", sum(rows.flatMap(({ idle, totalCost }) => (idle ? [totalCost] : [])))],
        ["management", sum(rows.flatMap(({ management, totalCost }) => (management ? [totalCost] : [])))],
        ["total", reply.totals.totalCost]
      ])
      const lines = linesOf("of the cluster")
      assert.deepStrictEqual(
        lines.map(({ name }) => name),
        [...amounts.keys()]
      )
      for (const line of lines) isShownAs(amounts.get(line.name) ?? Number.NaN, line)
    }).pipe(Effect.provide(kept))
  )
})
