/** Properties of reports over any hours. */
import { assert, describe, layer } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { anyOf, everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Arbitrary, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { type Measure, measures } from "../../src/hour/Measure.ts"
import { IDLE, MANAGEMENT, type Series, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { hour } from "../store/samples.ts"
import { asking, getAggregated, getWorkloads, grouping, monday, recommending, reporting } from "./reporting.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const workloads: ReadonlyArray<Series> = ["shop", "data", "edge"].flatMap((namespace) =>
  ["Deployment", "DaemonSet"].flatMap((kind) =>
    [undefined, "red", "blue"].map((team) => ({
      namespace,
      kind,
      name: team === "blue" ? "db" : "api",
      uid: `${namespace}-${kind}-${team}`,
      labels: team === undefined ? {} : { team }
    }))
  )
)
const beside: ReadonlyArray<Series> = [
  { namespace: "", kind: IDLE, name: "node-1", uid: "", labels: {} },
  { namespace: "", kind: IDLE, name: "node-2", uid: "", labels: {} },
  { namespace: "data", kind: UNMOUNTED, name: "claim", uid: "", labels: {} },
  { namespace: "", kind: MANAGEMENT, name: "control-plane", uid: "", labels: {} }
]

const AnyHour = Schema.Struct({
  cluster: between(0, 1),
  index: between(0, 5),
  workloads: Schema.Array(
    Schema.Struct({ one: between(0, workloads.length - 1), amounts: Schema.Array(between(0, 50_000_000_000)) })
  ).check(Schema.isMaxLength(12)),
  // More may be allocated than there is: idle is negative then.
  beside: Schema.Array(between(-2_000_000_000, 50_000_000_000)).check(Schema.isMaxLength(beside.length))
})

const HOURS = 6
const endMs = monday + HOURS * HOUR_MS

const toHour = ({ beside: costs, cluster, index, workloads: drawn }: typeof AnyHour.Type): Hour => {
  const found = new Map<Series, Partial<Record<Measure, number>>>()
  for (const { amounts, one } of drawn) {
    const series = workloads[one]
    assert(series !== undefined)
    const values = measures.map((measure, place): [Measure, number] => [measure, amounts[place] ?? place])
    found.set(series, { ...Object.fromEntries(values), existedSeconds: 3_600, coveredSeconds: 1_800 })
  }
  for (const [place, cpuCostNanos] of costs.entries()) {
    const series = beside[place]
    assert(series !== undefined)
    found.set(series, { cpuCostNanos, memoryCostNanos: 3 * cpuCostNanos, existedSeconds: 3_600 })
  }
  return hour(monday + index * HOUR_MS, [...found], { cluster: ClusterName.make(`drawn-${cluster}`) })
}

const anyHistory = Arbitrary.map(Arbitrary.schema(Schema.Array(AnyHour).check(Schema.isMaxLength(8))), (drawn) =>
  [...new Map(drawn.map((one) => [`${one.cluster} ${one.index}`, one])).values()].map(toHour)
)

const nanos = (cost: number) => Math.round(cost * 1e9)
const dimensions = [
  [],
  ["cluster"],
  ["namespace"],
  ["kind"],
  ["workload"],
  ["label:team"],
  ["cluster", "namespace"],
  ["cluster", "namespace", "kind", "workload", "label:team"]
]

describe("a report of any hours", () => {
  layer(reporting())((it) => {
    let drawn = 0
    /** One store serves all draws: each has clusters of its own. */
    const kept = Effect.fnUntraced(function* (history: ReadonlyArray<Hour>) {
      const store = yield* CostStore
      yield* TestClock.setTime(endMs)
      const prefix = `c${drawn++}`
      const nameOf = (cluster: string) => ClusterName.make(`${prefix}-${cluster}`)
      yield* store.rewrite(history.map((one) => ({ ...one, cluster: nameOf(one.cluster) })))
      const clusters = ["drawn-0", "drawn-1"].map(nameOf)
      for (const cluster of clusters) {
        yield* recommending(cluster, {
          "shop/Deployment/api": { cpuRecommendedMillis: 1, memoryRecommendedBytes: 4_096, recommendationDays: 3 }
        })
      }
      return { target: { mode: "Named", clusters } as const, range: { from: String(monday), to: String(endMs) } }
    })
    const options = { arbitrary: { runs: 40 } }

    it.effect.prop(
      "sums to the same total however it is grouped, and to what hours cost",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const asked = yield* kept(history)
          const costs = (kinds: (kind: string) => boolean) =>
            history.reduce(
              (sum, { columns, series }) =>
                sum
                + series.reduce(
                  (sum, { kind }, place) =>
                    kinds(kind)
                      ? measures.slice(0, 6).reduce((sum, measure) => sum + (columns[measure][place] ?? 0), sum)
                      : sum,
                  0
                ),
              0
            )
          const bill = costs(() => true)
          const own = costs((kind) => !kind.startsWith("__"))
          const { totals } = yield* getWorkloads(asking(asked))
          assert.strictEqual(nanos(totals.totalCost), own)
          for (const idle of ["hide", "show", "share"] as const) {
            for (const groupBy of dimensions) {
              const reply = yield* getAggregated(grouping(groupBy, { ...asked, idle }))
              assert("rows" in reply)
              const sum = reply.rows.reduce((sum, row) => sum + nanos(row.totalCost), 0)
              assert.deepStrictEqual([sum, nanos(reply.totals.totalCost)], idle === "hide" ? [own, own] : [bill, bill])
              const savings = reply.rows.reduce((sum, row) => sum + nanos(row.savingsAvailable), 0)
              assert.strictEqual(savings, nanos(totals.savingsAvailable))
            }
          }
        }),
      options
    )

    it.effect.prop(
      "adds windows up: [a,b) and [b,c) cost and hold what [a,c) does, and steps too",
      [anyHistory, between(1, HOURS - 1)],
      ([history, hours]) =>
        Effect.gen(function* () {
          const { range, target } = yield* kept(history)
          const middle = String(monday + hours * HOUR_MS)
          const [whole, first, second] = yield* Effect.forEach(
            [range, { from: range.from, to: middle }, { from: middle, to: range.to }],
            (range) => getWorkloads(asking({ target, range }))
          )
          assert(whole !== undefined && first !== undefined && second !== undefined)
          for (const row of whole.aggregatedWorkloads) {
            const parts = [first, second].flatMap(({ aggregatedWorkloads }) =>
              aggregatedWorkloads.filter(({ id }) => id === row.id)
            )
            for (const field of ["totalCost", "cpuCost", "networkCost"] as const) {
              assert.strictEqual(
                parts.reduce((sum, part) => sum + nanos(part[field]), 0),
                nanos(row[field])
              )
            }
            for (const field of ["replicaHours", "cpuCoreHours", "memoryByteHours", "hoursExisted"] as const) {
              const sum = parts.reduce((sum, part) => sum + part[field], 0)
              assert.closeTo(sum, row[field], 1e-12 * Math.max(1, row[field]))
            }
          }
          for (const idle of ["hide", "share"] as const) {
            const steps = yield* getAggregated(grouping(["namespace"], { target, range, idle, stepSize: "hour" }))
            assert("buckets" in steps)
            const sum = steps.buckets.flatMap(({ rows }) => rows).reduce((sum, row) => sum + nanos(row.totalCost), 0)
            assert.strictEqual(sum, nanos(steps.totals.totalCost))
          }
        }),
      options
    )

    it.effect.prop(
      "changes no figure of what remains, whatever is filtered out or out of scope",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const asked = yield* kept(history)
          const whole = yield* getWorkloads(asking(asked))
          const visible = whole.aggregatedWorkloads.filter(({ namespace }) => namespace === "shop")
          const scoped = yield* getWorkloads(asking({ ...asked, namespaces: anyOf([{ namespaceNames: ["shop"] }]) }))
          const filtered = yield* getWorkloads(asking({ ...asked, filter: { namespaces: ["shop"] } }))
          const kinds = yield* getWorkloads(asking({ ...asked, filter: { workloadTypes: ["DaemonSet"] } }))
          assert.deepStrictEqual(scoped.aggregatedWorkloads, visible)
          assert.deepStrictEqual(filtered.aggregatedWorkloads, visible)
          assert.deepStrictEqual(
            kinds.aggregatedWorkloads,
            whole.aggregatedWorkloads.filter(({ workloadType }) => workloadType === "DaemonSet")
          )
          assert.deepStrictEqual(scoped.totals, filtered.totals)
          assert.strictEqual(
            nanos(scoped.totals.totalCost),
            visible.reduce((sum, { totalCost }) => sum + nanos(totalCost), 0)
          )
          assert.deepStrictEqual(
            scoped.clusters.map(({ count, name }) => [name, count]),
            asked.target.clusters.map((name) => [name, visible.filter(({ cluster }) => cluster === name).length])
          )
          const shared = (namespaces: ReadonlyArray<string> | undefined) =>
            getAggregated(
              grouping(["cluster", "namespace"], {
                ...asked,
                idle: "share" as const,
                namespaces: everyNamespace,
                filter: namespaces === undefined ? {} : { namespaces }
              })
            )
          const [all, some] = [yield* shared(undefined), yield* shared(["shop"])]
          assert("rows" in all && "rows" in some)
          assert.deepStrictEqual(
            some.rows,
            all.rows.filter(({ group }) => group["namespace"] === "shop")
          )
        }),
      options
    )

    it.effect.prop(
      "is the same whatever the order of hours, series and labels",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const turned = history.toReversed().map((one) => ({
            ...one,
            series: one.series.toReversed(),
            columns: {
              ...one.columns,
              ...Object.fromEntries(measures.map((measure) => [measure, one.columns[measure].toReversed()]))
            }
          }))
          const replies: Array<unknown> = []
          for (const hours of [history, turned]) {
            const asked = yield* kept(hours)
            const [prefix = ""] = asked.target.clusters[0]?.split("-") ?? []
            const workloads = yield* getWorkloads(asking(asked))
            const groups = yield* getAggregated(grouping(["namespace", "label:team"], { ...asked, idle: "share" }))
            replies.push(JSON.parse(JSON.stringify([workloads, groups]).replaceAll(`${prefix}-`, "")))
          }
          assert.deepStrictEqual(replies[0], replies[1])
        }),
      options
    )
  })
})
