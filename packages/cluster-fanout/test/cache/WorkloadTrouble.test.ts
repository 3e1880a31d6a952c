import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { ClusterStore } from "../../src/cache/ClusterStore.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import type { Fields } from "../../src/projection/Field.ts"
import * as Interner from "../../src/projection/Interner.ts"
import type * as Kind from "../../src/projection/Kind.ts"
import * as Projection from "../../src/projection/Projection.ts"
import type { WorkloadRow } from "../../src/projection/Row.ts"
import { emptyStore } from "../fixture/ChangingCluster.ts"
import { deployment, object, pod } from "../fixture/KubeObjects.ts"

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }

const put = (store: ClusterStore, kind: Kind.WorkloadKind, found: KubeObject) =>
  store.apply(kind, [{ _tag: "Put", record: Projection.project(kind, found, place) }], 0)

const AT = "2026-11-27T06:00:00Z"
const LATER = "2026-11-27T07:00:00Z"

const unready = (since: string) => [
  { type: "Ready", status: "False", reason: "ContainersNotReady", lastTransitionTime: since }
]

const waiting = (reason: string) => ({ name: "main", state: { waiting: { reason } } })

/** Statuses of a pod, by what is wrong with it. */
const POD_STATUS = {
  ready: {},
  starting: { phase: "Pending", conditions: unready(AT), containerStatuses: [waiting("ContainerCreating")] },
  crashing: { conditions: unready(AT), containerStatuses: [waiting("CrashLoopBackOff")] },
  later: { conditions: unready(LATER), containerStatuses: [waiting("CrashLoopBackOff")] },
  imageless: { phase: "Pending", conditions: unready(AT), containerStatuses: [waiting("ImagePullBackOff")] },
  unschedulable: {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", lastTransitionTime: LATER }]
  },
  killed: {
    conditions: unready(AT),
    containerStatuses: [{ name: "main", state: { terminated: { exitCode: 137, reason: "OOMKilled" } } }]
  },
  unready: { conditions: unready(LATER) },
  failed: {
    phase: "Failed",
    conditions: unready(LATER),
    containerStatuses: [{ name: "main", state: { terminated: { exitCode: 137, reason: "OOMKilled" } } }]
  }
} as const

type State = keyof typeof POD_STATUS

const ofSet = (name: string, state: State, terminating = false) =>
  pod(name, {
    owner: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "web-1" },
    status: POD_STATUS[state],
    terminating
  })

const webSet = object("ReplicaSet", "web-1", {
  namespace: "default",
  uid: "web-1",
  owner: { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "web" },
  spec: { replicas: 1 }
})
const web = (more: Parameters<typeof deployment>[1] = {}) => deployment("web", { uid: "web", ...more })

const rowOf = (store: ClusterStore, name = "web"): Pick<WorkloadRow, "status" | "reason" | "since"> => {
  const row = store.workloads().find((row) => row.name === name)
  assert.isDefined(row)
  const { reason, since, status } = row
  return { status, ...(reason !== undefined && { reason }), ...(since !== undefined && { since }) }
}

const running = (deployed: KubeObject, ...states: ReadonlyArray<State>) => {
  const store = emptyStore()
  put(store, "Deployment", deployed)
  put(store, "ReplicaSet", webSet)
  for (const [index, state] of states.entries()) put(store, "Pod", ofSet(`web-${index}`, state))
  return store
}

