import { assert } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import * as FakeKubelet from "../../src/simulation/kubelet/FakeKubelet.ts"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"
import { at, deployment, deploymentRef, freshNamespace, namesOf, parent, refusedCode, type Suite } from "./Fixture.ts"

/** As long as controllers of a machine that is busy with other tests may take. */
const PATIENCE = { within: "60 seconds" } as const
const TIMEOUT = 120_000

/** The nodes that the fake kubelets keep; a cluster may have others, with kubelets of their own. */
const KEPT_NODES = "kept=yes"
const SELECTED = { kept: "yes" }
export const NODES = ["alive-a", "alive-b"] as const

/** Gives a cluster two nodes, which its fake kubelets make ready. */
export const withNodes = Effect.fnUntraced(function* ({ api }: FleetCluster) {
  yield* Effect.forEach(NODES, (name) =>
    api.create({ apiVersion: "v1", kind: "Node", metadata: { name, labels: SELECTED } })
  )
  yield* eventually(
    "the nodes are ready",
    api.list({ apiVersion: "v1", kind: "Node", labelSelector: KEPT_NODES }),
    ({ items }) =>
      items.every((node) => condition(node, "Ready") === "True" && at(node, "spec", "taints") === undefined),
    PATIENCE
  )
})

export const kubelet: FakeKubelet.FakeKubeletOptions = { nodes: KEPT_NODES, schedule: false }

const condition = (object: KubeObject, type: string): unknown => {
  const conditions = at(object, "status", "conditions")
  return Array.isArray(conditions)
    ? at(
        conditions.find((one: unknown) => at(one, "type") === type),
        "status"
      )
    : undefined
}

const container = { name: "main", image: "busybox:1" }
/** A pod template for the nodes with fake kubelets. */
const template = (app: string, annotations: Readonly<Record<string, string>> = {}, image = container.image) => ({
  metadata: { labels: { app }, annotations },
  spec: { nodeSelector: SELECTED, containers: [{ ...container, image }] }
})

export const aliveDeployment = (namespace: string, name: string, replicas: number): KubeObject => ({
  ...deployment(namespace, name),
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) }
})

const podsOf = ({ api }: FleetCluster, namespace: string, app: string) =>
  Effect.map(api.list({ apiVersion: "v1", kind: "Pod", namespace, labelSelector: `app=${app}` }), ({ items }) => items)

export const isRolledOut =
  (replicas: number) =>
  (object: KubeObject): boolean =>
    at(object, "status", "availableReplicas") === replicas
    && at(object, "status", "updatedReplicas") === replicas
    && at(object, "status", "replicas") === replicas
    && at(object, "status", "observedGeneration") === at(object, "metadata", "generation")

