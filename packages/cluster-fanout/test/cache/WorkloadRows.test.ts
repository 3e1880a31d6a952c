import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as Interner from "../../src/projection/Interner.ts"
import type * as Kind from "../../src/projection/Kind.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { container, deployment, object, pod } from "../fixture/KubeObjects.ts"

type Known = readonly [kind: Kind.WorkloadKind, object: KubeObject]

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }
const owner = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, uid: `${kind}/${name}` })
const template = (cpu: string) => ({ template: { spec: { containers: [container(cpu, "1Mi")] } } })
const rolloutSet = owner("apps/v1", "ReplicaSet", "roll-1")

const job = (name: string, status: Record<string, unknown>, cron = "nightly") =>
  object("Job", name, {
    namespace: "default",
    owner: owner("batch/v1", "CronJob", cron),
    spec: template("200m"),
    status
  })

/** A little of everything that can hold a pod. */
const world: ReadonlyArray<Known> = [
  ["Deployment", deployment("web", { replicas: 2 })],
  [
    "ReplicaSet",
    object("ReplicaSet", "web-1", {
      namespace: "default",
      uid: "ReplicaSet/web-1",
      owner: owner("apps/v1", "Deployment", "web")
    })
  ],
  ["Pod", pod("web-1-a", { owner: owner("apps/v1", "ReplicaSet", "web-1") })],
  ["ReplicaSet", object("ReplicaSet", "alone", { namespace: "default" })],
  [
    "ReplicaSet",
    object("ReplicaSet", "roll-1", {
      namespace: "default",
      uid: rolloutSet.uid,
      owner: owner("argoproj.io/v1alpha1", "Rollout", "roll")
    })
  ],
  ["Pod", pod("roll-1-a", { owner: rolloutSet, labels: { app: "roll", pod: "a" }, createdAt: "2026-01-03T00:00:00Z" })],
  ["Pod", pod("roll-1-b", { owner: rolloutSet, labels: { app: "roll", pod: "b" }, createdAt: "2026-01-02T00:00:00Z" })],
  ["Pod", pod("roll-1-c", { owner: rolloutSet, labels: { app: "roll", pod: "c" }, terminating: true })],
  [
    "CronJob",
    object("CronJob", "nightly", {
      namespace: "default",
      uid: "CronJob/nightly",
      spec: { jobTemplate: { spec: template("200m") } }
    })
  ],
  ["Job", job("nightly-1", { conditions: [{ type: "Complete", status: "True" }] })],
  ["Job", job("nightly-2", { active: 1, ready: 1 })],
  ["Job", job("nightly-3", { active: 1, ready: 0, failed: 1 })],
  ["Job", object("Job", "once", { namespace: "default", spec: template("1") })],
  [
    "Pod",
    pod("flow-1", {
      owner: owner("argoproj.io/v1alpha1", "Workflow", "flow"),
      status: { phase: "Succeeded", conditions: [] }
    })
  ],
  [
    "Pod",
    pod("flow-2", {
      owner: owner("argoproj.io/v1alpha1", "Workflow", "flow"),
      status: { phase: "Failed", conditions: [] }
    })
  ],
  ["Pod", pod("bare")],
  ["Pod", pod("orphan", { owner: owner("apps/v1", "ReplicaSet", "gone") })],
  ["StatefulSet", object("StatefulSet", "db", { namespace: "default", owner: owner("acme.io/v1", "Database", "db") })],
  ["Pod", pod("db-0", { owner: owner("apps/v1", "StatefulSet", "db") })]
]

const put = (store: ClusterStore, kind: Kind.WorkloadKind, found: KubeObject) =>
  store.apply(kind, [{ _tag: "Put", record: Projection.project(kind, found, place) }], 0)
const synced = () => {
  const store = new ClusterStore(clusterOf("c1"))
  for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"] as const) {
    store.apply(kind, [{ _tag: "Synced" }], 0)
  }
  return store
}
const rowsOf = (known: ReadonlyArray<Known>) => {
  const store = synced()
  for (const [kind, found] of known) put(store, kind, found)
  return store
    .workloads()
    .toSorted((one, other) => (`${one.kind}/${one.name}` < `${other.kind}/${other.name}` ? -1 : 1))
}
const find = (kind: string, name: string) => rowsOf(world).find((row) => row.kind === kind && row.name === name)

const Order = Schema.Array(Schema.Natural).check(Schema.isMinLength(world.length), Schema.isMaxLength(world.length))

