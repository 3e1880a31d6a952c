import { Measure, Series } from "@quarterdeck/cost"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { DAY_MS, HOUR_MS, hourOf } from "@quarterdeck/cost/Units"
import { Seed, Usage } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, FileSystem } from "effect"
import * as PastCosts from "../src/PastCosts.ts"
import * as PastHours from "../src/PastHours.ts"
import * as Pasts from "../src/Pasts.ts"
import * as StoryClusters from "../src/StoryClusters.ts"
import { tales } from "../src/Story.ts"

const CLUSTERS = ["hub", "prod", "stage"]
const plans = Effect.forEach(CLUSTERS, (cluster, index) => Seed.plan({ seed: 1, size: "small", cluster, index }))

/** The history of the demo's clusters. */
const remembered = Effect.gen(function* () {
  const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "quarterdeck-demo-" })
  const nowMs = hourOf(yield* Clock.currentTimeMillis)
  const pasts = (yield* plans).map((plan) => Pasts.from(plan, nowMs))
  return yield* Effect.gen(function* () {
    yield* PastCosts.write(pasts, nowMs)
    const store = yield* CostStore
    const names = CLUSTERS.map((name) => ClusterName.make(name))
    const sums = (days: number) => store.sums(names, { startMs: nowMs - days * DAY_MS, endMs: nowMs })
    const recommended = yield* RecommendationStore.use((kept) => kept.recommendations(names))
    return { nowMs, pasts, week: yield* sums(7), month: yield* sums(30), recommended }
  }).pipe(Effect.provide(PastCosts.layer(directory)))
}).pipe(Effect.provide(NodeServices.layer))

type Remembered = Effect.Success<typeof remembered>

const amountIn = (sums: Remembered["week"], cluster: string, name: string, measure: Measure.Measure): number => {
  const own = sums.find((one) => one.cluster === cluster)
  const place = own?.series.findIndex((series) => series.name === name) ?? -1
  assert.isAtLeast(place, 0, `${cluster} has no ${name}`)
  return own?.columns[measure][place] ?? 0
}

const isNear = (actual: number, expected: number): void => {
  assert.isBelow(Math.abs(actual - expected), Math.abs(expected) / 100, `${actual} is not within 1 % of ${expected}`)
}

const WEEK_HOURS = 7 * 24

