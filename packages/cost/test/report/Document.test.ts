/** The figures of docs/cost-model/reports.md are those of the service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { CostRow } from "../../src/report/CostRow.ts"
import type { Measure } from "../../src/hour/Measure.ts"
import { HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import { hour, prod, series } from "../store/samples.ts"
import { asking, closing, getWorkloads, monday, recommending, reporting } from "./reporting.ts"

const text = readFileSync(new URL("../../../../docs/cost-model/reports.md", import.meta.url), "utf8")

/** The cells of the table under a heading, its header left out. */
const tableUnder = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, section = ""] = text.split(`### ${heading}\n`)
  const [table = ""] = /(?:^\|.*\n)+/m.exec(section) ?? []
  return table
    .trim()
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
}

const CORE_HOUR = 1_000 * HOUR_SECONDS
const GIB_HOUR = 1_048_576 * HOUR_SECONDS
const ONE = 1_000_000_000

/** Units of a measure per line of the example's hours. */
const MEASURES: Readonly<Record<string, readonly [Measure, number]>> = {
  "CPU cost": ["cpuCostNanos", ONE],
  "memory cost": ["memoryCostNanos", ONE],
  "load balancer cost": ["loadBalancerCostNanos", ONE],
  "replica seconds": ["replicaSeconds", 1],
  "spot seconds": ["spotSeconds", 1],
  "core-hours allocated": ["cpuAllocatedMilliSeconds", CORE_HOUR],
  "GiB-hours allocated": ["memoryAllocatedKibSeconds", GIB_HOUR],
  "core-hours requested, usage known": ["cpuRequestedKnownMilliSeconds", CORE_HOUR],
  "GiB-hours requested, usage known": ["memoryRequestedKnownKibSeconds", GIB_HOUR],
  "core-hours used": ["cpuUsedMilliSeconds", CORE_HOUR],
  "GiB-hours used": ["memoryUsedKibSeconds", GIB_HOUR],
  "seconds existed": ["existedSeconds", 1],
  "seconds covered": ["coveredSeconds", 1]
}

const hours = [1, 2].map((column) => {
  const amounts: Partial<Record<Measure, number>> = {}
  for (const cells of tableUnder("An example")) {
    const [measure, unit] = MEASURES[cells[0] ?? ""] ?? []
    assert(measure !== undefined && unit !== undefined, `no measure is called ${cells[0]}`)
    amounts[measure] = Math.round(Number(cells[column]) * unit)
  }
  // Every replica requested 1 core and 1 GiB.
  const replicas = (amounts.replicaSeconds ?? 0) / HOUR_SECONDS
  const requested = { cpuRequestedMilliSeconds: replicas * CORE_HOUR, memoryRequestedKibSeconds: replicas * GIB_HOUR }
  return hour(monday + (column - 1) * HOUR_MS, [[series("api"), { ...amounts, ...requested }]])
})

/** Works `1 + 2 x (3 - 4) / 5` out: sums of products, brackets first. */
const worked = (expression: string): number => {
  const open = expression.replaceAll(/\(([^()]*)\)/g, (_, inner: string) => String(worked(inner)))
  const terms = open.split(/ (?=[+-] )/)
  return terms.reduce((sum, term) => {
    const [sign, product] = /^[+-] /.test(term) ? [term[0] === "-" ? -1 : 1, term.slice(2)] : [1, term]
    const [first = "", ...rest] = product.split(/ (?=[x/] )/)
    const value = rest.reduce(
      (value, factor) => (factor.startsWith("x ") ? value * Number(factor.slice(2)) : value / Number(factor.slice(2))),
      Number(first)
    )
    return sum + sign * value
  }, 0)
}

describe("docs/cost-model/reports.md", () => {
  it("adds the hours of its example up", () => {
    for (const [name, first, second, both] of tableUnder("An example")) {
      assert.closeTo(Number(first) + Number(second), Number(both), 1e-12, name)
    }
  })

  it.effect("has every column of a row, worked out as the service does", () =>
    Effect.gen(function* () {
      yield* closing(hours)
      yield* recommending(prod, {
        "shop/Deployment/api": {
          cpuRecommendedMillis: 250,
          memoryRecommendedBytes: 536_870_912,
          recommendationDays: 8
        }
      })
      const [row] = (yield* getWorkloads(asking())).aggregatedWorkloads
      assert(row !== undefined)
      const told = new Map(
        tableUnder("Its row").map(([name = "", , example = ""]) => [name.replaceAll("`", ""), example])
      )
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === "string" && name !== "id") continue
        const example = told.get(name)
        assert(example !== undefined, `no line tells of ${name}`)
        const [sum = "", result = sum] = example.split(" = ")
        if (typeof value === "string") assert.strictEqual(value, result)
        else {
          assert(typeof value === "number", `${name} is not known`)
          assert.closeTo(Number(result), value, 5e-7, name)
          assert.closeTo(worked(sum), value, 1e-6, `${name}: ${sum}`)
        }
      }
      for (const name of told.keys()) assert.isTrue(Object.hasOwn(CostRow.fields, name), `${name} is no column`)
    }).pipe(Effect.provide(reporting()))
  )
})