/** What controllers and kubelets make of what is written. */
export const alive = (it: Suite): void => {
  const place = Effect.gen(function* () {
    const cluster = yield* parent
    return { cluster, api: cluster.api, namespace: yield* freshNamespace(cluster) }
  })

  it.effect(
    "a namespace has its default service account and the cluster's certificates",
    () =>
      Effect.gen(function* () {
        const { api, namespace } = yield* place
        yield* eventually(
          "the account is there",
          api.get({ apiVersion: "v1", kind: "ServiceAccount", namespace, name: "default" }),
          () => true,
          PATIENCE
        )
        yield* eventually(
          "the certificates are there",
          api.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "kube-root-ca.crt" }),
          () => true,
          PATIENCE
        )
      }),
    TIMEOUT
  )

  it.effect(
    "a deployment gets replica set and pods, which run on nodes and count as available",
    () =>
      Effect.gen(function* () {
        const { api, cluster, namespace } = yield* place
        yield* api.create(aliveDeployment(namespace, "web", 3))
        yield* eventually("web is available", api.get(deploymentRef(namespace, "web")), isRolledOut(3), PATIENCE)
        const pods = yield* podsOf(cluster, namespace, "web")
        assert.strictEqual(pods.length, 3)
        for (const pod of pods) {
          assert.strictEqual(at(pod, "status", "phase"), "Running")
          assert.include(NODES, at(pod, "spec", "nodeName"))
          assert.strictEqual(pod.metadata.ownerReferences?.[0]?.kind, "ReplicaSet")
        }
      }),
    TIMEOUT
  )

  it.effect(
    "a changed template replaces the pods, and the old replica set stays empty",
    () =>
      Effect.gen(function* () {
        const { api, cluster, namespace } = yield* place
        yield* api.create(aliveDeployment(namespace, "web", 2))
        const web = deploymentRef(namespace, "web")
        yield* eventually("web is available", api.get(web), isRolledOut(2), PATIENCE)
        const before = namesOf(yield* podsOf(cluster, namespace, "web"))
        yield* api.patch(web, { spec: { template: { spec: { containers: [{ ...container, image: "busybox:2" }] } } } })
        yield* eventually("web is rolled out", api.get(web), isRolledOut(2), PATIENCE)
        const after = yield* eventually(
          "the old pods are gone",
          podsOf(cluster, namespace, "web"),
          (pods) => pods.length === 2 && pods.every((pod) => !before.includes(pod.metadata.name ?? "")),
          PATIENCE
        )
        for (const pod of after) assert.strictEqual(at(pod, "spec", "containers", 0, "image"), "busybox:2")
        const sets = yield* api.list({ apiVersion: "apps/v1", kind: "ReplicaSet", namespace })
        assert.sameMembers(
          sets.items.map((set) => at(set, "spec", "replicas")),
          [0, 2]
        )
      }),
    TIMEOUT
  )

  it.effect(
    "a stateful set numbers its pods, and a daemon set has one on each node",
    () =>
      Effect.gen(function* () {
        const { api, cluster, namespace } = yield* place
        const spec = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) })
        const named = (name: string) => ({ apiVersion: "apps/v1", metadata: { name, namespace } })
        yield* api.create({
          ...named("db"),
          kind: "StatefulSet",
          spec: { ...spec("db"), serviceName: "db", replicas: 2 }
        })
        yield* api.create({ ...named("agent"), kind: "DaemonSet", spec: spec("agent") })
        const running = (app: string) =>
          eventually(
            `the pods of ${app} run`,
            podsOf(cluster, namespace, app),
            (pods) => pods.length === 2 && pods.every((pod) => at(pod, "status", "phase") === "Running"),
            PATIENCE
          )
        assert.deepStrictEqual(namesOf(yield* running("db")), ["db-0", "db-1"])
        const agents = yield* running("agent")
        assert.sameMembers(
          agents.map((pod) => at(pod, "spec", "nodeName")),
          [...NODES]
        )
      }),
    TIMEOUT
  )

  it.effect(
    "a job's pods complete, and a pod with a failure annotation fails",
    () =>
      Effect.gen(function* () {
        const { api, cluster, namespace } = yield* place
        const job = (name: string, annotations: Readonly<Record<string, string>>) => ({
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name, namespace },
          spec: {
            backoffLimit: 0,
            template: {
              metadata: { labels: { app: name }, annotations },
              spec: { ...template(name).spec, restartPolicy: "Never" }
            }
          }
        })
        yield* api.create(job("done", {}))
        yield* api.create(job("broken", { [FakeKubelet.Annotation.fail]: "Error" }))
        const ref = (name: string) => api.get({ apiVersion: "batch/v1", kind: "Job", namespace, name })
        yield* eventually("the job is complete", ref("done"), (one) => condition(one, "Complete") === "True", PATIENCE)
        yield* eventually("the job has failed", ref("broken"), (one) => condition(one, "Failed") === "True", PATIENCE)
        const [pod] = yield* podsOf(cluster, namespace, "done")
        assert.strictEqual(at(pod, "status", "phase"), "Succeeded")
      }),
    TIMEOUT
  )

  it.effect(
    "dependents are deleted with their owner in foreground and background, and stay with orphan deletion",
    () =>
      Effect.gen(function* () {
        const { api, namespace } = yield* place
        const replicaSets = api.list({ apiVersion: "apps/v1", kind: "ReplicaSet", namespace })
        for (const [propagationPolicy, left] of [
          ["Foreground", 0],
          ["Background", 0],
          ["Orphan", 1]
        ] as const) {
          yield* api.create(aliveDeployment(namespace, "web", 1))
          const web = deploymentRef(namespace, "web")
          yield* eventually("web is available", api.get(web), isRolledOut(1), PATIENCE)
          yield* api.delete(web, { propagationPolicy })
          yield* eventually("web is gone", Effect.flip(api.get(web)), () => true, PATIENCE)
          const { items } = yield* eventually(
            `${left} replica sets are left`,
            replicaSets,
            (sets) => sets.items.length === left,
            PATIENCE
          )
          for (const set of items) assert.notProperty(set.metadata, "ownerReferences")
        }
      }),
    TIMEOUT
  )

  it.effect(
    "a deleted namespace is removed with its objects",
    () =>
      Effect.gen(function* () {
        const { api, cluster, namespace } = yield* place
        yield* api.create(aliveDeployment(namespace, "web", 2))
        yield* eventually("web is available", api.get(deploymentRef(namespace, "web")), isRolledOut(2), PATIENCE)
        yield* api.delete({ apiVersion: "v1", kind: "Namespace", name: namespace })
        yield* eventually(
          "the namespace is gone",
          refusedCode(api.get({ apiVersion: "v1", kind: "Namespace", name: namespace })),
          (code) => code === 404,
          PATIENCE
        )
        assert.deepStrictEqual(yield* podsOf(cluster, namespace, "web"), [])
      }),
    TIMEOUT
  )

  it.effect(
    "a pod that fits no node stays pending, with the reason",
    () =>
      Effect.gen(function* () {
        const { api, namespace } = yield* place
        const name = `p-${randomBytes(4).toString("hex")}`
        yield* api.create({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name, namespace },
          spec: { nodeSelector: { nowhere: "yes" }, containers: [container] }
        })
        const pod = yield* eventually(
          "the scheduler has looked",
          api.get({ apiVersion: "v1", kind: "Pod", namespace, name }),
          (seen) => condition(seen, "PodScheduled") === "False",
          PATIENCE
        )
        assert.strictEqual(at(pod, "status", "phase"), "Pending")
      }),
    TIMEOUT
  )
}
