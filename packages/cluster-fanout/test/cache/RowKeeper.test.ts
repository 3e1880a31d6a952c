import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ClusterStore } from "../../src/cache/ClusterStore.ts"
import { RowKeeper } from "../../src/cache/RowKeeper.ts"
import type { RowChange } from "../../src/cache/RowSet.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as Interner from "../../src/projection/Interner.ts"
import type * as Kind from "../../src/projection/Kind.ts"
import * as Projection from "../../src/projection/Projection.ts"
import type { WorkloadRow } from "../../src/projection/Row.ts"
import { emptyStore } from "../fixture/ChangingCluster.ts"
import { deployment, pod } from "../fixture/KubeObjects.ts"

const cluster = ClusterName.make("c1")
const place = { cluster, interner: Interner.make() }

const put = (store: ClusterStore, kind: Kind.WorkloadKind, object: KubeObject) =>
  store.apply(kind, [{ _tag: "Put", record: Projection.project(kind, object, place) }], 0)

/** Keeps the rows of a store, all of which were asked for once. */
const keep = (change: RowChange<WorkloadRow>) => {
  const store = emptyStore()
  const keeper = new RowKeeper(
    cluster,
    () => ({
      Deployment: store.table("Deployment").records,
      StatefulSet: store.table("StatefulSet").records,
      DaemonSet: store.table("DaemonSet").records,
      ReplicaSet: store.table("ReplicaSet").records,
      Job: store.table("Job").records,
      CronJob: store.table("CronJob").records,
      Pod: store.table("Pod").records
    }),
    change
  )
  const observers = keeper.observers()
  store.table("Deployment").observe(observers.Deployment)
  store.table("Pod").observe(observers.Pod)
  keeper.settle()
  return { keeper, store }
}

const ofRollout = (name: string) =>
  pod(name, {
    namespace: name,
    owner: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web", uid: "rollout" }
  })

/** More than are derived in one step. */
const PODS = 600

const Happening = Schema.Struct({
  does: Schema.Literals(["prepare", "prepare", "put", "gone", "relist"]),
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: PODS + 20 }))
})

const record = (object: KubeObject) => ({ _tag: "Put", record: Projection.project("Pod", object, place) }) as const

const RECORDS = Array.from({ length: PODS }, (_, index) => record(ofRollout(`pod-${index}`)))

const sorted = (rows: ReadonlyArray<WorkloadRow>) =>
  rows.toSorted((one, other) => (`${one.namespace}/${one.id}` < `${other.namespace}/${other.id}` ? -1 : 1))

describe("RowKeeper", () => {
  it("derives every row anew after a change that failed", () => {
    let isBroken = false
    const { keeper, store } = keep(() => {
      if (isBroken) throw new RangeError("planted")
    })
    put(store, "Deployment", deployment("before"))
    isBroken = true
    assert.throws(() => put(store, "Deployment", deployment("meanwhile")), "planted")
    isBroken = false
    put(store, "Deployment", deployment("after"))
    assert.sameMembers(
      (keeper.settle() ?? []).map(({ name }) => name),
      ["before", "meanwhile", "after"]
    )
    assert.isUndefined(keeper.settle())
  })

  it("reports changes once many wait, even without a request", () => {
    let told = 0
    const { store } = keep(() => {
      told++
    })
    for (let index = 0; index < 5_000; index++) put(store, "Pod", ofRollout(`pod-${index}`))
    assert.isAbove(told, 4_000)
    assert.isBelow(told, 5_000)
  })

  it.prop(
    "derives the same rows some at a time as at once, whatever changes meanwhile",
    [Schema.Array(Happening)],
    ([happenings]) => {
      const { keeper, store } = keep(() => undefined)
      store.apply("Pod", [{ _tag: "Restart" }, ...RECORDS, { _tag: "Synced" }], 0)
      assert.isTrue(keeper.prepare())
      for (const { does, which } of happenings) {
        const name = `pod-${which}`
        if (does === "prepare") keeper.prepare()
        if (does === "put") store.apply("Pod", [record(which % 2 === 0 ? ofRollout(name) : pod(name))], 0)
        if (does === "gone") store.apply("Pod", [{ _tag: "Delete", uid: ofRollout(name).metadata.uid }], 0)
        if (does === "relist") store.apply("Pod", [{ _tag: "Restart" }, ...RECORDS.slice(which), { _tag: "Synced" }], 0)
      }
      const rows = sorted(keeper.settle() ?? [])
      store.apply("Deployment", [{ _tag: "Restart" }, { _tag: "Synced" }], 0)
      assert.deepStrictEqual(rows, sorted(keeper.settle() ?? []))
      assert.isFalse(keeper.prepare())
    }
  )

  it("is ready after so many steps as it has hundreds of pods, and at once where changes never end", () => {
    const { keeper, store } = keep(() => undefined)
    store.apply("Pod", [{ _tag: "Restart" }, ...RECORDS, { _tag: "Synced" }], 0)
    let steps = 0
    while (keeper.prepare()) steps++
    assert.strictEqual(steps, 2)
    assert.lengthOf(keeper.settle() ?? [], PODS)
    store.apply("Pod", [{ _tag: "Restart" }, ...RECORDS, { _tag: "Synced" }], 0)
    let attempts = 0
    while (keeper.prepare()) {
      put(store, "Pod", ofRollout(`new-${attempts++}`))
    }
    assert.isBelow(attempts, 10)
    assert.lengthOf(keeper.settle() ?? [], PODS + attempts)
  })
})
