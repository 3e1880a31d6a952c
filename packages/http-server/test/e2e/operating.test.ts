/** Workloads operated on clusters with controllers, as kubectl and a reader of the stream see it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import { Drivers, eventually, FakeKubelet, Fleet, type FleetCluster } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { act, prepare, refusedAct } from "./actedOn.ts"
import { CLUSTERS } from "./clusters.ts"
import { Deployment, to } from "./Deployment.ts"
import { kubectl } from "./kubectl.ts"
import { openReady, until, workloads } from "./StreamReader.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const drivers = run.filter(({ name }) => name === "control-plane" || name === "embedded")

const NAMES = [CLUSTERS.parent, ...CLUSTERS.children]
const ROLLED_OUT = "60 seconds"

const furnish = (cluster: FleetCluster.FleetCluster) =>
  Effect.andThen(prepare(cluster), cluster.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }))

/** What somebody types at one of the clusters. */
const typed = Effect.fnUntraced(function* (cluster: string, ...args: ReadonlyArray<string>) {
  const printed = yield* kubectl((yield* Deployment).fleet, cluster, ["--namespace", "shop", ...args])
  return printed.trim()
}, Effect.scoped)

/** Fields of a workload as kubectl prints them, with spaces between. */
const printedOf = (cluster: string, workload: string, ...fields: ReadonlyArray<string>) =>
  typed(cluster, "get", workload, "-o", `jsonpath=${fields.map((field) => `{${field}}`).join(" ")}`)

const REPLICAS = [".spec.replicas", ".status.updatedReplicas", ".status.availableReplicas"]

/** A Deployment whose pods take a while to be ready, as containers do; changes within 250 ms are one to a reader. */
const deploymentOf = (name: string) => {
  const metadata = { labels: { app: name }, annotations: { [FakeKubelet.Annotation.readyDelay]: "1s" } }
  const template = { metadata, spec: { containers: [{ name: "main", image: "acme/main:1" }] } }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "shop" },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template }
  }
}

/** Makes a Deployment, follows its rows in all clusters, and waits until it is rolled out. */
const follow = Effect.fnUntraced(function* (name: string, on: ReadonlyArray<string> = ["prod"]) {
  const { fleet } = yield* Deployment
  for (const cluster of on) yield* (yield* fleet.cluster(cluster)).api.create(deploymentOf(name))
  const reader = yield* openReady(workloads, `/api/v1/workloads/watch?name=${name}`, { target: "*" })
  const rowIn = (cluster: string) => [...reader.rows.values()].find((row) => row.cluster === cluster)
  const sees = (what: string, replicas: number, cluster: string) =>
    until(
      what,
      reader,
      () => {
        const { desired, ready, updated } = rowIn(cluster)?.replicas ?? { desired: -1, ready: -1, updated: -1 }
        return desired === replicas && ready === replicas && updated === replicas
      },
      ROLLED_OUT
    )
  for (const cluster of on) yield* sees(`${name} runs in ${cluster}`, 1, cluster)
  return { reader, rowIn, sees, path: `/api/v1/workloads/prod/shop/Deployment/${name}` }
})

/** The version of a workload whose controllers have written what they write of it. */
const versionAtRest = (cluster: string, workload: string) => {
  let last = ""
  return eventually(
    `${workload} is at rest`,
    printedOf(cluster, workload, ".metadata.resourceVersion"),
    (version) => {
      const isAtRest = version === last
      last = version
      return isAtRest
    },
    { within: ROLLED_OUT, every: "500 millis" }
  )
}

const decodeBulk = Schema.decodeUnknownEffect(Schema.fromJsonString(BulkActionResult), { onExcessProperty: "error" })

if (drivers.length === 0) {
  it.effect("is left out: this run uses no driver with controllers that simulated kubelets serve", () => Effect.void)
}

