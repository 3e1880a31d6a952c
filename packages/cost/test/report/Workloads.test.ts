import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { assert, describe, it } from "@effect/vitest"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import { IDLE, MANAGEMENT, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import { cost, days, hour, hoursFrom, prod, series, stage } from "../store/samples.ts"
import { asking, closing, dead, getWorkloads, monday, recommending, reporting, viewOf } from "./reporting.ts"

const both = { mode: "Named", clusters: [prod, stage] } as const
const KIB_PER_GIB = 1_048_576

describe("a report of workloads", () => {
  it.effect("says of a row what it cost, what it had, and how well that was used", () =>
    Effect.gen(function* () {
      // Two replicas for an hour, one of them on a spot machine; each with a core and a GiB, half and a quarter used.
      const replica = 2 * HOUR_SECONDS
      yield* closing([
        hour(monday, [
          [
            series("api"),
            {
              cpuCostNanos: 60_000_000,
              memoryCostNanos: 8_000_000,
              gpuCostNanos: 1_000_000,
              storageCostNanos: 500_000,
              networkCostNanos: 250_000,
              loadBalancerCostNanos: 25_000_000,
              replicaSeconds: replica,
              spotSeconds: HOUR_SECONDS,
              cpuAllocatedMilliSeconds: 1_000 * replica,
              cpuRequestedMilliSeconds: 1_000 * replica,
              memoryAllocatedKibSeconds: KIB_PER_GIB * replica,
              memoryRequestedKibSeconds: KIB_PER_GIB * replica,
              cpuRequestedKnownMilliSeconds: 1_000 * replica,
              cpuUsedMilliSeconds: 500 * replica,
              memoryRequestedKnownKibSeconds: KIB_PER_GIB * replica,
              memoryUsedKibSeconds: (KIB_PER_GIB / 4) * replica,
              existedSeconds: HOUR_SECONDS,
              coveredSeconds: HOUR_SECONDS
            }
          ]
        ])
      ])
      yield* recommending(prod, {
        "shop/Deployment/api": {
          cpuRecommendedMillis: 250,
          memoryRecommendedBytes: 268_435_456,
          recommendationDays: 8
        }
      })
      const reply = yield* getWorkloads(asking())
      const sums = {
        totalCost: 0.09475,
        cpuCost: 0.06,
        memoryCost: 0.008,
        gpuCost: 0.001,
        storageCost: 0.0005,
        networkCost: 0.00025,
        loadBalancerCost: 0.025,
        replicaHours: 2,
        spotHours: 1,
        onDemandHours: 1,
        spotPercent: 50,
        onDemandPercent: 50,
        cpuCoreHours: 2,
        memoryByteHours: 2_147_483_648,
        cpuEfficiency: 0.5,
        memoryEfficiency: 0.25,
        cpuRequestedCoreHours: 2,
        cpuUsedCoreHours: 1,
        memoryRequestedByteHours: 2_147_483_648,
        memoryUsedByteHours: 536_870_912,
        efficiency: (0.5 * 0.06 + 0.25 * 0.008) / 0.068,
        savingsAvailable: 0.051,
        costIncrease: 0,
        hoursExisted: 1,
        hoursCovered: 1
      }
      assert.deepStrictEqual(reply.aggregatedWorkloads, [
        {
          id: "prod/shop/Deployment/api",
          cluster: prod,
          namespace: "shop",
          workloadName: "api",
          workloadType: "Deployment",
          hourlyCost: 0.09475,
          ...sums,
          cpuRecommendedMillis: 250,
          memoryRecommendedBytes: 268_435_456,
          recommendationDays: 8
        }
      ])
      assert.deepStrictEqual(reply.totals, sums)
      assert.deepStrictEqual([reply.currency, reply.partial], ["USD", false])
      assert.deepStrictEqual(reply.window, { start: "2026-02-23T01:00:00.000Z", end: "2026-03-02T01:00:00.000Z" })
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("counts what has no request as used in full, and nothing that is not used", () =>
    Effect.gen(function* () {
      const used = { cpuUsedMilliSeconds: 5, existedSeconds: 3_600, coveredSeconds: 3_600 }
      yield* closing([
        hour(monday, [
          [series("free"), { ...used }],
          [series("busy"), { ...used, cpuCostNanos: 3 }],
          [series("quiet"), { ...used, cpuUsedMilliSeconds: 0, cpuCostNanos: 2 }],
          [
            series("half-known"),
            { ...used, cpuCostNanos: 1, cpuRequestedMilliSeconds: 20, cpuRequestedKnownMilliSeconds: 10 }
          ],
          [series("unknown"), { cpuRequestedMilliSeconds: 20, existedSeconds: 3_600 }]
        ])
      ])
      const { aggregatedWorkloads } = yield* getWorkloads(asking())
      assert.deepStrictEqual(
        Object.fromEntries(aggregatedWorkloads.map(({ cpuEfficiency, workloadName }) => [workloadName, cpuEfficiency])),
        { busy: 1, quiet: 0, "half-known": 0.5, free: 0, unknown: null }
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("has one row for a name, whatever was recreated or relabelled under it, and none for idle nodes", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [
          [series("api"), { cpuCostNanos: 1 }],
          [series("api", { uid: "again" }), { cpuCostNanos: 2 }],
          [series("api", { labels: {} }), { cpuCostNanos: 4 }],
          [series("api", { kind: "CronJob" }), { cpuCostNanos: 8 }],
          [series("node", { kind: IDLE, namespace: "" }), { cpuCostNanos: 16 }],
          [series("disk", { kind: UNMOUNTED }), { storageCostNanos: 32 }],
          [series("fee", { kind: MANAGEMENT, namespace: "" }), { cpuCostNanos: 64 }]
        ])
      ])
      const { aggregatedWorkloads, totals } = yield* getWorkloads(asking())
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ id, totalCost }) => [id, totalCost]),
        [
          ["prod/shop/CronJob/api", 8e-9],
          ["prod/shop/Deployment/api", 7e-9]
        ]
      )
      assert.strictEqual(totals.totalCost, 15e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("adds the open hour up to its last sample, and leaves out what a store has of it already", () => {
    const open = cost(monday + HOUR_MS, "api", 10, { knownSeconds: 600 })
    return Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1), cost(monday + HOUR_MS, "api", 100)], monday + HOUR_MS + 600_000)
      const { aggregatedWorkloads, clusters, window } = yield* getWorkloads(asking({ range: { range: "1h" } }))
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ cpuCost }) => cpuCost),
        [11e-9]
      )
      assert.strictEqual(window.end, "2026-03-02T01:10:00.000Z")
      const hours = clusters.map(({ hoursCovered, hoursInWindow }) => [hoursCovered, hoursInWindow])
      assert.deepStrictEqual(hours, [[1 + 1 / 6, 1 + 1 / 6]])
      const before = yield* getWorkloads(asking({ range: { from: String(monday), to: String(monday + HOUR_MS) } }))
      assert.strictEqual(before.totals.cpuCost, 1e-9)
    }).pipe(Effect.provide(reporting([open])))
  })

  it.effect("tells what is kept of a cluster that is dead, and that the newest may be missing", () =>
    Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1), cost(monday, "web", 2, { cluster: stage })], monday + 3 * HOUR_MS)
      const view = (name: HistoryName) => (name === stage ? dead(name) : viewOf(name))
      const reply = yield* getWorkloads(asking({ target: both, view, range: { range: "3h" } }))
      assert.deepStrictEqual(
        reply.aggregatedWorkloads.map(({ id }) => id),
        ["stage/shop/Deployment/web", "prod/shop/Deployment/api"]
      )
      assert.deepStrictEqual(
        reply.clusters.map(({ count, hoursCovered, name, status }) => [name, status, count, hoursCovered]),
        [
          ["prod", "ok", 1, 1],
          ["stage", "unreachable", 1, 1]
        ]
      )
      assert.isTrue(reply.partial)
      const past = { from: String(monday), to: String(monday + HOUR_MS) }
      assert.isFalse((yield* getWorkloads(asking({ target: both, view, range: past }))).partial)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect(
    "is partial while a stale cluster leaves some of the window unknown, and not where all of it is known",
    () =>
      Effect.gen(function* () {
        yield* closing([cost(monday, "api", 1), cost(monday, "web", 2, { cluster: stage })], monday + 3 * HOUR_MS)
        const view = (name: HistoryName) => viewOf(name, name === stage ? { status: "stale", ageMs: 7_200_000 } : {})
        const partialOver = (hours: number, of: typeof both | { mode: "Named"; clusters: [typeof prod] } = both) => {
          const range = { from: String(monday), to: String(monday + hours * HOUR_MS) }
          return Effect.map(getWorkloads(asking({ target: of, view, range })), ({ partial }) => partial)
        }
        assert.deepStrictEqual([yield* partialOver(1), yield* partialOver(3)], [false, true])
        // Gaps of a cluster that answers show in its hours.
        assert.isFalse(yield* partialOver(3, { mode: "Named", clusters: [prod] }))
      }).pipe(Effect.provide(reporting()))
  )

  it.effect("fails when no cluster answers and nothing is kept of any", () =>
    Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1)], monday + days(30))
      const refused = yield* Effect.flip(getWorkloads(asking({ view: dead, range: { range: "1d" } })))
      assert.strictEqual(refused._tag, "FanOutFailed")
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("is empty for all clusters of a key that has none", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, clusters, partial } = yield* getWorkloads(
        asking({ target: { mode: "All", clusters: [] } })
      )
      assert.deepStrictEqual([aggregatedWorkloads, clusters, partial], [[], [], false])
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("tells a scoped key of its namespaces alone, in rows, totals and counts", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [
          [series("api"), { cpuCostNanos: 1, replicaSeconds: 60 }],
          [series("db", { namespace: "data" }), { cpuCostNanos: 1_000, replicaSeconds: 60, spotSeconds: 60 }]
        ])
      ])
      const scope = anyOf([{ namespaceNames: ["shop"] }])
      const reply = yield* getWorkloads(asking({ namespaces: scope }))
      assert.deepStrictEqual(
        reply.aggregatedWorkloads.map(({ namespace }) => namespace),
        ["shop"]
      )
      assert.deepStrictEqual([reply.totals.totalCost, reply.totals.spotPercent], [1e-9, 0])
      assert.deepStrictEqual(
        reply.clusters.map(({ count }) => count),
        [1]
      )
      for (const namespace of ["data", "nowhere"]) {
        const refused = yield* Effect.flip(
          getWorkloads(asking({ namespaces: scope, filter: { namespaces: ["shop", namespace] } }))
        )
        assert.strictEqual(refused._tag, "NamespaceForbidden")
      }
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("shows a key that selects by label the namespaces whose labels are proven in that cluster", () =>
    Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1), cost(monday, "api", 2, { cluster: stage })])
      const scope = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "shop" } } }])
      const view = (name: HistoryName) => ({
        ...viewOf(name),
        labels: (namespace: string) => (name === stage && namespace === "shop" ? { team: "shop" } : undefined)
      })
      const asked = asking({ target: both, namespaces: scope, view, filter: { namespaces: ["shop"] } })
      assert.deepStrictEqual(
        (yield* getWorkloads(asked)).aggregatedWorkloads.map(({ id }) => id),
        ["stage/shop/Deployment/api"]
      )
      const other = yield* Effect.flip(getWorkloads({ ...asked, filter: { namespaces: ["data"] } }))
      assert.strictEqual(other._tag, "NamespaceForbidden")
      const blind = yield* Effect.flip(getWorkloads({ ...asked, view: dead }))
      assert.strictEqual(blind._tag, "FanOutFailed")
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("refuses a range that is none, and names the field", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(getWorkloads(asking({ range: { range: "7 days" } })))
      assert(refused._tag === "InvalidRange")
      assert.strictEqual(refused.field, "range")
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("reports days whose hours were forgotten, by the day", () =>
    Effect.gen(function* () {
      const store = yield* CostStore
      yield* closing(
        hoursFrom(monday, 24).map((startMs) => cost(startMs, "api", 1)),
        monday + days(150)
      )
      yield* store.prune({ hoursBeforeMs: monday + days(50), daysBeforeMs: 0 })
      const range = { from: String(monday + HOUR_MS), to: String(monday + 2 * HOUR_MS) }
      const reply = yield* getWorkloads(asking({ range }))
      assert.strictEqual(reply.totals.cpuCost, 24e-9)
      assert.deepStrictEqual(reply.window, { start: "2026-03-02T00:00:00.000Z", end: "2026-03-03T00:00:00.000Z" })
    }).pipe(Effect.provide(reporting()))
  )
})
