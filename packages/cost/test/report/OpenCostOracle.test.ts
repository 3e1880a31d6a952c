/**
 * The figures of OpenCost for its own sample.
 *
 * Source: opencost/opencost `core/pkg/opencost/mock.go` (`GenerateMockAllocationSetClusterIdle`) and
 * `core/pkg/opencost/allocation_test.go` (`TestAllocationSet_AggregateBy`).
 */
import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { AggregateRow, Idle } from "../../src/report/Aggregate.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { IDLE, type Series } from "../../src/hour/Series.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { hour } from "../store/samples.ts"
import { asking, closing, costsOf, getAggregated, getWorkloads, grouping, monday, reporting } from "./reporting.ts"

const cluster1 = ClusterName.make("cluster1")
const cluster2 = ClusterName.make("cluster2")
const ONE = 1_000_000_000
const BILLIONTH = 1e-9

const container = (
  namespace: string,
  pod: string,
  name: string,
  controller: readonly [kind: string, name: string] | undefined,
  labels: Record<string, string> = {}
): Series => ({
  namespace,
  // What has no controller is charged to its pod.
  kind: controller?.[0] ?? "Pod",
  name: controller?.[1] ?? pod,
  uid: `${pod}/${name}`,
  labels
})

/** Each container costs one of each part. */
const unit = {
  cpuCostNanos: ONE,
  memoryCostNanos: ONE,
  gpuCostNanos: ONE,
  storageCostNanos: ONE,
  networkCostNanos: ONE,
  loadBalancerCostNanos: ONE,
  existedSeconds: HOUR_SECONDS
}

const idle = (cluster: string, memoryCost: number) =>
  [
    { namespace: "", kind: IDLE, name: `${cluster}-node`, uid: "", labels: {} },
    { cpuCostNanos: 5 * ONE, memoryCostNanos: memoryCost * ONE, existedSeconds: HOUR_SECONDS }
  ] as const

const app2 = { app: "app2", env: "env2" }

const sample: ReadonlyArray<Hour> = [
  hour(
    monday,
    [
      [
        container("namespace1", "pod1", "container1", undefined, { app: "app1", env: "env1" }),
        { ...unit, memoryCostNanos: 11 * ONE }
      ],
      [container("namespace1", "pod-abc", "container2", ["deployment", "deployment1"]), unit],
      [container("namespace1", "pod-def", "container3", ["deployment", "deployment1"]), unit],
      [container("namespace2", "pod-ghi", "container4", ["deployment", "deployment2"], app2), unit],
      [container("namespace2", "pod-ghi", "container5", ["deployment", "deployment2"], app2), unit],
      [container("namespace2", "pod-jkl", "container6", ["daemonset", "daemonset1"]), unit],
      idle("cluster1", 15)
    ],
    { cluster: cluster1 }
  ),
  hour(
    monday,
    [
      [container("namespace2", "pod-mno", "container4", ["deployment", "deployment2"], { app: "app2" }), unit],
      [container("namespace2", "pod-mno", "container5", ["deployment", "deployment2"], { app: "app2" }), unit],
      [container("namespace2", "pod-pqr", "container6", ["daemonset", "daemonset1"]), unit],
      [container("namespace3", "pod-stu", "container7", ["deployment", "deployment3"]), unit],
      [container("namespace3", "pod-vwx", "container8", ["statefulset", "statefulset1"]), unit],
      [container("namespace3", "pod-vwx", "container9", ["statefulset", "statefulset1"]), unit],
      idle("cluster2", 5)
    ],
    { cluster: cluster2 }
  )
]

const target = { mode: "Named", clusters: [cluster1, cluster2] } as const

const grouped = (groupBy: ReadonlyArray<string>, how: Idle) =>
  Effect.gen(function* () {
    yield* closing(sample)
    const reply = yield* getAggregated(grouping(groupBy, { target, idle: how }))
    assert("rows" in reply)
    return { rows: reply.rows, costs: costsOf(reply.rows), total: reply.totals.totalCost }
  }).pipe(Effect.provide(reporting()))

const sumOf = (rows: ReadonlyArray<AggregateRow>) => rows.reduce((sum, { totalCost }) => sum + totalCost, 0)

describe("OpenCost's sample of 12 containers in 2 clusters", () => {
  it.effect("costs 112: 82 of workloads and 30 idle", () =>
    Effect.gen(function* () {
      const { costs, total } = yield* grouped([], "show")
      assert.deepStrictEqual([total, costs], [112, { "": 82, idle: 30 }])
    })
  )

  it.effect("costs 46 and 36 by cluster, with 20 and 10 idle", () =>
    Effect.gen(function* () {
      const { costs } = yield* grouped(["cluster"], "show")
      assert.deepStrictEqual(costs, { cluster1: 46, cluster2: 36, "cluster1/idle": 20, "cluster2/idle": 10 })
    })
  )

  it.effect("costs 28, 36 and 18 by namespace, and 30 idle", () =>
    Effect.gen(function* () {
      const { costs } = yield* grouped(["namespace"], "show")
      assert.deepStrictEqual(costs, { namespace1: 28, namespace2: 36, namespace3: 18, idle: 30 })
    })
  )

  it.effect("costs 12, 42, 12 and, without a controller, 16 by kind", () =>
    Effect.gen(function* () {
      const { costs, total } = yield* grouped(["kind"], "hide")
      assert.deepStrictEqual(costs, { daemonset: 12, deployment: 42, statefulset: 12, Pod: 16 })
      assert.strictEqual(total, 82)
    })
  )

  it.effect("costs 42.6875, 46.3125 and 23 by namespace with idle shared", () =>
    Effect.gen(function* () {
      const { costs, rows, total } = yield* grouped(["namespace"], "share")
      for (const [namespace, cost] of Object.entries({ namespace1: 42.6875, namespace2: 46.3125, namespace3: 23 })) {
        // Each container's share is a whole number of billionths, their sum is what is shared.
        assert.closeTo(costs[namespace] ?? 0, cost, 6 * BILLIONTH)
      }
      assert.strictEqual(total, 112)
      assert.closeTo(sumOf(rows), 112, 1e-12)
    })
  )

  it.effect("costs 16 for one app, 24 for the other, and the rest has no such label", () =>
    Effect.gen(function* () {
      const { costs } = yield* grouped(["label:app"], "hide")
      assert.deepStrictEqual(costs, { app1: 16, app2: 24, "": 42 })
    })
  )

  it.effect("is reported as 8 workloads that cost 82", () =>
    Effect.gen(function* () {
      yield* closing(sample)
      const { aggregatedWorkloads, totals } = yield* getWorkloads(asking({ target }))
      assert.strictEqual(totals.totalCost, 82)
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ id, totalCost }) => [id, totalCost]),
        [
          ["cluster1/namespace1/Pod/pod1", 16],
          ["cluster1/namespace1/deployment/deployment1", 12],
          ["cluster1/namespace2/deployment/deployment2", 12],
          ["cluster2/namespace2/deployment/deployment2", 12],
          ["cluster2/namespace3/statefulset/statefulset1", 12],
          ["cluster1/namespace2/daemonset/daemonset1", 6],
          ["cluster2/namespace2/daemonset/daemonset1", 6],
          ["cluster2/namespace3/deployment/deployment3", 6]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )
})
