/** Properties of reports that are compared with the window before. */
import { assert, describe, layer } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { Arbitrary, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Hour } from "../../src/hour/Hour.ts"
import { IDLE, type Series } from "../../src/hour/Series.ts"
import { HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import * as CostCsv from "../../src/report/CostCsv.ts"
import { type CostRow, CostTotals } from "../../src/report/CostRow.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { hour, series } from "../store/samples.ts"
import {
  allWorkloads,
  asking,
  getAggregated,
  getWorkloads,
  grouping,
  monday,
  recommending,
  reporting
} from "./reporting.ts"
import { collect, read } from "./written.ts"

const HOURS = 12
const HALF = monday + (HOURS / 2) * HOUR_MS
const END = monday + HOURS * HOUR_MS
const [before, now] = [
  { from: String(monday), to: String(HALF) },
  { from: String(HALF), to: String(END) }
]

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const drawnSeries: ReadonlyArray<Series> = [
  ...["shop", "data"].flatMap((namespace) =>
    ["red", "blue"].map((team) => series(`w-${team}`, { namespace, uid: `${namespace}-${team}`, labels: { team } }))
  ),
  { namespace: "", kind: IDLE, name: "node-1", uid: "", labels: {} }
]

const AnyHour = Schema.Struct({
  cluster: between(0, 1),
  index: between(0, HOURS - 1),
  // Whole hours for the most part, so that draws are comparable often enough.
  unseen: Schema.Literals([0, 0, 0, 60, 1_800]),
  costs: Schema.Array(
    Schema.Struct({ one: between(0, drawnSeries.length - 1), nanos: between(1, 50_000_000_000) })
  ).check(Schema.isMaxLength(6))
})

const anyHistory = Arbitrary.map(
  Arbitrary.schema(
    Schema.Struct({ isWhole: Schema.Boolean, hours: Schema.Array(AnyHour).check(Schema.isMaxLength(20)) })
  ),
  ({ hours, isWhole }): ReadonlyArray<Hour> => {
    const found = new Map<string, Hour>()
    const toHour = ({ cluster, costs, index, unseen }: typeof AnyHour.Type) => {
      const amounts = new Map(
        costs.map(({ nanos, one }) => [
          drawnSeries[one] ?? series("none"),
          {
            cpuCostNanos: nanos,
            memoryCostNanos: 3 * nanos,
            cpuAllocatedMilliSeconds: 1_000,
            cpuRequestedMilliSeconds: 1_000,
            replicaSeconds: HOUR_SECONDS,
            existedSeconds: HOUR_SECONDS,
            coveredSeconds: HOUR_SECONDS - unseen
          }
        ])
      )
      return hour(monday + index * HOUR_MS, [...amounts], {
        cluster: ClusterName.make(`drawn-${cluster}`),
        knownSeconds: HOUR_SECONDS - unseen
      })
    }
    const put = (one: Hour) => found.set(`${one.cluster} ${one.startMs}`, one)
    for (const cluster of isWhole ? [0, 1] : []) {
      for (let index = 0; index < HOURS; index++) put(toHour({ cluster, index, unseen: 0, costs: [] }))
    }
    for (const one of hours) put(toHour(one))
    return [...found.values()]
  }
)

type Sums = Readonly<Record<string, unknown>>
const fields = Object.keys(CostTotals.fields)
/** Keeps the figures that both reports have, of a row or of totals. */
const sumsOf = (row: object): Sums => Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)))
const isNone = (sums: Sums) => Object.values(sums).every((value) => value === 0 || value === null)
const nanos = (value: number) => Math.round(value * 1e9)

interface Named {
  readonly group: Readonly<Record<string, string>>
  readonly idle?: true
}
const nameOf = ({ group, idle }: Named): string => JSON.stringify([group, idle ?? false])

/** The rule as the documents state it: the observed hours differ by at most 5 % of the longer time. */
const alike = (a: number, b: number): boolean => Math.abs(a - b) <= 0.05 * Math.max(a, b) + 1e-12

