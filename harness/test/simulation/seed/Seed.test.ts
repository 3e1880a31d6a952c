import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import * as FakeKubelet from "../../../src/simulation/kubelet/FakeKubelet.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../../src/client/KubeObject.ts"
import * as Seed from "../../../src/simulation/seed/Seed.ts"
import type { ClusterPlan, PodPlan, WorkloadPlan } from "../../../src/simulation/seed/ClusterPlan.ts"
import { at } from "../../conformance/Fixture.ts"
import { bothKinds } from "../../drivers/BothKinds.ts"

const { run } = await Effect.runPromise(Drivers.selected)

const KINDS = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
  ["v1", "Pod"]
] as const

const Deployment = Schema.Struct({
  metadata: Schema.Struct({ generation: Schema.Int }),
  spec: Schema.Struct({ replicas: Schema.Int, paused: Schema.optionalKey(Schema.Boolean) }),
  status: Schema.Struct({
    observedGeneration: Schema.Int,
    updatedReplicas: Schema.optionalKey(Schema.Int),
    availableReplicas: Schema.optionalKey(Schema.Int)
  })
})
const Node = Schema.Struct({
  metadata: Schema.Struct({ labels: Schema.Record(Schema.String, Schema.String) }),
  spec: Schema.Struct({ taints: Schema.optionalKey(Schema.Array(Schema.Unknown)) }),
  status: Schema.Struct({
    allocatable: Schema.Struct({ cpu: Schema.String, memory: Schema.String }),
    conditions: Schema.Array(Schema.Struct({ type: Schema.String, status: Schema.String }))
  })
})
const Pod = Schema.Struct({
  spec: Schema.Struct({ nodeName: Schema.String }),
  status: Schema.Struct({ phase: Schema.String, podIP: Schema.String })
})
const decodeDeployment = Schema.decodeUnknownSync(Deployment)
const decodeNode = Schema.decodeUnknownSync(Node)
const decodePod = Schema.decodeUnknownSync(Pod)

const listAll = (cluster: FleetCluster, apiVersion: string, kind: string) =>
  Effect.map(cluster.api.list({ apiVersion, kind }), ({ items }) => items)
const listKinds = (cluster: FleetCluster) =>
  Effect.map(
    Effect.forEach(KINDS, ([apiVersion, kind]) => listAll(cluster, apiVersion, kind)),
    (lists) => lists.flat()
  )
const hasOwner = ({ metadata }: KubeObject): boolean => (metadata.ownerReferences ?? []).length > 0
const keyOf = ({ kind, metadata }: KubeObject): string => `${metadata.namespace}/${kind}/${metadata.name}`
const plannedKey = ({ namespace, template }: WorkloadPlan): string => `${namespace}/${template.kind}/${template.name}`

/** The phase in which a pod of each state is. */
const PHASES: Record<PodPlan["state"], string> = {
  running: "Running",
  starting: "Pending",
  crashing: "Running",
  succeeded: "Succeeded",
  failed: "Failed"
}

/** A fleet that has been filled, and what it was filled with. */
class Seeded extends Context.Service<
  Seeded,
  {
    readonly clusters: ReadonlyArray<readonly [FleetCluster, ClusterPlan]>
  }
>()("@quarterdeck/harness/test/Seeded") {
  static readonly layer = Layer.effect(
    Seeded,
    Effect.gen(function* () {
      const fleet = yield* Fleet
      const plans = yield* Seed.fill(fleet, { seed: 7 })
      return {
        clusters: fleet.clusters.flatMap((cluster, at) => (plans[at] === undefined ? [] : [[cluster, plans[at]]]))
      }
    })
  )
}

