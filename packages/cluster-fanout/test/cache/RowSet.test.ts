import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type RowChange, RowSet } from "../../src/cache/RowSet.ts"
import { byPlace } from "../../src/cache/WorkloadSet.ts"
import * as WorkloadKeys from "../../src/projection/WorkloadKeys.ts"
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

const ascending = (sort: WorkloadSort) =>
  WorkloadOrders.ofPage({ sort, order: "asc", limit: 1, consistency: "cache", timeoutMs: 1 })

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
      assert.deepStrictEqual(store.rows.byPlace(), readAnew(store).rows.byPlace())
    },
    { arbitrary: { runs: 1_500 } }
  )

  it.prop(
    "has an order asked for sorted in steps, with what changes between them",
    [Steps, Steps],
    ([before, steps]) => {
      const waiting: Array<() => boolean> = []
      const store = emptyStore({ isNow: (rows) => rows === 0, later: (step) => void waiting.push(step) })
      for (const step of before) happen(store, step)
      const order = WorkloadOrders.ascending("name")
      const { compare } = ascending("name")
      for (const step of steps) {
        const rows = store.rows.inOrder(order)
        if (rows !== undefined) assert.deepStrictEqual(rows, store.workloads().toSorted(compare))
        const next = waiting.shift()
        if (next?.() === true) waiting.push(next)
        happen(store, step)
      }
      store.rows.inOrder(order)
      for (const step of waiting) while (step());
      assert.deepStrictEqual(store.rows.inOrder(order), store.workloads().toSorted(compare))
    }
  )

  it.prop("keeps each order that was asked for, and the counts", [Steps, Steps], ([before, steps]) => {
    const store = emptyStore()
    for (const step of before) happen(store, step)
    for (const sort of WorkloadSort.literals) store.rows.inOrder(WorkloadOrders.ascending(sort))
    for (const key of ["app", "kind", "none"]) store.rows.labelled(key, ["a"])
    for (const step of steps) happen(store, step)

    const rows = store.workloads()
    for (const sort of WorkloadSort.literals) {
      const kept = store.rows.inOrder(WorkloadOrders.ascending(sort))
      assert.deepStrictEqual(kept, rows.toSorted(ascending(sort).compare))
    }
    for (const [key, values] of LABELS) {
      const found = store.rows.labelled(key, values)
      const expected = rows.filter(({ labels }) => values.some((value) => labels[key] === value))
      assert.deepStrictEqual(found.toSorted(byPlace), expected)
    }
    const counts = store.rows.counts()
    const namespaces = new Set(rows.map((row) => row.namespace))
    assert.deepStrictEqual(new Set(counts.namespaces()), namespaces)
    for (const namespace of namespaces) {
      const inside = rows.filter((row) => row.namespace === namespace)
      assert.strictEqual(counts.of(namespace, undefined), inside.length)
      const jobs = inside.filter((row) => row.kind === "Job" || row.kind === "Rollout")
      const isJob = (group: string) => ["Job", "Rollout"].includes(WorkloadKeys.partsOf(group).kind)
      assert.strictEqual(counts.of(namespace, { has: isJob }), jobs.length)
    }
    const first = [...namespaces].slice(0, 1)
    for (const reached of [undefined, first]) {
      const inside = rows.filter(({ namespace }) => reached?.includes(namespace) !== false)
      const byGroup = Map.groupBy(inside, WorkloadKeys.groupOf)
      assert.deepStrictEqual(
        new Map(counts.tally(reached === undefined ? undefined : (name) => reached.includes(name))),
        new Map(Array.from(byGroup, ([group, found]) => [group, found.length]))
      )
    }
  })

  it.prop("counts what is asked for by one name once, until a row changes", [Steps], ([steps]) => {
    const store = emptyStore()
    const count = () => {
      const found = store.rows.byPlace().filter(({ labels }) => labels["app"] === "app-0")
      return new Map([["app-0", found.length]])
    }
    let counted = 0
    const counting = () => {
      counted++
      return count()
    }
    for (const step of steps) {
      happen(store, step)
      // What changed is in the rows once they are asked for.
      store.rows.settle()
      const before = counted
      assert.deepStrictEqual(store.rows.tallied("app-0", counting), count())
      assert.deepStrictEqual(store.rows.tallied("app-0", counting), count())
      assert.isAtMost(counted - before, 1)
      const other = new Map([["unnamed", 1]])
      assert.strictEqual(
        store.rows.tallied(undefined, () => other),
        other
      )
    }
  })

  it("begins the sorting of an order anew once more has changed than it may keep", () => {
    interface Numbered {
      readonly namespace: string
      readonly labels: Readonly<Record<string, string>>
      readonly number: number
    }
    const waiting: Array<() => boolean> = []
    const told: Array<RowChange<Numbered>> = []
    let isDerived = false
    const settle = () => {
      if (isDerived) return undefined
      isDerived = true
      return []
    }
    const set = new RowSet<Numbered>(
      { groupOf: () => "", byPlace: (one, other) => one.number - other.number },
      (change) => {
        told.push(change)
        return { settle, prepare: () => false }
      },
      { isNow: () => false, later: (step) => void waiting.push(step) }
    )
    const order = { name: "down", key: { type: "number", read: (row: Numbered) => -row.number } } as const
    assert.isUndefined(set.inOrder(order))
    for (let number = 0; number <= 5_000; number++) {
      for (const change of told) change(undefined, { namespace: "a", labels: {}, number })
    }
    assert.lengthOf(waiting, 1)
    assert.isUndefined(set.inOrder(order))
    assert.lengthOf(waiting, 2)
    for (const step of waiting) while (step());
    const numbers = set.inOrder(order)?.map(({ number }) => number)
    assert.deepStrictEqual(
      numbers,
      Array.from({ length: 5_001 }, (_, at) => 5_000 - at)
    )
  })
})