describe("a compared report of any hours", () => {
  layer(reporting())((it) => {
    let drawn = 0
    const kept = Effect.fnUntraced(function* (history: ReadonlyArray<Hour>) {
      const store = yield* CostStore
      yield* TestClock.setTime(END)
      const prefix = `k${drawn++}`
      const nameOfCluster = (cluster: string) => ClusterName.make(`${prefix}-${cluster}`)
      yield* store.rewrite(history.map((one) => ({ ...one, cluster: nameOfCluster(one.cluster) })))
      const clusters = ["drawn-0", "drawn-1"].map(nameOfCluster)
      for (const cluster of clusters) {
        yield* recommending(cluster, {
          "shop/Deployment/w-red": { cpuRecommendedMillis: 1, memoryRecommendedBytes: 4_096, recommendationDays: 3 }
        })
      }
      return { mode: "Named", clusters } as const
    })
    const options = { arbitrary: { runs: 25 } }

    it.effect.prop(
      "has by group what a query of each window has, null where the observed time differs, and adds up",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const target = yield* kept(history)
          for (const groupBy of [[], ["cluster"], ["namespace"], ["cluster", "label:team"]]) {
            for (const idle of ["hide", "show", "share"] as const) {
              const reply = yield* getAggregated(grouping(groupBy, { target, idle, range: now, compare: true }))
              const [plain, past] = yield* Effect.forEach([now, before], (range) =>
                getAggregated(grouping(groupBy, { target, idle, range }))
              )
              // Which clusters a group has costs in, in either window.
              const keyed = yield* Effect.forEach([now, before], (range) =>
                getAggregated(grouping([...new Set(["cluster", ...groupBy])], { target, idle, range }))
              )
              assert(plain !== undefined && past !== undefined)
              assert("rows" in reply && "rows" in plain && "rows" in past)
              const covered = new Map(
                reply.clusters.map(({ hoursCovered, name }, index) => [
                  String(name),
                  alike(hoursCovered, past.clusters[index]?.hoursCovered ?? 0)
                ])
              )
              const unlike = new Set(
                keyed.flatMap((one) => {
                  assert("rows" in one)
                  return one.rows.flatMap((row) => {
                    if (covered.get(row.group["cluster"] ?? "") === true) return []
                    const group = Object.fromEntries(
                      groupBy.flatMap((key) => (row.group[key] === undefined ? [] : [[key, row.group[key]]]))
                    )
                    return [nameOf({ ...row, group })]
                  })
                })
              )
              const plainOf = new Map(plain.rows.map((row) => [nameOf(row), sumsOf(row)]))
              const pastOf = new Map(past.rows.map((row) => [nameOf(row), sumsOf(row)]))
              for (const row of reply.rows) {
                const name = nameOf(row)
                const own = plainOf.get(name)
                if (own === undefined) assert.isTrue(isNone(sumsOf(row)), name)
                else assert.deepStrictEqual(sumsOf(row), own)
                assert(row.previous !== undefined)
                if (unlike.has(name)) assert.isNull(row.previous)
                else {
                  assert(row.previous !== null)
                  const expected = pastOf.get(name)
                  if (expected === undefined) assert.isTrue(isNone(sumsOf(row.previous)))
                  else assert.deepStrictEqual(sumsOf(row.previous), expected)
                }
              }
              const names = new Set(reply.rows.map(nameOf))
              assert.strictEqual(names.size, reply.rows.length)
              assert.deepStrictEqual(
                names,
                new Set([...plainOf.keys(), ...[...pastOf.keys()].filter((name) => !unlike.has(name))])
              )
              assert.deepStrictEqual(reply.totals, plain.totals)
              assert(reply.previous !== undefined)
              assert.deepStrictEqual(reply.previous.window, past.window)
              const isSeen = past.clusters.some(({ hoursCovered }) => hoursCovered > 0)
              if (isSeen && [...covered.values()].every(Boolean)) {
                assert.deepStrictEqual(reply.previous.totals, past.totals)
                const sum = reply.rows.reduce((sum, { previous }) => sum + nanos(previous?.totalCost ?? 0), 0)
                assert.strictEqual(sum, nanos(past.totals.totalCost))
              } else assert.isNull(reply.previous.totals)
            }
          }
        }),
      options
    )

    it.effect.prop(
      "has by workload what a query of each window has, in pages and as a file, within the key's scope",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const target = yield* kept(history)
          for (const scope of [{}, { namespaces: anyOf([{ namespaceNames: ["shop"] }]) }]) {
            const asked = { target, range: now, ...scope }
            const [plain, past] = yield* Effect.forEach([now, before], (range) =>
              getWorkloads(asking({ ...asked, range }))
            )
            const rows: Array<CostRow> = []
            let cursor: string | undefined
            let head: Effect.Success<ReturnType<typeof getWorkloads>> | undefined
            do {
              const page = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
              head = yield* getWorkloads(asking({ ...asked, page, compare: true }))
              rows.push(...head.aggregatedWorkloads)
              cursor = head.nextCursor
            } while (cursor !== undefined)
            assert(plain !== undefined && past !== undefined && head.previous !== undefined)
            const covered = new Map(
              head.clusters.map(({ hoursCovered, name }, index) => [
                name,
                alike(hoursCovered, past.clusters[index]?.hoursCovered ?? 0)
              ])
            )
            const plainOf = new Map(plain.aggregatedWorkloads.map((row) => [row.id, row]))
            const pastOf = new Map(past.aggregatedWorkloads.map((row) => [row.id, row]))
            for (const { previous, ...row } of rows) {
              const own = plainOf.get(row.id)
              if (own === undefined) assert.isTrue(isNone(sumsOf(row)))
              else assert.deepStrictEqual(row, own)
              if (covered.get(row.cluster) === true) {
                assert(previous !== undefined && previous !== null)
                const expected = pastOf.get(row.id)
                if (expected === undefined) assert.isTrue(isNone(sumsOf(previous)))
                else assert.deepStrictEqual(sumsOf(previous), sumsOf(expected))
              } else assert.isNull(previous)
            }
            const ids = rows.map(({ id }) => id)
            assert.deepStrictEqual(
              new Set(ids),
              new Set([
                ...plainOf.keys(),
                ...[...pastOf.values()].filter(({ cluster }) => covered.get(cluster) === true).map(({ id }) => id)
              ])
            )
            assert.strictEqual(new Set(ids).size, ids.length)
            assert.deepStrictEqual(head.totals, plain.totals)
            if (head.previous.totals !== null) assert.deepStrictEqual(head.previous.totals, past.totals)
            const whole = yield* getWorkloads(asking({ ...asked, compare: true }))
            assert.deepStrictEqual(whole.aggregatedWorkloads, rows)
            const { clusters, currency, rows: streamed } = yield* allWorkloads(asking({ ...asked, compare: true }))
            const file = read(
              yield* collect(CostCsv.workloads({ clusters, currency, rows: streamed, isCompared: true }))
            )
            assert.deepStrictEqual(
              file.map(({ id, previousTotalCost = "" }) => [
                id,
                previousTotalCost === "" ? null : Number(previousTotalCost)
              ]),
              rows.map(({ id, previous }) => [id, previous?.totalCost ?? null])
            )
          }
        }),
      options
    )
  })
})
