import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { WorkloadDetails } from "../../src/act/WorkloadDetails.ts"
import type { ClusterStore } from "../../src/cache/ClusterStore.ts"
import type { Consistency } from "../../src/kube/Coverage.ts"
import { Pods } from "../../src/list/Pods.ts"
import * as Interner from "../../src/projection/Interner.ts"
import type * as Kind from "../../src/projection/Kind.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as Projection from "../../src/projection/Projection.ts"
import type { WorkloadRow } from "../../src/projection/Row.ts"
import { emptyStore, readAnew } from "../fixture/ChangingCluster.ts"
import { namespace, object, pod } from "../fixture/KubeObjects.ts"
import { plant, sumsOf, Tree } from "../fixture/OwnerTrees.ts"
import { all, list, onFleet, pageOf, timed, workloadsOf } from "../fixture/Service.ts"

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }

const put = (store: ClusterStore, kind: Kind.WorkloadKind, found: KubeObject) =>
  store.apply(kind, [{ _tag: "Put", record: Projection.project(kind, found, place) }], 0)

const requested = (rows: ReadonlyArray<Pick<WorkloadRow, "kind" | "name" | "cpuRequestMillis">>) =>
  Object.fromEntries(
    rows.flatMap(({ cpuRequestMillis, kind, name }) =>
      cpuRequestMillis === 0 ? [] : [[`${kind}/${name}`, cpuRequestMillis]]
    )
  )

const Weights = Schema.Array(Schema.Natural).check(Schema.isMinLength(24), Schema.isMaxLength(24))

const shuffled = <A>(all: ReadonlyArray<A>, weights: ReadonlyArray<number>): ReadonlyArray<A> =>
  all
    .map((one, index) => ({ one, weight: weights[index] ?? 0 }))
    .toSorted((one, other) => one.weight - other.weight)
    .map(({ one }) => one)

const ownedBy = (kind: string, name: string, apiVersion = "v1") => ({
  owner: { apiVersion, kind, name, uid: `${kind}/default/${name}` }
})

const podRow = (rows: ReadonlyArray<WorkloadRow>, name: string) =>
  rows.find((row) => row.kind === "Pod" && row.name === name)