describe.each(drivers)("workloads are operated on $name with controllers", (driver) => {
  const clusters = Fleet.make({ ...CLUSTERS, driver, controllers: true, kubelet: true })
  const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, furnish, { discard: true })
  layer(Deployment.layer({ driver, clusters, prepare: fill }), {
    timeout: "180 seconds",
    excludeTestServices: true
  })((it) => {
    it.effect("a scale is rolled out, and kubectl and the stream tell the same", () =>
      Effect.gen(function* () {
        const { path, sees } = yield* follow("scaled")
        const done = yield* act(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(done, { status: "applied", before: { replicas: 1 }, after: { replicas: 3 } })
        yield* sees("the stream tells three that are ready", 3, "prod")
        assert.include(yield* typed("prod", "rollout", "status", "deployment/scaled"), "successfully rolled out")
        assert.strictEqual(yield* printedOf("prod", "deployment/scaled", ...REPLICAS), "3 3 3")
        yield* act(`${path}/scale`, { replicas: 0 })
        yield* sees("the stream tells none", 0, "prod")
        assert.strictEqual(yield* typed("prod", "get", "pods", "-l", "app=scaled", "-o", "name"), "")
      }).pipe(Effect.scoped)
    )

    it.effect("a restart replaces the pods, as a revision that kubectl can go back from", () =>
      Effect.gen(function* () {
        const { path, reader, rowIn, sees } = yield* follow("restarted")
        const pods = typed("prod", "get", "pods", "-l", "app=restarted", "-o", "name")
        const before = yield* pods
        const { after } = yield* act(`${path}/restart`, {})
        const isUnderWay = () => rowIn("prod")?.status === "progressing"
        yield* until("the stream tells of the rollout", reader, isUnderWay, ROLLED_OUT)
        yield* typed("prod", "rollout", "status", "deployment/restarted", "--timeout=60s")
        yield* sees("the stream tells one that is new", 1, "prod")
        const now = yield* eventually("the old pod is gone", pods, (names) => !names.includes("\n"), {
          within: ROLLED_OUT
        })
        assert.match(now, /^pod\/restarted-/)
        assert.notStrictEqual(now, before)
        const annotation = ".spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt"
        assert.strictEqual(yield* printedOf("prod", "deployment/restarted", annotation), after.restartedAt)
        assert.match(yield* typed("prod", "rollout", "history", "deployment/restarted"), /^2 /m)
        yield* typed("prod", "rollout", "undo", "deployment/restarted")
      }).pipe(Effect.scoped)
    )

    it.effect("what is paused does not roll out until it is resumed", () =>
      Effect.gen(function* () {
        const { path, rowIn, reader, sees } = yield* follow("paused")
        yield* act(`${path}/pause`, {})
        yield* until("the stream tells that it is paused", reader, () => rowIn("prod")?.status === "paused")
        assert.strictEqual(yield* printedOf("prod", "deployment/paused", ".spec.paused"), "true")
        yield* typed("prod", "set", "image", "deployment/paused", "main=acme/main:2")
        const observed = [".metadata.generation", ".status.observedGeneration"]
        yield* eventually(
          "its controller has seen the new image",
          printedOf("prod", "deployment/paused", ...observed),
          (printed) => new Set(printed.split(" ")).size === 1,
          { within: ROLLED_OUT }
        )
        assert.strictEqual(yield* printedOf("prod", "deployment/paused", ".status.updatedReplicas"), "")
        yield* act(`${path}/resume`, {})
        yield* typed("prod", "rollout", "status", "deployment/paused", "--timeout=60s")
        yield* sees("the stream tells one of the new image", 1, "prod")
        assert.deepStrictEqual(rowIn("prod")?.images, ["acme/main:2"])
        assert.notStrictEqual(rowIn("prod")?.status, "paused")
      }).pipe(Effect.scoped)
    )

    it.effect("a dry run of each leaves the version that kubectl reads", () =>
      Effect.gen(function* () {
        const { path } = yield* follow("tried")
        const before = yield* versionAtRest("prod", "deployment/tried")
        for (const [action, body] of Object.entries({ scale: { replicas: 5 }, restart: {}, pause: {}, resume: {} })) {
          const { resourceVersion, status } = yield* act(`${path}/${action}`, { ...body, dryRun: true })
          assert.deepStrictEqual([status, resourceVersion], ["dryRun", before], action)
        }
        assert.strictEqual(yield* printedOf("prod", "deployment/tried", ".metadata.resourceVersion"), before)
      }).pipe(Effect.scoped)
    )

    it.effect("what kubectl changed meanwhile is 409, and stays as kubectl left it", () =>
      Effect.gen(function* () {
        const { path } = yield* follow("raced")
        const known = yield* versionAtRest("prod", "deployment/raced")
        yield* typed("prod", "scale", "deployment/raced", "--replicas=2")
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 7, resourceVersion: known })
        assert.deepInclude(problem, { status: 409, code: "workload_changed", field: "resourceVersion" })
        assert.strictEqual(yield* printedOf("prod", "deployment/raced", ".spec.replicas"), "2")
      }).pipe(Effect.scoped)
    )

    it.effect("of many in three clusters, those of one that died fail, and the others are rolled out", () =>
      Effect.gen(function* () {
        const { reader, sees } = yield* follow("wide", NAMES)
        const deployment = yield* Deployment
        const stage = yield* deployment.fleet.cluster("stage")
        yield* Effect.acquireRelease(stage.kill, () => Effect.orDie(stage.restart))
        const targets = NAMES.map((cluster) => ({ cluster, namespace: "shop", kind: "Deployment", name: "wide" }))
        const body = { action: "scale", replicas: 2, targets }
        const reply = yield* deployment.call("/api/v1/workloads/actions", { method: "POST", key: "operator", body })
        assert.strictEqual(reply.status, 200, reply.text)
        const { outcomes, partial } = yield* decodeBulk(reply.text)
        assert.isTrue(partial)
        assert.deepStrictEqual(
          outcomes.map(({ cluster, code, status }) => [cluster, status, code]),
          [
            ["hub", "applied", undefined],
            ["prod", "applied", undefined],
            ["stage", "failed", "cluster_unreachable"]
          ]
        )
        for (const cluster of ["hub", "prod"]) {
          yield* sees(`the stream tells two that are ready in ${cluster}`, 2, cluster)
          assert.strictEqual(yield* printedOf(cluster, "deployment/wide", ...REPLICAS), "2 2 2")
        }
        const isTold = () => ![undefined, "ok"].includes(reader.coverage.get("stage")?.status)
        yield* until("the stream tells that a cluster does not answer", reader, isTold)
        const { workloads: rows } = yield* deployment.workloads("?name=wide", { headers: to("stage") })
        assert.deepStrictEqual(
          rows.map(({ replicas }) => replicas.desired),
          [1]
        )
      }).pipe(Effect.scoped)
    )
  })
})