describe("WorkloadRows", () => {
  it("shows each workload once, under the outermost thing that holds its pods", () => {
    assert.deepStrictEqual(
      rowsOf(world).map((row) => `${row.kind}/${row.name}`),
      [
        "CronJob/nightly",
        "Deployment/web",
        "Job/once",
        "Pod/bare",
        "ReplicaSet/alone",
        "ReplicaSet/gone",
        "Rollout/roll",
        "StatefulSet/db",
        "Workflow/flow"
      ]
    )
  })

  it("makes a custom kind's row from its pods, without those that are being deleted", () => {
    const row = find("Rollout", "roll")
    assert.deepStrictEqual(row?.replicas, { desired: 2, ready: 2, updated: 2, available: 2 })
    assert.strictEqual(row?.status, "healthy")
    assert.strictEqual(row?.cpuRequestMillis, 200)
    assert.deepStrictEqual(row?.labels, { app: "roll" })
    assert.strictEqual(row?.createdAt, "2026-01-01T00:00:00Z")
    assert.strictEqual(row?.id, "Rollout/roll")
  })

  it("calls a custom kind failed when its pods have ended and one of them failed", () => {
    assert.strictEqual(find("Workflow", "flow")?.status, "failed")
    assert.strictEqual(find("Workflow", "flow")?.cpuRequestMillis, 0)
  })

  it("sums a CronJob over its running Jobs", () => {
    const row = find("CronJob", "nightly")
    assert.deepStrictEqual(row?.replicas, { desired: 2, ready: 1, updated: 2, available: 1 })
    assert.strictEqual(row?.status, "degraded")
    assert.strictEqual(row?.cpuRequestMillis, 400)
  })

  it("gives a workload's rows in each namespace in which its pods run", () => {
    const everywhere = owner("acme.io/v1", "Mesh", "mesh")
    const rows = rowsOf([
      ["Pod", pod("a", { namespace: "one", owner: everywhere })],
      ["Pod", pod("b", { namespace: "two", owner: everywhere })]
    ])
    assert.deepStrictEqual(rows.map((row) => row.namespace).toSorted(), ["one", "two"])
  })

  it("counts a pod in its own namespace, and no Job of another namespace for a CronJob, whatever owner they name", () => {
    const [elsewhere, [kind, running]] = [{ namespace: "other" }, world[10] ?? assert.fail()]
    const rows = rowsOf([
      ...world,
      ["Pod", pod("stray", { ...elsewhere, owner: rolloutSet })],
      [kind, { ...running, metadata: { ...running.metadata, ...elsewhere, uid: "stray" } }]
    ])
    const isHere = ({ namespace }: { readonly namespace: string }) => namespace === "default"
    assert.deepStrictEqual(rows.filter(isHere), rowsOf(world))
    assert.deepStrictEqual(
      rows.filter((row) => !isHere(row)).map(({ cpuRequestMillis, kind, name }) => [kind, name, cpuRequestMillis]),
      [["ReplicaSet", "roll-1", 100]]
    )
  })

  it.prop(
    "is the same whatever the order in which objects become known",
    [Order, Schema.Array(Schema.Natural)],
    ([order, removed]) => {
      const shuffled = order
        .map((weight, index) => ({ weight, known: world[index] }))
        .toSorted((one, other) => one.weight - other.weight)
        .flatMap(({ known }) => (known === undefined ? [] : [known]))
      const gone = new Set(removed.map((index) => index % world.length))

      const store = synced()
      for (const [kind, found] of shuffled) put(store, kind, found)
      for (const index of gone) {
        const known = world[index]
        if (known === undefined) continue
        store.apply(known[0], [{ _tag: "Delete", uid: known[1].metadata.uid }], 0)
      }
      const found = store
        .workloads()
        .toSorted((one, other) => (`${one.kind}/${one.name}` < `${other.kind}/${other.name}` ? -1 : 1))
      assert.deepStrictEqual(found, rowsOf(world.filter((_, index) => !gone.has(index))))
    }
  )

  it("keeps a list of rows as it was when the cluster changes", () => {
    const store = synced()
    put(store, "Pod", pod("one"))
    const before = store.workloads()
    assert.strictEqual(store.workloads(), before)
    put(store, "Pod", pod("two"))
    assert.strictEqual(before.length, 1)
    assert.strictEqual(store.workloads().length, 2)
  })
})
