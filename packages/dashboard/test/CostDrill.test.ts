import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as ClusterTarget from "../src/api/ClusterTarget.ts"
import * as CostPeriod from "../src/cost/CostPeriod.ts"
import * as CostView from "../src/cost/CostView.ts"
import * as Drill from "../src/cost/Drill.ts"
import { sorted } from "../src/cost/GroupOrder.ts"
import { group } from "./costGroups.ts"

const viewOf = (search: string) => CostView.parse(new URLSearchParams(search), true)

/** Follows the link of a group, as a click does. */
const follow = (search: string, row: ReturnType<typeof group>): string => {
  const view = viewOf(search)
  const step = Drill.into(row, view)
  assert(step !== undefined)
  const next = CostView.write(new URLSearchParams(search), { ...view, ...step.view })
  return (step.cluster === undefined ? next : ClusterTarget.write(next, ClusterTarget.named([step.cluster]))).toString()
}

describe("the way into costs", () => {
  it("leads from a cluster to its namespaces, to their workloads, to one", () => {
    const cluster = follow("by=cluster", group({ cluster: "prod" }, 1))
    assert.strictEqual(viewOf(cluster).by, "namespace")
    const namespace = follow(cluster, group({ namespace: "payments" }, 1))
    assert.strictEqual(viewOf(namespace).by, "workload")
    const row = group({ cluster: "prod", namespace: "payments", kind: "Deployment", workload: "reporting" }, 1)
    const one = follow(namespace, row)
    assert.strictEqual(viewOf(one).workload, "prod/payments/Deployment/reporting")
    const target = ClusterTarget.parse(new URLSearchParams(one))
    assert.deepStrictEqual(
      Drill.crumbsOf(viewOf(one), target).map(({ text }) => text),
      ["All costs", "prod", "payments", "reporting"]
    )
    assert.deepStrictEqual(
      Drill.filtersOf(viewOf(one), target).map(({ name, value }) => [name, value]),
      [
        ["Cluster", "prod"],
        ["Namespace", "payments"]
      ]
    )
  })

  it("keeps both values of two groupings, and workloads without a label", () => {
    const both = viewOf(follow("by=label:team&then=kind", group({ "label:team": "web", kind: "Job" }, 1)))
    assert.deepStrictEqual([both.labels, both.kinds, both.thenBy], [["team=web"], ["Job"], undefined])
    const without = viewOf(follow("by=label:team", group({}, 1)))
    assert.deepStrictEqual(without.labels, ["!team"])
    assert.deepStrictEqual(CostView.filtersOf(without), { labelSelector: "!team" })
  })

  it("does not lead into costs without a workload", () => {
    assert.isUndefined(Drill.into(group({}, 1, undefined, { idle: true }), viewOf("by=namespace")))
  })
})

const NAMES = "range from to by then idle step compare namespace kind label workload sort order cluster".split(" ")

const AnySearch = Schema.Array(
  Schema.Struct({
    name: Schema.Literals(NAMES),
    value: Schema.Union([
      Schema.String,
      Schema.Literals(["24h", "custom", "2026-01-01", "cluster", "label:team", "hide", "hour", "off", "change", "asc"])
    ])
  })
)

describe("the address of the cost page", () => {
  it.prop("holds every setting: what is written is read again", [Arbitrary.schema(AnySearch)], ([drawn]) => {
    const search = new URLSearchParams(drawn.map(({ name, value }) => [name, value]))
    const view = CostView.parse(search, true)
    const written = CostView.write(search, view)
    const again = CostView.parse(written, true)
    // Dates count with the custom period alone.
    assert.deepStrictEqual(again, view.range === "custom" ? view : { ...view, from: "", to: "" })
    assert.deepStrictEqual(written.getAll("cluster"), search.getAll("cluster"))
    assert.strictEqual(CostView.write(written, again).toString(), written.toString())
  })
})

describe("groups in an order", () => {
  const idle = group({}, 100, 90, { idle: true })
  const rows = [
    idle,
    group({ namespace: "b" }, 5, null),
    group({ namespace: "a" }, 3, 1),
    group({ namespace: "c" }, 1, 8)
  ]
  const names = (sort: CostView.Sort, order: "asc" | "desc") =>
    sorted(rows, { sort, order }).map(({ group, idle }) => (idle === true ? "idle" : group["namespace"]))

  it("have idle costs on top and unknown values last, whatever the order", () => {
    assert.deepStrictEqual(names("cost", "desc"), ["idle", "b", "a", "c"])
    assert.deepStrictEqual(names("name", "asc"), ["idle", "a", "b", "c"])
    assert.deepStrictEqual(names("change", "desc"), ["idle", "a", "c", "b"])
    assert.deepStrictEqual(names("change", "asc"), ["idle", "c", "a", "b"])
  })
})

describe("the steps of a period", () => {
  it("are the chosen ones, unless hours would be too many", () => {
    assert.strictEqual(CostPeriod.stepOf({ range: "7d" }, "hour"), "hour")
    assert.strictEqual(CostPeriod.stepOf({ range: "30d" }, "hour"), "day")
    assert.strictEqual(CostPeriod.stepOf({ range: "30d" }, "week"), "week")
    assert.strictEqual(CostPeriod.stepOf({ range: "24h" }, "auto"), "hour")
  })
})
