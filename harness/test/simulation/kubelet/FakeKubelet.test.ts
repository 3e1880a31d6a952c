import { assert, layer } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import * as FakeKubelet from "../../../src/simulation/kubelet/FakeKubelet.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../../src/client/KubeObject.ts"
import { at } from "../../conformance/Fixture.ts"
import { bothKinds } from "../../drivers/BothKinds.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const { Annotation, NODE_ANNOTATION } = FakeKubelet

/** As long as a machine that is busy with other tests may take. */
const PATIENCE = { within: "25 seconds" } as const
const NODE = "node-a"

/** A cluster of one node, with kubelets that also bind. */
class Alive extends Context.Service<Alive, FleetCluster>()("@quarterdeck/harness/test/Alive") {
  static readonly layer = Layer.effect(
    Alive,
    Effect.gen(function* () {
      const { parent } = yield* Fleet
      yield* FakeKubelet.start(parent, { schedule: true, leaseInterval: "1 second" })
      yield* parent.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: NODE } })
      yield* until("the node is ready", node(parent, NODE), isReady)
      return parent
    })
  )
}

const node = ({ api }: FleetCluster, name: string) => api.get({ apiVersion: "v1", kind: "Node", name })
const until = <E>(condition: string, probe: Effect.Effect<KubeObject, E>, accepts: (object: KubeObject) => boolean) =>
  eventually(condition, probe, accepts, PATIENCE)

const condition = (object: KubeObject, type: string): unknown => {
  const conditions = at(object, "status", "conditions")
  if (!Array.isArray(conditions)) return undefined
  return at(
    conditions.find((one: unknown) => at(one, "type") === type),
    "status"
  )
}
const isReady = (object: KubeObject) => condition(object, "Ready") === "True"
const phase = (object: KubeObject) => at(object, "status", "phase")
const state = (object: KubeObject, index = 0) => at(object, "status", "containerStatuses", index, "state")

interface Shape {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: object
  readonly kind?: object
}

/** Creates a pod and gives the way to look at it. */
const create = Effect.fnUntraced(function* ({ annotations = {}, spec = {}, kind = {} }: Shape) {
  const { api } = yield* Alive
  const name = `p-${randomBytes(5).toString("hex")}`
  yield* api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", annotations, ...kind },
    spec: { containers: [{ name: "main", image: "busybox:1" }], ...spec }
  })
  return api.get({ apiVersion: "v1", kind: "Pod", namespace: "default", name })
})