describe("problems of pods", () => {
  it("a crash loop degrades a Deployment that its controller calls available, and nothing is left once it ends", () => {
    const store = running(web(), "ready", "crashing")
    assert.deepStrictEqual(rowOf(store), { status: "degraded", reason: "CrashLoopBackOff", since: AT })
    put(store, "Deployment", web({ labels: { changed: "yes" } }))
    assert.deepStrictEqual(rowOf(store), { status: "degraded", reason: "CrashLoopBackOff", since: AT })
    put(store, "Pod", ofSet("web-1", "ready"))
    assert.deepStrictEqual(rowOf(store), { status: "healthy" })
    put(store, "Pod", ofSet("web-1", "crashing"))
    store.apply("Pod", [{ _tag: "Delete", uid: ofSet("web-1", "crashing").metadata.uid }], 0)
    assert.deepStrictEqual(rowOf(store), { status: "healthy" })
  })

  it.each<readonly [State, string, string]>([
    ["crashing", "CrashLoopBackOff", AT],
    ["imageless", "ImagePullBackOff", AT],
    ["unschedulable", "Unschedulable", LATER],
    ["killed", "OOMKilled", AT]
  ])("a pod that is %s degrades its workload with the word %s", (state, reason, since) => {
    assert.deepStrictEqual(rowOf(running(web(), "ready", state)), { status: "degraded", reason, since })
  })

  it("the worst reason counts, since the first pod that has it, in whatever order pods come", () => {
    for (const states of [
      ["later", "crashing", "unschedulable", "imageless"],
      ["imageless", "unschedulable", "crashing", "later"]
    ] satisfies ReadonlyArray<ReadonlyArray<State>>) {
      assert.deepStrictEqual(rowOf(running(web(), ...states)), {
        status: "degraded",
        reason: "CrashLoopBackOff",
        since: AT
      })
    }
  })

  it.each<readonly [string, State]>([
    ["starts", "starting"],
    ["is not ready yet", "unready"],
    ["has failed and was replaced", "failed"]
  ])("a pod that %s leaves an available workload healthy", (_what, state) => {
    assert.deepStrictEqual(rowOf(running(web(), "ready", state)), { status: "healthy" })
  })

  it("a pod that is being deleted does not count", () => {
    const store = running(web())
    put(store, "Pod", ofSet("web-0", "crashing", true))
    assert.deepStrictEqual(rowOf(store), { status: "healthy" })
  })

  it("a paused workload stays paused and shows the reason", () => {
    const paused = web({ spec: { paused: true } })
    assert.deepStrictEqual(rowOf(running(paused, "crashing")), {
      status: "paused",
      reason: "CrashLoopBackOff",
      since: AT
    })
  })

  it("the controller's reason stands, and pods only explain what it leaves open", () => {
    const late = web({
      status: {
        availableReplicas: 0,
        conditions: [
          { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", lastTransitionTime: AT }
        ]
      }
    })
    const expected = { status: "degraded", reason: "ProgressDeadlineExceeded", since: AT } as const
    assert.deepStrictEqual(rowOf(running(late, "unready")), expected)
    assert.deepStrictEqual(rowOf(running(late, "crashing")), { ...expected, reason: "CrashLoopBackOff" })

    const store = emptyStore()
    const set = object("StatefulSet", "db", {
      namespace: "default",
      uid: "db",
      spec: { replicas: 1 },
      status: { updatedReplicas: 1 }
    })
    put(store, "StatefulSet", set)
    assert.deepStrictEqual(rowOf(store, "db"), { status: "degraded", reason: "MinimumReplicasUnavailable" })
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "db" }
    put(store, "Pod", pod("db-0", { owner, status: POD_STATUS.unready }))
    assert.deepStrictEqual(rowOf(store, "db"), { status: "degraded", reason: "ContainersNotReady", since: LATER })
  })

  it("a failed Job has the reason of its pods, and its own without them", () => {
    const store = emptyStore()
    const failed = { type: "Failed", status: "True", reason: "BackoffLimitExceeded", lastTransitionTime: LATER }
    put(
      store,
      "Job",
      object("Job", "report", { namespace: "default", uid: "report", status: { failed: 1, conditions: [failed] } })
    )
    assert.deepStrictEqual(rowOf(store, "report"), { status: "failed", reason: "BackoffLimitExceeded", since: LATER })
    put(
      store,
      "Job",
      object("Job", "report", { namespace: "default", uid: "report", status: { failed: 1, active: 1, ready: 0 } })
    )
    assert.deepStrictEqual(rowOf(store, "report"), { status: "degraded", reason: "PodsFailed" })
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "report", uid: "report" }
    put(store, "Pod", pod("report-1", { owner, status: POD_STATUS.failed }))
    assert.deepStrictEqual(rowOf(store, "report"), { status: "degraded", reason: "OOMKilled", since: LATER })
  })

  it("a CronJob has the reason of the pods of its running Job, and none of an ended one's", () => {
    const store = emptyStore()
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "nightly" }
    const putJob = (name: string, status: Fields) =>
      put(store, "Job", object("Job", name, { namespace: "default", uid: name, owner, status }))
    const putPod = (job: string, status: Fields) =>
      put(
        store,
        "Pod",
        pod(`${job}-1`, { owner: { apiVersion: "batch/v1", kind: "Job", name: job, uid: job }, status })
      )
    const failing = { failed: 1, active: 1, ready: 0 }
    put(store, "CronJob", object("CronJob", "nightly", { namespace: "default", uid: "nightly" }))
    putJob("monday", failing)
    putPod("monday", { ...POD_STATUS.failed, conditions: unready(AT) })
    assert.deepStrictEqual(rowOf(store, "nightly"), { status: "degraded", reason: "OOMKilled", since: AT })

    putJob("monday", { failed: 1, conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] })
    assert.notStrictEqual(rowOf(store, "nightly").status, "degraded")
    putJob("tuesday", failing)
    assert.deepStrictEqual(rowOf(store, "nightly"), { status: "degraded", reason: "PodsFailed" })
    const exited = { name: "main", state: { terminated: { exitCode: 1, reason: "Error" } } }
    putPod("tuesday", { phase: "Failed", conditions: unready(LATER), containerStatuses: [exited] })
    assert.deepStrictEqual(rowOf(store, "nightly"), { status: "degraded", reason: "Error", since: LATER })
  })

  it("bare pods and workloads of custom kinds have the words of their pods", () => {
    const store = emptyStore()
    put(store, "Pod", pod("alone", { status: POD_STATUS.crashing }))
    assert.deepStrictEqual(rowOf(store, "alone"), { status: "degraded", reason: "CrashLoopBackOff", since: AT })
    put(store, "Pod", pod("ended", { status: POD_STATUS.failed }))
    assert.deepStrictEqual(rowOf(store, "ended"), { status: "failed", reason: "OOMKilled", since: LATER })
    const owner = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "roll", uid: "roll" }
    put(store, "Pod", pod("roll-1", { owner, status: POD_STATUS.imageless }))
    put(store, "Pod", pod("roll-2", { owner, status: POD_STATUS.unready }))
    assert.deepStrictEqual(rowOf(store, "roll"), { status: "degraded", reason: "ImagePullBackOff", since: AT })
  })
})
