import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { eventually, Kubeconfig } from "@quarterdeck/harness"
import { Effect, FileSystem } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

/** Within how long a changed file counts. */
const WITHIN = { within: "5 seconds" } as const

/** Replaces a file in one step, as a careful editor does. */
const replace = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(`${path}.next`, text)
  yield* files.rename(`${path}.next`, path)
}, Effect.provide(NodeServices.layer))

const read = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(Effect.provide(NodeServices.layer))

onBothKinds("reload", { children: ["prod", "stage"] }, (it) => {
  it.effect("a cluster leaves and enters with its context, and a broken kubeconfig changes nothing", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const names = Effect.map(deployment.clusters(), ({ clusters }) => clusters.map(({ name }) => name).join(" "))
      const whole = yield* read(deployment.kubeconfigFile)
      const contexts = yield* Effect.forEach(deployment.fleet.clusters, (cluster) => cluster.context("admin"))
      const withoutStage = Kubeconfig.print(contexts.filter(({ name }) => name !== "stage"))

      yield* replace(deployment.kubeconfigFile, withoutStage)
      yield* eventually("stage is gone", names, (seen) => seen === "hub prod", WITHIN)
      const gone = yield* deployment.problem("/api/v1/workloads", { headers: to("stage") })
      assert.strictEqual(gone.code, "cluster_not_found")

      yield* replace(deployment.kubeconfigFile, "clusters: [")
      yield* replace(deployment.kubeconfigFile, whole)
      yield* eventually("stage is back", names, (seen) => seen === "hub prod stage", WITHIN)
      yield* eventually(
        "stage answers",
        deployment.namespaces("", { headers: to("stage") }),
        ({ clusters }) => clusters[0]?.status === "ok",
        { within: "10 seconds" }
      )
    })
  )

  it.effect("a key that leaves the keys file is refused, and a broken file revokes nobody", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const whole = yield* read(deployment.keysFile)
      const status = (key: "viewer" | "operator") =>
        Effect.map(deployment.call("/api/v1/whoami", { key }), (reply) => reply.status)

      yield* replace(deployment.keysFile, "- name: [")
      const ready = yield* eventually(
        "the service says that the keys file is stale",
        deployment.call("/readyz", { key: "admin" }),
        ({ text }) => text.includes('"configuredKeys":"stale"'),
        WITHIN
      )
      assert.strictEqual(ready.status, 200)
      assert.strictEqual(yield* status("viewer"), 200)

      const entries: unknown = JSON.parse(whole)
      const others = Array.isArray(entries) ? entries.filter((_entry, index) => index !== 1) : []
      yield* replace(deployment.keysFile, JSON.stringify(others))
      yield* eventually("the operator's key is refused", status("operator"), (seen) => seen === 401, WITHIN)
      assert.strictEqual(yield* status("viewer"), 200)
      const problem = yield* deployment.problem("/api/v1/whoami", { key: "operator" })
      assert.strictEqual(problem.code, "key_revoked")

      yield* replace(deployment.keysFile, whole)
      yield* eventually("the operator's key is back", status("operator"), (seen) => seen === 200, WITHIN)
    })
  )
})
