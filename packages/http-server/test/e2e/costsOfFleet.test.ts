/**
 * Costs of living clusters against the arithmetic of what runs in them. What real time has no room for is proven with a
 * driven clock: `packages/cost/test/sampler/CostSampler.test.ts` (pods of 1, 7 and 59 minutes), `Gaps.test.ts` (hours of a
 * dead cluster), `packages/cost/test/usage/HistoricalGaps.test.ts` (gaps in Prometheus).
 */
import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import {
  CLUSTERS,
  everywhere,
  expected,
  MinutePod,
  type Name,
  NOW,
  onCostFleet,
  reportNow,
  runningIn
} from "./costFleet.ts"
import { aWeek } from "./costFleetHistory.ts"
import { type Call, Deployment, to } from "./Deployment.ts"

/** So long all clusters were seen before the arithmetic is compared: figures count by the second. */
const ENOUGH_SECONDS = 40

type Report = Effect.Success<ReturnType<Deployment["Service"]["costs"]>>
type Row = Report["aggregatedWorkloads"][number]

const seconds = (hours: number): number => hours * 3_600

/** **Shape** of nothing, nothing. */
const isWithin = (share: number, what: string, actual: number, wanted: number): void => {
  assert.isAtMost(Math.abs(actual - wanted), Math.abs(wanted) * share + 1e-9, `${what} is ${actual}, not ${wanted}`)
}

/** Compares a row, figure for figure, with the curves of what it is of. */
const compare = Effect.fnUntraced(function* (cluster: Name, { aggregatedWorkloads, window }: Report) {
  const rows = aggregatedWorkloads.filter((row) => row.cluster === cluster && row.workloadName !== "minute")
  const running = yield* runningIn(cluster)
  assert.deepStrictEqual(rows.map(({ id }) => id).toSorted(), running.map(({ id }) => id).toSorted())
  for (const one of running) {
    const row = rows.find(({ id }) => id === one.id)
    if (row === undefined) assert.fail(`no row ${one.id}`)
    const toMs = Date.parse(window.end)
    const seen = { fromMs: toMs - seconds(row.hoursExisted) * 1_000, toMs, knownSeconds: seconds(row.hoursCovered) }
    const figures = expected(one, seen)
    for (const figure of FIGURES) isWithin(0.01, `${one.id} ${figure}`, row[figure] ?? Number.NaN, figures[figure])
  }
})

const FIGURES = [
  "cpuCost",
  "memoryCost",
  "storageCost",
  "loadBalancerCost",
  "totalCost",
  "replicaHours",
  "cpuCoreHours",
  "memoryByteHours",
  "cpuEfficiency",
  "memoryEfficiency",
  "spotPercent"
] as const

const sumOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { totalCost }) => sum + totalCost, 0)

/** Waits until every cluster was seen for long enough, up to a sample ago. */
const ripe = eventually(
  "all clusters were sampled for a while",
  reportNow,
  ({ aggregatedWorkloads, coveredSeconds }) =>
    CLUSTERS.every((cluster) => coveredSeconds(cluster) >= ENOUGH_SECONDS)
    && aggregatedWorkloads
      .filter(({ workloadName }) => workloadName !== "minute")
      .every(({ hoursCovered, hoursExisted }) => seconds(hoursExisted - hoursCovered) <= 25),
  { within: "180 seconds" }
)

/** What each workload of the child has come to, all above nothing. */
const costsOfStage = ({ aggregatedWorkloads }: Report) =>
  aggregatedWorkloads
    .filter(({ cluster }) => cluster === "stage")
    .map(({ hoursCovered, hoursExisted, id, totalCost }) => {
      assert.isAbove(totalCost, 0)
      return { id, totalCost, hoursExisted, hoursCovered }
    })

const several = (...clusters: ReadonlyArray<string>) => ({ multiCluster: true, clusters })

const Ended = Schema.Struct({
  status: Schema.Struct({
    containerStatuses: Schema.Array(
      Schema.Struct({
        state: Schema.Struct({ terminated: Schema.Struct({ startedAt: Schema.String, finishedAt: Schema.String }) })
      })
    )
  })
})
const hasEnded = Schema.is(Ended)

