import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ClusterStore } from "../../src/cache/ClusterStore.ts"
import { PodSort } from "../../src/list/ListQuery.ts"
import * as PodOrders from "../../src/list/PodOrders.ts"
import * as PodRows from "../../src/projection/PodRows.ts"
import { emptyStore, happen, readAnew, Step } from "../fixture/ChangingCluster.ts"

const Steps = Schema.Array(Step).check(Schema.isMinLength(30), Schema.isMaxLength(60))
const ascending = (sort: PodSort) =>
  PodOrders.ofPage({ sort, order: "asc", limit: 1, consistency: "cache", timeoutMs: 1 })
const rowsOf = (store: ClusterStore) =>
  (store.pods.inOrder(PodOrders.ascending("name")) ?? []).map((pod) => PodRows.of(pod, store.chain))

describe("RecordSets", () => {
  it.prop(
    "keeps each order that was asked for, and the counts, after any changes",
    [Steps, Steps],
    ([before, steps]) => {
      const store = emptyStore()
      for (const step of before) happen(store, step)
      for (const sort of PodSort.literals) store.pods.inOrder(PodOrders.ascending(sort))
      store.pods.labelled("app", ["a"])
      for (const step of steps) happen(store, step)

      const pods = [...store.table("Pod").records.values()]
      for (const sort of PodSort.literals) {
        const kept = store.pods.inOrder(PodOrders.ascending(sort))
        assert.deepStrictEqual(kept, pods.toSorted(ascending(sort).compare))
      }
      const counts = store.pods.counts()
      for (const namespace of ["a", "b"]) {
        const inside = pods.filter((pod) => pod.namespace === namespace)
        assert.strictEqual(counts.of(namespace, undefined), inside.length)
        for (const status of ["Pending", "Running", "Succeeded", "Failed"]) {
          assert.strictEqual(
            counts.of(namespace, new Set([status])),
            inside.filter((pod) => pod.status === status).length
          )
        }
      }
      assert.sameMembers(
        [...store.pods.labelled("app", ["app-0", "app-1"])],
        pods.filter(({ labels }) => labels["app"] !== "app-2")
      )
    }
  )

  it.prop(
    "gives the rows that would be made of everything anew, whatever stands between a pod and its workload",
    [Steps],
    ([steps]) => {
      const store = emptyStore()
      for (const step of steps) {
        happen(store, step)
        rowsOf(store)
      }
      assert.deepStrictEqual(rowsOf(store), rowsOf(readAnew(store)))
    }
  )

  it("makes the row of a pod once, and anew when another workload holds it", () => {
    const store = emptyStore()
    const step = { does: 0, which: 0, namespace: "a", size: 1, phase: "Running", trouble: "none" } as const
    const put = (kind: "Pod" | "ReplicaSet", owner: Step["owner"]) =>
      happen(store, { ...step, kind: kind === "Pod" ? 6 : 3, owner })
    put("Pod", "set")
    const [alone] = rowsOf(store)
    assert.deepStrictEqual(alone?.owner, { kind: "ReplicaSet", name: "ReplicaSet-0" })
    put("ReplicaSet", "rollout")
    const [held] = rowsOf(store)
    assert.deepStrictEqual(held?.owner, { kind: "Rollout", name: "roll" })
    put("ReplicaSet", "rollout")
    assert.strictEqual(rowsOf(store)[0], held)
  })
})