for (const driver of bothKinds(run)) {
  const fleet = Fleet.layer({ driver, parent: "hub" })
  layer(Alive.layer.pipe(Layer.provide(fleet)), { timeout: "2 minutes" })(
    `fake kubelets on the ${driver.name} driver`,
    (it) => {
      it.effect("a node becomes ready, with capacity, an address, a version and a lease that is renewed", () =>
        Effect.gen(function* () {
          const { api } = yield* Alive
          const found = yield* node(yield* Alive, NODE)
          assert.deepStrictEqual(at(found, "status", "allocatable", "cpu"), "1k")
          assert.match(String(at(found, "status", "nodeInfo", "kubeletVersion")), /^v1\./)
          assert.strictEqual(at(found, "status", "addresses", 0, "type"), "InternalIP")
          yield* until(
            "the taint is lifted",
            node(yield* Alive, NODE),
            (seen) => at(seen, "spec", "taints") === undefined
          )
          const lease = api.get({
            apiVersion: "coordination.k8s.io/v1",
            kind: "Lease",
            namespace: "kube-node-lease",
            name: NODE
          })
          const first = yield* until("the node has a lease", lease, () => true)
          const renewed = (seen: KubeObject) => at(seen, "spec", "renewTime")
          yield* until("the lease is renewed", lease, (seen) => renewed(seen) !== renewed(first))
        })
      )

      it.effect("a pod is bound, runs and is ready, its sidecar and its readiness gate too", () =>
        Effect.gen(function* () {
          const look = yield* create({
            spec: {
              initContainers: [
                { name: "init", image: "busybox:1" },
                { name: "proxy", image: "busybox:1", restartPolicy: "Always" }
              ],
              readinessGates: [{ conditionType: "acme.io/registered" }]
            }
          })
          const pod = yield* until("the pod is ready", look, isReady)
          assert.strictEqual(phase(pod), "Running")
          assert.strictEqual(at(pod, "spec", "nodeName"), NODE)
          assert.strictEqual(condition(pod, "acme.io/registered"), "True")
          assert.strictEqual(condition(pod, "PodScheduled"), "True")
          assert.match(String(at(pod, "status", "podIP")), /^10\./)
          assert.isDefined(at(state(pod), "running", "startedAt"))
          assert.strictEqual(at(pod, "status", "initContainerStatuses", 0, "state", "terminated", "exitCode"), 0)
          assert.isDefined(at(pod, "status", "initContainerStatuses", 1, "state", "running"))
        })
      )

      it.effect("a deleted pod is gone at once", () =>
        Effect.gen(function* () {
          const { api } = yield* Alive
          const look = yield* create({})
          const pod = yield* until("the pod is ready", look, isReady)
          yield* api.delete({ apiVersion: "v1", kind: "Pod", namespace: "default", name: pod.metadata.name ?? "" })
          const gone = Effect.map(Effect.result(look), ({ _tag }) => _tag)
          yield* eventually("the pod is gone", gone, (seen) => seen === "Failure", { within: "20 seconds" })
        })
      )

      it.effect("a pod of a Job succeeds, and one that is told to fail does with its reason and code", () =>
        Effect.gen(function* () {
          const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1" }] }
          // It has to exist: a garbage collector, where there is one, takes the pods of owners that do not.
          const { metadata } = yield* (yield* Alive).api.create({
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: "owner", namespace: "default" },
            spec: { template: { spec } }
          })
          const owner = { apiVersion: "batch/v1", kind: "Job", name: "owner", uid: metadata.uid, controller: true }
          const done = yield* create({ spec, kind: { ownerReferences: [owner] } })
          yield* until("the Job's pod succeeds", done, (seen) => phase(seen) === "Succeeded")
          const killed = yield* create({
            annotations: {
              [Annotation.fail]: "OOMKilled",
              [Annotation.startedAt]: "2026-01-31T06:00:00Z",
              [Annotation.runFor]: "90s"
            },
            spec: { restartPolicy: "Never" }
          })
          const pod = yield* until("the pod fails", killed, (seen) => phase(seen) === "Failed")
          assert.deepInclude(at(state(pod), "terminated"), {
            exitCode: 137,
            reason: "OOMKilled",
            startedAt: "2026-01-31T06:00:00Z",
            finishedAt: "2026-01-31T06:01:30Z"
          })
        })
      )

      it.effect("pods wait for images, loop in crashes, and say which annotation cannot be read", () =>
        Effect.gen(function* () {
          const reason = (seen: KubeObject) => at(state(seen), "waiting", "reason")
          const image = yield* create({ annotations: { [Annotation.fail]: "ImagePullBackOff" } })
          const waiting = yield* until("no image", image, (seen) => reason(seen) === "ImagePullBackOff")
          assert.strictEqual(phase(waiting), "Pending")
          const loop = yield* create({
            annotations: { [Annotation.fail]: "CrashLoopBackOff", [Annotation.restarts]: "9" }
          })
          const crashed = yield* until("a loop", loop, (seen) => reason(seen) === "CrashLoopBackOff")
          assert.strictEqual(at(crashed, "status", "containerStatuses", 0, "restartCount"), 9)
          assert.isFalse(isReady(crashed))
          const wrong = yield* create({ annotations: { [Annotation.runFor]: "soon" } })
          const refused = yield* until("a refusal", wrong, (seen) => reason(seen) === "InvalidAnnotation")
          assert.include(String(at(state(refused), "waiting", "message")), '"soon" is not a duration')
        })
      )

      it.effect("a pod starts and becomes ready after its delays, and restarts when its container ends", () =>
        Effect.gen(function* () {
          const look = yield* create({
            annotations: { [Annotation.startDelay]: "1s", [Annotation.readyDelay]: "1s", [Annotation.runFor]: "3s" }
          })
          yield* until(
            "it is being created",
            look,
            (seen) => at(state(seen), "waiting", "reason") === "ContainerCreating"
          )
          yield* until("it runs and is not ready", look, (seen) => phase(seen) === "Running" && !isReady(seen))
          yield* until("it is ready", look, isReady)
          const restarts = (seen: KubeObject) => Number(at(seen, "status", "containerStatuses", 0, "restartCount"))
          const again = yield* until("it has restarted", look, (seen) => restarts(seen) > 0)
          assert.strictEqual(
            at(again, "status", "containerStatuses", 0, "lastState", "terminated", "reason"),
            "Completed"
          )
        })
      )

      it.effect("a node that is told so is not ready, and ready again", () =>
        Effect.gen(function* () {
          const { api } = yield* Alive
          const ref = { apiVersion: "v1", kind: "Node", name: "node-b" }
          const look = api.get(ref)
          yield* api.create({ ...ref, metadata: { name: ref.name, annotations: { [NODE_ANNOTATION]: "not-ready" } } })
          yield* until("the node is not ready", look, (seen) => condition(seen, "Ready") === "False")
          yield* api.patch(ref, { metadata: { annotations: { [NODE_ANNOTATION]: null } } })
          yield* until("the node is ready", look, isReady)
          yield* api.delete(ref)
        })
      )

      it.effect(
        "pods come to life after the cluster was away",
        () =>
          Effect.gen(function* () {
            const cluster = yield* Alive
            yield* cluster.kill
            yield* cluster.restart
            const look = yield* create({ spec: { nodeName: NODE } })
            yield* until("the pod is ready", look, isReady)
          }),
        120_000
      )
    }
  )
}