onCostFleet("costs of living clusters", (it) => {
  it.effect.each<[string, unknown, Call, ReadonlyArray<Name>]>([
    ["one, by header", {}, { headers: to("prod") }, ["prod"]],
    ["one, by body", several("stage"), {}, ["stage"]],
    ["several, by header", {}, { headers: to("stage|prod") }, ["stage", "prod"]],
    ["several, by body", several("hub", "stage"), {}, ["hub", "stage"]],
    ["all, by header", {}, everywhere, CLUSTERS],
    ["all, by body", { multiCluster: true }, {}, CLUSTERS]
  ])(
    "are the arithmetic of the curves: %s",
    ([, body, options, clusters]) =>
      Effect.gen(function* () {
        yield* ripe
        const report = yield* (yield* Deployment).costs(NOW, body, options)
        assert.deepStrictEqual(
          report.clusters.map(({ name }): string => name),
          [...clusters]
        )
        yield* Effect.forEach(clusters, (cluster) => compare(cluster, report))
        isWithin(1e-9, "the total", report.totals.totalCost, sumOf(report.aggregatedWorkloads))
      }),
    240_000
  )

  it.effect("a key of one namespace sees those rows as they are, and no trace of others", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const scoped = { key: "shopViewer", ...everywhere } as const
      const asked = Effect.all({
        before: deployment.costs(NOW, {}, everywhere),
        own: deployment.costs(NOW, {}, scoped),
        after: deployment.costs(NOW, {}, everywhere)
      })
      const figures = ({ aggregatedWorkloads }: Report) => JSON.stringify(aggregatedWorkloads)
      const { after, own } = yield* eventually(
        "no sample was taken between two reports",
        asked,
        ({ after, before }) => after.aggregatedWorkloads.length > 0 && figures(before) === figures(after)
      )
      const inShop = after.aggregatedWorkloads.filter(({ namespace }) => namespace === "shop")
      assert.isNotEmpty(inShop)
      assert.deepStrictEqual(own.aggregatedWorkloads, inShop)
      isWithin(1e-9, "the total", own.totals.totalCost, sumOf(inShop))
      const replicaHours = inShop.reduce((sum, row) => sum + row.replicaHours, 0)
      const spotHours = inShop.reduce((sum, row) => sum + row.spotHours, 0)
      isWithin(1e-9, "the share of spot", own.totals.spotPercent, (100 * spotHours) / replicaHours)
      assert.deepStrictEqual(
        own.clusters.map(({ count }) => count),
        own.clusters.map(({ name }) => inShop.filter(({ cluster }) => cluster === name).length)
      )
      const { text } = yield* deployment.call(`/detailedCostReport/getWorkloads${NOW}`, { method: "POST", ...scoped })
      for (const hidden of ["payments", "platform", "burst", "tide", "log-agent"]) assert.notInclude(text, hidden)
    })
  )

  it.effect("a day without usage, and a day without a cluster, show as 6 of 7 days and not as a cheaper week", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, clusters } = yield* (yield* Deployment).costs(yield* aWeek, {}, everywhere)
      const past = CLUSTERS.map((name) => aggregatedWorkloads.find(({ cluster }) => cluster === name))
      const [whole] = past
      const days = (hours = 0) => hours / 24
      assert.deepStrictEqual(
        past.map((row) => [days(row?.hoursExisted), days(row?.hoursCovered)]),
        [
          [7, 7],
          [7, 6],
          [6, 6]
        ]
      )
      assert.deepStrictEqual(
        clusters.map(({ hoursCovered, hoursInWindow }) => [days(hoursCovered), days(hoursInWindow)]),
        [
          [7, 7],
          [7, 7],
          [6, 7]
        ]
      )
      for (const row of past) {
        assert.strictEqual(row?.cpuEfficiency, 0.5)
        isWithin(1e-9, "an hour", row?.hourlyCost ?? 0, 0.5 * 0.031611 + 0.004237)
      }
      assert.strictEqual(past[1]?.totalCost, whole?.totalCost)
    })
  )

  it.effect(
    "of a child that dies what is kept is told, marked stale, and the time since is not covered",
    () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        yield* ripe
        const stage = yield* deployment.fleet.cluster("stage")
        const week = yield* aWeek
        const before = yield* deployment.costs(week, {}, { headers: to("stage") })
        yield* Effect.gen(function* () {
          yield* stage.kill
          const statusOf = ({ clusters }: Report) => clusters.map(({ name, status }) => `${name} ${status}`)
          const died = yield* eventually("stage is stale", reportNow, (one) => statusOf(one).includes("stage stale"), {
            within: "60 seconds"
          })
          // The hub may have been seen for less than the child when that died: its first sample may have come later.
          const seen = Math.max(died.coveredSeconds("hub"), died.coveredSeconds("stage"))
          const later = yield* eventually(
            "time has passed for the others",
            reportNow,
            ({ coveredSeconds }) => coveredSeconds("hub") >= seen + 10,
            { within: "180 seconds" }
          )
          assert.deepStrictEqual(statusOf(later), ["hub ok", "prod ok", "stage stale"])
          assert.isNotEmpty(costsOfStage(later))
          assert.deepStrictEqual(costsOfStage(later), costsOfStage(died))
          assert.strictEqual(later.coveredSeconds("stage"), died.coveredSeconds("stage"))
          assert.isAtLeast(later.coveredSeconds("hub") - later.coveredSeconds("stage"), 10)

          const kept = yield* deployment.costs(week, {}, { headers: to("stage") })
          assert.deepStrictEqual(kept.aggregatedWorkloads, before.aggregatedWorkloads)
          assert.deepStrictEqual(statusOf(kept), ["stage stale"])
          assert.strictEqual(kept.clusters[0]?.hoursCovered, before.clusters[0]?.hoursCovered)
        }).pipe(Effect.ensuring(Effect.ignore(stage.restart)))
      }),
    300_000
  )

  it.effect(
    "a pod that ran for a minute of real time is charged a minute",
    () =>
      Effect.gen(function* () {
        const { id, name } = yield* MinutePod
        const prod = yield* (yield* Deployment).fleet.cluster("prod")
        const pod = yield* eventually(
          "the pod has ended",
          prod.api.get({ apiVersion: "v1", kind: "Pod", namespace: "payments", name }),
          hasEnded,
          { within: "120 seconds" }
        )
        const { coveredSeconds } = yield* reportNow
        const report = yield* eventually(
          "prod was sampled since",
          reportNow,
          (one) => one.coveredSeconds("prod") >= coveredSeconds("prod") + 5,
          { within: "180 seconds" }
        )
        const { status } = yield* Schema.decodeUnknownEffect(Ended)(pod)
        const { finishedAt = "", startedAt = "" } = status.containerStatuses[0]?.state.terminated ?? {}
        const ranSeconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000
        const row = report.aggregatedWorkloads.find((one) => one.id === id)
        assert.approximately(seconds(row?.replicaHours ?? 0), ranSeconds, 2)
        assert.approximately(seconds(row?.hoursExisted ?? 0), 60, 2)
        isWithin(0.035, "its CPU", row?.cpuCoreHours ?? 0, (0.1 * 60) / 3_600)
        assert.strictEqual(row?.spotPercent, 100)
      }),
    300_000
  )
})
