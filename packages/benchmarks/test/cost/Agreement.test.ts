/** The bench compares what reports say with a peer of its own: a report that is wrong, in whatever way, makes it fail. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import type { AggregateRow } from "@quarterdeck/cost/Aggregate"
import type { CostReport } from "@quarterdeck/cost/CostReport"
import { CostTotals } from "@quarterdeck/cost/CostRow"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { isMet } from "../../src/claim/Claim.ts"
import * as Questions from "../../src/cost/questions.ts"
import * as ReportedHistory from "../../src/cost/reportedHistory.ts"

type Report = CostReport["Service"]

class Filled extends Context.Service<Filled, ReportedHistory.ReportedHistory>()("Filled") {
  static readonly layer = Layer.effect(
    Filled,
    ReportedHistory.make({ workloads: 120, clusters: 4, shortHours: 30, longHours: 60, moves: 4, limit: 25 })
  ).pipe(Layer.provideMerge(NodeServices.layer))
}

/** Whether the claim of agreement is kept, over windows that lie apart. */
const agrees = Effect.fnUntraced(function* (mutated: (report: Report) => Report) {
  const filled = yield* Filled
  const questions = Object.values(Questions.of(mutated(filled.report), filled))
  return isMet(Questions.agreement(yield* Questions.difference(questions, [0, 3]), filled.workloads))
})

type Page = Effect.Success<ReturnType<Report["getWorkloads"]>>
type Groups = Effect.Success<ReturnType<Report["getAggregated"]>>

const withPages =
  (change: (page: Page) => Page) =>
  (report: Report): Report => ({ ...report, getWorkloads: (query) => Effect.map(report.getWorkloads(query), change) })

const withGroups =
  (change: (groups: Groups) => Groups) =>
  (report: Report): Report => ({ ...report, getAggregated: (query) => Effect.map(report.getAggregated(query), change) })

/** Totals that say the same number for everything. */
const decodeTotals = Schema.decodeUnknownSync(CostTotals)
const allOf = (number: number): CostTotals =>
  decodeTotals(Object.fromEntries(Object.keys(CostTotals.fields).map((name) => [name, number])))

type Costs = Pick<CostTotals, "totalCost" | "cpuCost" | "memoryCost" | "storageCost" | "networkCost">

const times3 = <A extends Costs>(row: A): A => ({
  ...row,
  totalCost: 3 * row.totalCost,
  cpuCost: 3 * row.cpuCost,
  memoryCost: 3 * row.memoryCost,
  storageCost: 3 * row.storageCost,
  networkCost: 3 * row.networkCost
})

const dearPages = withPages((page) => ({
  ...page,
  aggregatedWorkloads: page.aggregatedWorkloads.map(times3),
  totals: times3(page.totals)
}))

const withGroupRows = (change: (row: AggregateRow) => AggregateRow) =>
  withGroups((groups) => ("rows" in groups ? { ...groups, rows: groups.rows.map(change) } : groups))

const MUTANTS: Readonly<Record<string, (report: Report) => Report>> = {
  "half a page": withPages((page) => ({
    ...page,
    aggregatedWorkloads: page.aggregatedWorkloads.slice(0, page.aggregatedWorkloads.length / 2)
  })),
  "a page reversed": withPages((page) => ({ ...page, aggregatedWorkloads: page.aggregatedWorkloads.toReversed() })),
  "costs times three": (report) => withGroupRows(times3)(dearPages(report)),
  "costs of a page times three": dearPages,
  "costs of groups times three": withGroupRows(times3),
  "totals of 1": withPages((page) => ({ ...page, totals: allOf(1) })),
  "every aggregate 42": withGroupRows((row) => ({ ...row, ...allOf(42) })),
  "totals of groups 42": withGroups((groups) => ({ ...groups, totals: allOf(42) })),
  "one figure that is no number": withPages((page) => ({
    ...page,
    aggregatedWorkloads: page.aggregatedWorkloads.map((row, place) =>
      place === 7 ? { ...row, savingsAvailable: Number.NaN } : row
    )
  })),
  "a total that is no number": withPages((page) => ({ ...page, totals: { ...page.totals, totalCost: Number.NaN } })),
  "all rows but the last": (report) => ({
    ...report,
    allWorkloads: (query) =>
      Effect.map(report.allWorkloads(query), (all) => ({ ...all, rows: Stream.dropRight(all.rows, 1) }))
  }),
  "the window of the call before": (report) => {
    let before: Page | undefined
    return {
      ...report,
      getWorkloads: (query) =>
        Effect.map(report.getWorkloads(query), (page) => {
          const given = before ?? page
          before = page
          return given
        })
    }
  },
  "no open hour": (report) => ({
    ...report,
    getWorkloads: ({ range, ...query }) =>
      report.getWorkloads({ ...query, range: { ...range, toMs: hourOf(range.nowMs) } })
  })
}

const HOUR_MS = 3_600_000
const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

layer(Filled.layer, { excludeTestServices: true })((it) => {
  it.effect("the service's reports agree with the peer", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* agrees((report) => report))
    })
  )

  for (const [name, mutated] of Object.entries(MUTANTS)) {
    it.effect(`a report with ${name} is found out`, () =>
      Effect.gen(function* () {
        assert.isFalse(yield* agrees(mutated))
      })
    )
  }

  it.effect("both ways in SQL come to what the pass over the samples comes to", () =>
    Effect.gen(function* () {
      const filled = yield* Filled
      for (const turn of [0, 1, 4]) {
        const window = ReportedHistory.windowOf(filled, filled.shortHours, turn)
        const scanned = ReportedHistory.scan(filled, window)
        assert.deepStrictEqual(ReportedHistory.sql(filled, window, "hourly"), scanned)
        assert.deepStrictEqual(ReportedHistory.sql(filled, window, "daily"), scanned)
      }
    })
  )
})
