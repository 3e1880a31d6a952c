import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import * as Interner from "../../src/projection/Interner.ts"
import type * as Kind from "../../src/projection/Kind.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { type Body, container, deployment, namespace, node, object, pod } from "../fixture/KubeObjects.ts"

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }
const project = <K extends Kind.Kind>(kind: K, body: Parameters<typeof Projection.project>[1]) =>
  Projection.project(kind, body, place)

const progressing = (reason: string, status = "True") => ({ conditions: [{ type: "Progressing", status, reason }] })
const statusOf = (kind: "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob", body: Body) =>
  project(kind, object(kind, "x", { namespace: "default", ...body })).row.status

describe("Projection", () => {
  it("makes a whole workload of a Deployment", () => {
    const { owner, row } = project("Deployment", deployment("web", { replicas: 3, labels: { app: "web" } }))
    assert.isUndefined(owner)
    assert.deepStrictEqual(row, {
      id: "Deployment/default/web",
      cluster: place.cluster,
      namespace: "default",
      kind: "Deployment",
      name: "web",
      labels: { app: "web" },
      images: ["web:1"],
      replicas: { desired: 3, ready: 3, updated: 3, available: 3 },
      status: "healthy",
      cpuRequestMillis: 300,
      memoryRequestBytes: 3 * 64 * 1024 ** 2,
      cpuLimitMillis: 300,
      memoryLimitBytes: 3 * 64 * 1024 ** 2,
      createdAt: "2026-01-01T00:00:00Z"
    })
  })

  it("names each image once, containers before init containers", () => {
    const template = {
      spec: {
        initContainers: [container("1", "1", "init:1"), container("1", "1", "web:1")],
        containers: [container("1", "1", "web:1"), container("1", "1", "proxy:2")]
      }
    }
    assert.deepStrictEqual(project("Deployment", deployment("web", { spec: { template } })).row.images, [
      "web:1",
      "proxy:2",
      "init:1"
    ])
  })

  it.each<[string, Body]>([
    ["healthy", { spec: { replicas: 2 }, status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2 } }],
    ["paused", { spec: { replicas: 2, paused: true } }],
    ["idle", { spec: { replicas: 0 } }],
    [
      "progressing",
      {
        spec: { replicas: 2 },
        generation: 2,
        status: { observedGeneration: 1, updatedReplicas: 2, availableReplicas: 2 }
      }
    ],
    ["progressing", { spec: { replicas: 2 }, status: { replicas: 3, updatedReplicas: 2, availableReplicas: 3 } }],
    ["progressing", { spec: { replicas: 2 }, status: { replicas: 2, updatedReplicas: 1, availableReplicas: 2 } }],
    [
      "progressing",
      { spec: { replicas: 2 }, status: { replicas: 2, updatedReplicas: 2, ...progressing("ReplicaSetUpdated") } }
    ],
    [
      "degraded",
      {
        spec: { replicas: 2 },
        status: { replicas: 2, updatedReplicas: 2, availableReplicas: 1, ...progressing("NewReplicaSetAvailable") }
      }
    ],
    [
      "degraded",
      {
        spec: { replicas: 2 },
        status: {
          replicas: 2,
          updatedReplicas: 1,
          availableReplicas: 1,
          ...progressing("ProgressDeadlineExceeded", "False")
        }
      }
    ],
    ["degraded", { spec: { replicas: 2 }, status: { replicas: 2, updatedReplicas: 2, availableReplicas: 1 } }]
  ])("calls a Deployment %s: %j", (status, body) => {
    assert.strictEqual(statusOf("Deployment", body), status)
  })

  it.each<[string, Body]>([
    ["healthy", { spec: { replicas: 2 }, status: { updatedReplicas: 2, availableReplicas: 2 } }],
    ["healthy", { spec: { replicas: 2 }, status: { updatedReplicas: 2, readyReplicas: 2 } }],
    [
      "healthy",
      {
        spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        status: { updatedReplicas: 1, availableReplicas: 3 }
      }
    ],
    [
      "healthy",
      {
        spec: { replicas: 3, updateStrategy: { type: "OnDelete" } },
        status: { updatedReplicas: 0, availableReplicas: 3 }
      }
    ],
    ["progressing", { spec: { replicas: 3 }, status: { updatedReplicas: 1, availableReplicas: 2 } }],
    ["degraded", { spec: { replicas: 3 }, status: { updatedReplicas: 3, availableReplicas: 2 } }],
    ["idle", { spec: { replicas: 0 } }]
  ])("calls a StatefulSet %s: %j", (status, body) => {
    assert.strictEqual(statusOf("StatefulSet", body), status)
  })

  it.each<[string, Body]>([
    ["healthy", { status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 } }],
    ["progressing", { status: { desiredNumberScheduled: 3, updatedNumberScheduled: 1, numberAvailable: 2 } }],
    ["degraded", { status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 } }],
    ["progressing", { generation: 1, status: {} }],
    ["idle", { generation: 1, status: { observedGeneration: 1, desiredNumberScheduled: 0 } }]
  ])("calls a DaemonSet %s: %j", (status, body) => {
    assert.strictEqual(statusOf("DaemonSet", body), status)
  })

  it("counts a DaemonSet for every node that should run it", () => {
    const body = {
      namespace: "default",
      spec: { template: { spec: { containers: [container("100m", "1Mi")] } } },
      status: { desiredNumberScheduled: 4 }
    }
    const { row } = project("DaemonSet", object("DaemonSet", "agent", body))
    assert.strictEqual(row.replicas.desired, 4)
    assert.strictEqual(row.cpuRequestMillis, 400)
  })

  it.each<[string, Body]>([
    ["healthy", { spec: { replicas: 1 }, status: { replicas: 1, availableReplicas: 1 } }],
    ["progressing", { spec: { replicas: 2 }, status: { replicas: 1, availableReplicas: 1 } }],
    ["degraded", { spec: { replicas: 1 }, status: { replicas: 1, availableReplicas: 0 } }],
    [
      "degraded",
      { spec: { replicas: 1 }, status: { replicas: 0, conditions: [{ type: "ReplicaFailure", status: "True" }] } }
    ]
  ])("calls a ReplicaSet %s: %j", (status, body) => {
    assert.strictEqual(statusOf("ReplicaSet", body), status)
  })

  it.each<[string, number, Body]>([
    ["completed", 0, { status: { succeeded: 1, conditions: [{ type: "Complete", status: "True" }] } }],
    ["failed", 0, { status: { failed: 1, conditions: [{ type: "Failed", status: "True" }] } }],
    ["paused", 0, { spec: { suspend: true } }],
    ["idle", 0, { spec: { parallelism: 0, completions: 1 } }],
    ["healthy", 2, { spec: { parallelism: 2, completions: 5 }, status: { active: 2, ready: 2 } }],
    ["healthy", 2, { spec: { parallelism: 2, completions: 5 }, status: { active: 2 } }],
    ["healthy", 1, { spec: { parallelism: 2, completions: 5 }, status: { active: 1, ready: 1, succeeded: 4 } }],
    ["progressing", 1, { status: { active: 1, ready: 0 } }],
    ["degraded", 1, { status: { active: 1, ready: 0, failed: 2 } }],
    ["healthy", 1, { spec: { parallelism: 3 }, status: { active: 1, ready: 1, succeeded: 2 } }],
    ["progressing", 3, { spec: { parallelism: 3 }, status: {} }]
  ])("calls a Job %s and wants %d pods: %j", (status, desired, body) => {
    const { row } = project("Job", object("Job", "x", { namespace: "default", ...body }))
    assert.strictEqual(row.status, status)
    assert.strictEqual(row.replicas.desired, desired)
  })

  it.each<[string, Body]>([
    ["paused", { spec: { suspend: true } }],
    ["idle", { spec: { schedule: "* * * * *" } }]
  ])("calls a CronJob without Jobs %s: %j", (status, body) => {
    assert.strictEqual(statusOf("CronJob", body), status)
  })

  it.each<[string, number, Body]>([
    ["healthy", 1, {}],
    ["progressing", 1, { status: { phase: "Pending", conditions: [] } }],
    ["degraded", 1, { status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] } }],
    [
      "degraded",
      1,
      {
        status: {
          phase: "Pending",
          conditions: [],
          containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }]
        }
      }
    ],
    [
      "degraded",
      1,
      { status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] } }
    ],
    ["completed", 0, { status: { phase: "Succeeded", conditions: [] } }],
    ["failed", 0, { status: { phase: "Failed", conditions: [] } }]
  ])("calls a bare pod %s, wanting %d: %j", (status, desired, body) => {
    const { row } = project("Pod", pod("p", body))
    assert.strictEqual(row?.kind, "Pod")
    assert.strictEqual(row?.status, status)
    assert.strictEqual(row?.replicas.desired, desired)
    assert.strictEqual(row?.cpuRequestMillis, 100 * desired)
  })

  it("takes the mirror of a static pod for a bare pod, and an owned one for none", () => {
    const owned = (apiVersion: string, kind: string) =>
      project("Pod", pod("p", { owner: { apiVersion, kind, name: "o", uid: "o" } })).row?.kind
    assert.strictEqual(owned("v1", "Node"), "Pod")
    assert.isUndefined(owned("apps/v1", "ReplicaSet"))
  })

  it("does not take a custom kind for a built-in one of the same name", () => {
    const owner = (apiVersion: string) =>
      project("Pod", pod("p", { owner: { apiVersion, kind: "Job", name: "o", uid: "o" } })).owner?.followed
    assert.strictEqual(owner("batch/v1"), "Job")
    assert.isUndefined(owner("batch.volcano.sh/v1alpha1"))
  })

  it.each([
    ["batch/v1", "Job", "Job"],
    ["batch.volcano.sh/v1alpha1", "Job", "Job.batch.volcano.sh"],
    ["extensions/v1beta1", "ReplicaSet", "ReplicaSet"],
    ["v1", "ReplicationController", "ReplicationController"],
    ["serving.knative.dev/v1", "Service", "Service.serving.knative.dev"],
    ["longhorn.io/v1beta2", "Node", "Node.longhorn.io"],
    ["argoproj.io/v1alpha1", "Rollout", "Rollout"],
    ["v1", "Node", undefined],
    ["x.example.com/v1", "Very/Odd Kind", undefined],
    ["x.example.com/v1", "__idle__", undefined],
    ["Odd Group/v1", "Job", undefined]
  ])("names the owner of %s %s as %s", (apiVersion, kind, named) => {
    const { owner } = project("Pod", pod("p", { owner: { apiVersion, kind, name: "o", uid: "o" } }))
    assert.strictEqual(owner?.kind, named)
  })

  it("reads nodes and namespaces", () => {
    const record = project("Node", node("n1", "3920m", "8Gi"))
    assert.strictEqual(record.cpuAllocatableMillis, 3920)
    assert.strictEqual(record.memoryAllocatableBytes, 8 * 1024 ** 3)
    assert.isTrue(record.ready)
    const read = project("Namespace", namespace("shop", { team: "a" }))
    assert.strictEqual(read.name, "shop")
    assert.deepStrictEqual(read.labels, { team: "a" })
    assert.strictEqual(read.phase, "Active")
  })

  it("survives an object that is nothing like its kind", () => {
    const odd = { metadata: { name: "x", uid: "x", resourceVersion: "1" }, spec: 1, status: [{ replicas: -1 }] }
    for (const kind of [
      "Deployment",
      "StatefulSet",
      "DaemonSet",
      "ReplicaSet",
      "Job",
      "CronJob",
      "Pod",
      "Node",
      "Namespace"
    ] as const) {
      assert.strictEqual(project(kind, odd).uid, "x")
    }
  })

  it("shares the labels of objects that carry the same", () => {
    const one = project("Pod", pod("a", { labels: { app: "web", tier: "front" } }))
    const other = project("Pod", pod("b", { labels: { tier: "front", app: "web" } }))
    assert.strictEqual(one.labels, other.labels)
  })
})