describe("the history of the demo", () => {
  it.live("charges the story's workloads what their requests, curves and machines come to", () =>
    Effect.gen(function* () {
      const { nowMs, recommended, week } = yield* remembered
      const cpu = (name: string, cluster = "prod") => amountIn(week, cluster, name, "cpuCostNanos") / 1e9
      const memory = (name: string) => amountIn(week, "prod", name, "memoryCostNanos") / 1e9

      // Wasteful: two replicas of 2 cores and 8 GiB at Google's prices, of which 80 millicores are used.
      isNear(cpu("reporting"), 2 * 2 * 0.031611 * WEEK_HOURS)
      isNear(memory("reporting"), 2 * 8 * 0.004237 * WEEK_HOURS)
      isNear(amountIn(week, "prod", "reporting", "cpuUsedMilliSeconds"), 2 * 80 * WEEK_HOURS * 3_600)
      const prod = recommended.find(({ cluster }) => cluster === "prod")
      const advice = prod?.byKey.get("payments/Deployment/reporting")
      assert.strictEqual(advice?.recommendationDays, 8)
      assert.isBelow(advice?.cpuRecommendedMillis ?? Infinity, 130)

      // Cheap: all of its six replicas at spot prices.
      isNear(cpu("thumbnails"), 6 * 0.006655 * WEEK_HOURS)
      assert.strictEqual(
        amountIn(week, "prod", "thumbnails", "spotSeconds"),
        amountIn(week, "prod", "thumbnails", "replicaSeconds")
      )

      // New: three days; over: the first three of seven, of which it used more than requested in the evenings.
      assert.strictEqual(amountIn(week, "hub", "assistant", "existedSeconds"), 3 * 86_400)
      assert.strictEqual(amountIn(week, "prod", "flash-sale", "existedSeconds"), 3 * 86_400)
      const wave = Usage.parse("wave 150m 650m every 24h at 20h") ?? Usage.flat(0)
      const minutes = Array.from({ length: 3 * 24 * 60 }, (_, at) => nowMs - 7 * DAY_MS + at * 60_000)
      const cores = minutes.reduce((sum, ms) => sum + Math.max(0.5, Usage.average(wave, ms, ms + 60_000)), 0) / 60
      isNear(cpu("flash-sale"), 6 * cores * 0.031611)
    })
  )

  it.live("charges what the seed planned by the same curves, and leaves what nobody saw out", () =>
    Effect.gen(function* () {
      const { month, week } = yield* remembered
      const ledger = Usage.assign(
        1,
        { namespace: "payments", kind: "Deployment", name: "ledger", container: "ledger" },
        { cpuRequestCores: 0.4, cpuLimitCores: 0.8, memoryRequestBytes: 2 ** 30, memoryLimitBytes: 2 ** 31 }
      )
      const used = 2 * Usage.average(ledger.cpuCores, 0, HOUR_MS) * 1_000 * 30 * 86_400
      isNear(amountIn(month, "prod", "ledger", "cpuUsedMilliSeconds"), used)
      isNear(amountIn(month, "prod", "catalog-db", "storageKibSeconds"), 3 * 20 * 1_048_576 * 30 * 86_400)
      assert.strictEqual(amountIn(month, "prod", "nightly-report", "existedSeconds"), 30 * 7 * 60)
      assert.deepStrictEqual(
        week.map(({ knownSeconds }) => knownSeconds / 3_600),
        [WEEK_HOURS, WEEK_HOURS, WEEK_HOURS - 5]
      )
    })
  )

  it.live("has the names and labels of what runs in the clusters, and of what has ended", () =>
    Effect.gen(function* () {
      const { month } = yield* remembered
      const fleet = yield* StoryClusters.start(yield* plans)
      for (const [index, cluster] of fleet.clusters.entries()) {
        const living = new Map<string, unknown>()
        for (const [apiVersion, kind] of KINDS) {
          const { items } = yield* cluster.api.list({ apiVersion, kind })
          for (const { metadata } of items) {
            living.set(`${metadata.namespace}/${kind}/${metadata.name}`, metadata.labels)
          }
        }
        const ended = tales.filter((tale) => tale.cluster === cluster.name && tale.endedDaysAgo !== undefined)
        const workloads = (month[index]?.series ?? []).filter(Series.isWorkload)
        const gone: Array<string> = []
        for (const { kind, labels, name, namespace } of workloads) {
          const key = `${namespace}/${kind}/${name}`
          if (living.has(key)) assert.deepStrictEqual(living.get(key), labels)
          else gone.push(key)
        }
        assert.deepStrictEqual(
          gone,
          ended.map(({ name, namespace }) => `${namespace}/Deployment/${name}`)
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("tells teams apart: every workload of a team's namespace carries its label", () =>
    Effect.gen(function* () {
      const { month } = yield* remembered
      for (const { series } of month) {
        const teams = Map.groupBy(series.filter(Series.isWorkload), ({ labels }) => labels["team"])
        for (const team of ["storefront", "payments", "platform"]) assert.isAbove(teams.get(team)?.length ?? 0, 0, team)
        assert.deepStrictEqual(
          (teams.get(undefined) ?? []).filter(({ namespace }) => namespace !== "kube-system"),
          []
        )
      }
    })
  )

  it.effect("hours of one shape have the same facts, an hour or more apart", () =>
    Effect.gen(function* () {
      const nowMs = Date.UTC(2026, 2, 8, 10)
      for (const plan of yield* plans) {
        const past = Pasts.from(plan, nowMs)
        const factsOf = PastHours.make(past)
        const starts = Array.from({ length: 720 }, (_, index) => nowMs - (720 - index) * HOUR_MS)
        for (const [, [first = 0, ...others]] of Map.groupBy(starts, (ms) => PastHours.shapeOf(past, ms))) {
          const text = (ms: number) => JSON.stringify(factsOf(ms).pods.map((pod) => relative(pod.containers, ms)))
          const last = others.at(-1)
          if (last !== undefined) assert.strictEqual(text(last), text(first))
        }
      }
    })
  )
})

const KINDS = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["batch/v1", "CronJob"],
  ["batch/v1", "Job"],
  ["v1", "Pod"]
] as const

type Containers = ReturnType<ReturnType<typeof PastHours.make>>["pods"][number]["containers"]

/** What containers did, counted from the start of the hour, to a millionth. */
const relative = (containers: Containers, startMs: number) =>
  containers.map(({ runs, usage }) => ({
    runs: runs.map(({ fromMs, toMs }) => [fromMs - startMs, toMs - startMs]),
    from: Array.from(usage?.fromMs ?? [], (ms) => ms - startMs),
    levels: Array.from(usage?.cpuMillis ?? []).map((cpuMillis) => Math.round(cpuMillis * 1e6)),
    bytes: Array.from(usage?.memoryBytes ?? []).map(Math.round)
  }))