describe("trees of owners", () => {
  it.prop(
    "rows request what the pods that count to them do, in whatever order objects come, and as anew after others went",
    [Tree, Weights, Schema.Array(Schema.Natural)],
    ([tree, weights, removed]) => {
      const planted = plant(tree)
      const store = emptyStore()
      store.workloads()
      for (const [index, { kind, object: found }] of shuffled(planted, weights).entries()) {
        put(store, kind, found)
        if (index % 3 === 0) store.workloads()
      }
      assert.deepStrictEqual(requested(store.workloads()), sumsOf(planted))
      for (const index of removed) {
        const gone = planted[index % planted.length]
        if (gone !== undefined) store.apply(gone.kind, [{ _tag: "Delete", uid: gone.object.metadata.uid }], 0)
        if (index % 2 === 0) store.workloads()
      }
      assert.deepStrictEqual(store.rows.byPlace(), readAnew(store).rows.byPlace())
    },
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "list, live list, pods, pods of a workload, and one workload agree",
    [Tree],
    ([tree]) => {
      const planted = plant(tree)
      const sums = sumsOf(planted)
      return onFleet(
        ["a"],
        (fleet) => {
          const server = fleet.server("a").put("Namespace", namespace("default"))
          for (const { kind, object: found } of planted) server.put(kind, found)
        },
        (fleet) =>
          Effect.gen(function* () {
            const podsOf = (consistency: Consistency, filter = {}) =>
              Effect.flatMap(Pods, (pods) =>
                pods.list({
                  target: all("a"),
                  namespaces: everyNamespace,
                  filter,
                  page: pageOf("name", { consistency }),
                  cursorBinding: "key-1"
                })
              )
            for (const consistency of ["cache", "live"] as const) {
              const { items } = yield* timed(list(workloadsOf(all("a"), { page: { consistency } })))
              assert.deepStrictEqual(requested(items), sums)
              const pods = (yield* timed(podsOf(consistency))).items
              assert.deepStrictEqual(
                Object.fromEntries(
                  pods.map(({ name, owner }) => [name, owner === null ? `Pod/${name}` : `${owner.kind}/${owner.name}`])
                ),
                Object.fromEntries(
                  planted.flatMap(({ kind, object: { metadata }, top }) =>
                    kind === "Pod" ? [[metadata.name, top]] : []
                  )
                )
              )
            }
            const lookup = yield* WorkloadDetails
            for (const [top, millis] of Object.entries(sums)) {
              const [kind = "", name = ""] = top.split("/")
              const filter = { kind: [kind] }
              const alone = yield* timed(list(workloadsOf(all("a"), { filter, page: { consistency: "live" } })))
              assert.strictEqual(alone.items.find((row) => row.name === name)?.cpuRequestMillis, millis)
              const place = { cluster: ClusterName.make("a"), namespace: "default", kind, name }
              const one = yield* timed(lookup.look({ ...place, namespaces: everyNamespace, timeoutMs: 3_000 }))
              assert.strictEqual(one.workload.cpuRequestMillis, millis)
              const pods = (yield* podsOf("cache", { workload: { kind, name } })).items
              assert.sameMembers(
                one.pods.map((row) => row.name),
                pods.map((row) => row.name)
              )
              assert.strictEqual(
                pods.reduce((sum, row) => sum + row.cpuRequestMillis, 0),
                millis
              )
            }
          }).pipe(Effect.provide(Layer.provide(WorkloadDetails.layer, fleet.layer)))
      )
    },
    { arbitrary: { runs: 30 } }
  )

  it("counts each pod of a circle of owners once, and what hangs on the circle with the first of it", () => {
    const store = emptyStore()
    put(store, "Pod", pod("a", ownedBy("Pod", "b")))
    put(store, "Pod", pod("b", ownedBy("Pod", "a")))
    put(store, "Pod", pod("self", ownedBy("Pod", "self")))
    put(store, "Pod", pod("c", ownedBy("Pod", "a")))
    assert.deepStrictEqual(requested(store.workloads()), { "Pod/a": 200, "Pod/b": 100, "Pod/self": 100 })
    put(store, "Pod", pod("b"))
    assert.deepStrictEqual(requested(store.workloads()), { "Pod/b": 300, "Pod/self": 100 })
  })

  it("counts every pod of a chain that is longer than any real one once", () => {
    const store = emptyStore()
    store.workloads()
    for (let place = 0; place < 500; place++) {
      put(store, "Pod", pod(`p-${place}`, place === 0 ? {} : ownedBy("Pod", `p-${place - 1}`)))
    }
    const rows = store.workloads()
    assert.strictEqual(
      rows.reduce((sum, row) => sum + row.cpuRequestMillis, 0),
      50_000
    )
    assert.deepStrictEqual(rows, readAnew(store).workloads())
  })

  it("judges a pod with the pods that it controls together", () => {
    const store = emptyStore()
    put(store, "Pod", pod("driver"))
    put(store, "Pod", pod("ready", ownedBy("Pod", "driver")))
    put(store, "Pod", pod("waits", { ...ownedBy("Pod", "driver"), status: { phase: "Pending", conditions: [] } }))
    put(store, "Pod", pod("done", { ...ownedBy("Pod", "driver"), status: { phase: "Succeeded", conditions: [] } }))
    const row = podRow(store.workloads(), "driver")
    assert.deepStrictEqual(row?.replicas, { desired: 3, ready: 2, updated: 3, available: 2 })
    assert.strictEqual(row?.status, "progressing")
    assert.strictEqual(row?.cpuRequestMillis, 300)
  })

  it("takes pods that a Deployment controls itself for the replicas that it lacks, and adds those beyond", () => {
    const store = emptyStore()
    const spec = { replicas: 1, template: pod("template") }
    put(store, "Deployment", object("Deployment", "web", { namespace: "default", spec }))
    for (const name of ["one", "two"]) put(store, "Pod", pod(name, ownedBy("Deployment", "web", "apps/v1")))
    assert.deepStrictEqual(requested(store.workloads()), { "Deployment/web": 200 })
    const status = { replicas: 1, readyReplicas: 1 }
    put(store, "Deployment", object("Deployment", "web", { namespace: "default", spec, status }))
    assert.deepStrictEqual(requested(store.workloads()), { "Deployment/web": 300 })
  })

  it("shows pods whose owner is gone under its name, with what has the name now, and none that are going", () => {
    const store = emptyStore()
    put(store, "Pod", pod("old", ownedBy("Deployment", "web", "apps/v1")))
    assert.deepStrictEqual(requested(store.workloads()), { "Deployment/web": 100 })
    put(store, "Deployment", object("Deployment", "web", { namespace: "default", uid: "new", spec: { replicas: 0 } }))
    const [row, ...others] = store.workloads()
    assert.deepStrictEqual([row?.id, row?.cpuRequestMillis, others], ["new", 100, []])
    store.apply("Deployment", [{ _tag: "Delete", uid: "new" }], 0)
    put(store, "Pod", pod("old", { ...ownedBy("Deployment", "web", "apps/v1"), terminating: true }))
    assert.deepStrictEqual(store.workloads(), [])
  })
})