for (const driver of bothKinds(run)) {
  const fleet = Fleet.layer({ driver, parent: "hub", children: ["eu", "us"] })
  layer(Seeded.layer.pipe(Layer.provide(fleet)), { timeout: "2 minutes" })(
    `a seeded fleet of the ${driver.name} driver`,
    (it) => {
      const onEach = <E>(check: (cluster: FleetCluster, plan: ClusterPlan) => Effect.Effect<void, E>) =>
        Effect.flatMap(Seeded, ({ clusters }) => Effect.forEach(clusters, ([cluster, plan]) => check(cluster, plan)))

      it.effect("holds exactly the workloads that were planned", () =>
        onEach(
          Effect.fnUntraced(function* (cluster, plan) {
            const objects = yield* listKinds(cluster)
            const free = objects.filter((object) => !hasOwner(object)).map(keyOf)
            assert.deepStrictEqual(free.toSorted(), plan.workloads.map(plannedKey).toSorted())
          })
        )
      )

      it.effect("ties every owned object to an owner that exists", () =>
        onEach(
          Effect.fnUntraced(function* (cluster) {
            const objects = yield* listKinds(cluster)
            const known = new Set(
              objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}/${metadata.uid}`)
            )
            const owners = objects.flatMap(({ metadata }) =>
              (metadata.ownerReferences ?? []).map(
                ({ kind, name, uid }) => `${kind}/${metadata.namespace}/${name}/${uid}`
              )
            )
            assert.isNotEmpty(owners)
            assert.deepStrictEqual(
              owners.filter((owner) => !known.has(owner)),
              []
            )
          })
        )
      )

      it.effect("runs every pod on a node of its own cluster", () =>
        onEach(
          Effect.fnUntraced(function* (cluster, plan) {
            const pods = (yield* listAll(cluster, "v1", "Pod")).map((pod) => decodePod(pod))
            const nodes = new Set(plan.nodes.map(({ name }) => name))
            assert.strictEqual(
              pods.length,
              plan.workloads.reduce((sum, workload) => sum + workload.pods.length, 0)
            )
            assert.isTrue(pods.every(({ spec }) => nodes.has(spec.nodeName)))
            assert.deepStrictEqual([...new Set(pods.map(({ status }) => status.phase))].toSorted(), [
              "Failed",
              "Pending",
              "Running",
              "Succeeded"
            ])
          })
        )
      )

      it.effect("shows each Deployment in the state that was planned", () =>
        onEach(
          Effect.fnUntraced(function* (cluster, plan) {
            for (const { template, namespace, state, desired } of plan.workloads) {
              if (template.kind !== "Deployment") continue
              const { apiVersion, kind, name } = { apiVersion: "apps/v1", kind: "Deployment", name: template.name }
              const { metadata, spec, status } = decodeDeployment(
                yield* cluster.api.get({ apiVersion, kind, namespace, name })
              )
              assert.strictEqual(status.observedGeneration, metadata.generation)
              assert.strictEqual(spec.replicas, desired)
              assert.strictEqual(spec.paused ?? false, state === "paused")
              assert.strictEqual((status.availableReplicas ?? 0) < desired, state === "degraded")
              assert.strictEqual((status.updatedReplicas ?? 0) < desired, state === "progressing")
            }
          })
        )
      )

      it.effect("has ready nodes with zone, machine type, price class and capacity", () =>
        onEach(
          Effect.fnUntraced(function* (cluster, plan) {
            const nodes = (yield* listAll(cluster, "v1", "Node")).map((node) => decodeNode(node))
            assert.strictEqual(nodes.length, plan.nodes.length)
            for (const {
              metadata: { labels },
              spec,
              status
            } of nodes) {
              assert.include(plan.cloud.zones, labels["topology.kubernetes.io/zone"])
              assert.isDefined(labels["node.kubernetes.io/instance-type"])
              assert.match(status.allocatable.cpu, /^[1-9][0-9]*m$/)
              assert.isTrue(status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"))
              assert.isEmpty(spec.taints ?? [])
            }
            const marks = plan.cloud.provisioners.map(({ spotLabels }) => Object.entries(spotLabels))
            const isSpot = (labels: Readonly<Record<string, string>>) =>
              marks.some((mark) => mark.every(([name, value]) => labels[name] === value))
            const expected = plan.nodes.filter((node) => node.spot).length
            assert.strictEqual(nodes.filter(({ metadata }) => isSpot(metadata.labels)).length, expected)
          })
        )
      )

      it.effect("labels namespaces with the team that owns them", () =>
        onEach(
          Effect.fnUntraced(function* (cluster) {
            const { items } = yield* cluster.api.list({
              apiVersion: "v1",
              kind: "Namespace",
              labelSelector: "team=payments"
            })
            assert.deepStrictEqual(
              items.map(({ metadata }) => metadata.name),
              ["payments"]
            )
          })
        )
      )

      it.effect("gives public workloads an address, and every replica of a StatefulSet a bound volume", () =>
        onEach(
          Effect.fnUntraced(function* (cluster, plan) {
            const services = yield* listAll(cluster, "v1", "Service")
            const balancers = services.filter((service) => at(service, "spec", "type") === "LoadBalancer")
            const open = plan.workloads.filter(({ template }) => template.isPublic === true)
            assert.strictEqual(balancers.length, open.length)
            for (const service of balancers) {
              const address = at(service, "status", "loadBalancer", "ingress", 0)
              assert.isString(at(address, "ip") ?? at(address, "hostname"))
            }
            const claims = yield* listAll(cluster, "v1", "PersistentVolumeClaim")
            const replicas = plan.workloads.filter(({ template }) => template.kind === "StatefulSet")
            assert.strictEqual(
              claims.length,
              replicas.reduce((sum, { pods }) => sum + pods.length, 0)
            )
            const volumes = new Set(
              (yield* listAll(cluster, "v1", "PersistentVolume")).map(({ metadata }) => metadata.name)
            )
            for (const claim of claims) {
              assert.strictEqual(at(claim, "status", "phase"), "Bound")
              assert.isTrue(volumes.has(String(at(claim, "spec", "volumeName"))))
            }
          })
        )
      )
    }
  )

  layer(Fleet.layer({ driver, parent: "hub" }), { timeout: "2 minutes" })(
    `a fleet of the ${driver.name} driver that is seeded for kubelets`,
    (it) => {
      it.effect(
        "comes to the state that was planned, and tells how far it is",
        () =>
          Effect.gen(function* () {
            const { parent } = yield* Fleet
            const seen: Array<Seed.SeedProgress> = []
            const onProgress = (progress: Seed.SeedProgress) => Effect.sync(() => void seen.push(progress))
            yield* FakeKubelet.start(parent)
            const plan = yield* Seed.fillCluster(parent, 0, { size: { pods: 150 }, pods: "bound", onProgress })
            const planned = plan.workloads.flatMap(({ pods }) =>
              pods.map(({ name, state }) => `${name} ${PHASES[state]}`)
            )
            const pods = Effect.map(listAll(parent, "v1", "Pod"), (objects) =>
              objects.map((pod) => `${pod.metadata.name} ${String(at(pod, "status", "phase"))}`).toSorted()
            )
            const expected = planned.toSorted()
            yield* eventually("every pod is as planned", pods, (now) => now.join() === expected.join(), {
              within: "60 seconds",
              every: "250 millis"
            })
            const isAsPlanned = (node: KubeObject) =>
              at(node, "spec", "taints") === undefined && at(node, "status", "capacity", "cpu") === "16"
            yield* eventually(
              "every node is ready for pods, with what it has",
              listAll(parent, "v1", "Node"),
              (nodes) => nodes.every(isAsPlanned),
              { within: "60 seconds" }
            )
            const last = seen.at(-1)
            assert.strictEqual(last?.written, last?.total)
            assert.strictEqual(seen.length, Math.ceil((last?.total ?? 0) / 100))
          }),
        120_000
      )
    }
  )
}
