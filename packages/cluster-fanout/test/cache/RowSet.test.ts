import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BY_PLACE } from "../../src/cache/WorkloadSet.ts"
import * as WorkloadOrders from "../../src/list/WorkloadOrders.ts"
import { WorkloadSort } from "../../src/list/ListQuery.ts"
import { emptyStore, happen, readAnew, Step } from "../fixture/ChangingCluster.ts"

const Steps = Schema.Array(Step).check(Schema.isMinLength(30), Schema.isMaxLength(60))

const LABELS: ReadonlyArray<readonly [key: string, values: ReadonlyArray<string>]> = [
  ["app", ["app-0", "app-1", "app-0"]],
  ["kind", ["Pod"]],
  ["none", ["app-0"]],
  ["new", ["app-0"]]
]

describe("RowSet", () => {
  it.prop(
    "holds what would be derived of everything anew, after any changes",
    [Steps],
    ([steps]) => {
      const store = emptyStore()
      store.workloads()
      for (const step of steps) {
        happen(store, step)
      }
      assert.deepStrictEqual(store.rows.inOrder(BY_PLACE), readAnew(store).rows.inOrder(BY_PLACE))
    },
    { arbitrary: { runs: 1_500 } }
  )

  it.prop("keeps each order that was asked for, and the counts", [Steps, Steps], ([before, steps]) => {
    const store = emptyStore()
    for (const step of before) happen(store, step)
    const orders = WorkloadSort.literals.map(WorkloadOrders.ascending)
    for (const order of orders) store.rows.inOrder(order)
    for (const key of ["app", "kind", "none"]) store.rows.labelled(key, ["a"])
    for (const step of steps) happen(store, step)

    const rows = store.workloads()
    for (const order of orders) assert.deepStrictEqual(store.rows.inOrder(order), rows.toSorted(order.compare))
    for (const [key, values] of LABELS) {
      const found = store.rows.labelled(key, values)
      const expected = rows.filter(({ labels }) => values.some((value) => labels[key] === value))
      assert.deepStrictEqual(found.toSorted(BY_PLACE.compare), expected)
    }
    const counts = store.rows.counts()
    const namespaces = new Set(rows.map((row) => row.namespace))
    assert.deepStrictEqual(new Set(counts.namespaces()), namespaces)
    for (const namespace of namespaces) {
      const inside = rows.filter((row) => row.namespace === namespace)
      assert.strictEqual(counts.of(namespace, undefined), inside.length)
      const jobs = inside.filter((row) => row.kind === "Job" || row.kind === "Rollout")
      assert.strictEqual(counts.of(namespace, new Set(["Job", "Rollout"])), jobs.length)
    }
  })
})
