import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"
import { ANSWERED, NO_TARGET, OUTSIDE, UNKNOWN } from "./targetingCases.ts"

const clustersOf = (options: Call) =>
  Effect.gen(function* () {
    const deployment = yield* Deployment
    const { clusters, workloads } = yield* deployment.workloads("?limit=5000", options)
    const listed = yield* deployment.pods("?limit=5000", options)
    assert.deepStrictEqual(
      listed.clusters.map(({ name }) => name),
      clusters.map(({ name }) => name)
    )
    const rows = new Set([...workloads, ...listed.pods].map(({ cluster }) => cluster))
    for (const row of rows)
      assert.include(
        clusters.map(({ name }) => name),
        row
      )
    return clusters.map(({ name }) => name)
  })

onBothKinds("targeting", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect.each(ANSWERED)("%s", ([, options, clusters]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* clustersOf(options), [...clusters])
    })
  )

  it.effect("all of no cluster is an empty answer, not a failure", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { raw } = yield* deployment.createKey({
        name: "nowhere",
        rule: { role: "Viewer", targetClusters: ["nowhere"] }
      })
      const reply = yield* deployment.call("/api/v1/workloads", { bearer: raw, headers: to("*") })
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(JSON.parse(reply.text), {
        workloads: [],
        clusters: [],
        partial: false,
        statusCounts: { completed: 0, degraded: 0, failed: 0, healthy: 0, idle: 0, paused: 0, progressing: 0 }
      })
    })
  )

  it.effect.each(NO_TARGET)("400 invalid_target for %s", ([, value]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", { headers: to(value) })
      assert.deepInclude(problem, { status: 400, code: "invalid_target", field: "X-Service-Cluster" })
    })
  )

  it.effect("400 invalid_target for a header that was sent twice, even with the same name", () =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", {
        headers: [...to("prod"), ...to("prod")]
      })
      assert.deepInclude(problem, { status: 400, code: "invalid_target" })
    })
  )

  it.effect.each(OUTSIDE)("403 cluster_forbidden, with no data, for %s outside the key's scope", ([, key, target]) =>
    Effect.gen(function* () {
      for (const list of ["workloads", "pods"]) {
        const problem = yield* (yield* Deployment).problem(`/api/v1/${list}`, { key, headers: to(target) })
        assert.deepInclude(problem, { status: 403, code: "cluster_forbidden" })
        assert.notProperty(problem, list)
      }
    })
  )

  it.effect("403 reads the same whether the cluster exists or not, but for the name that was asked", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const ask = (name: string) =>
        Effect.map(deployment.problem("/api/v1/workloads", { key: "prodViewer", headers: to(name) }), (problem) =>
          problem.reply.text.replaceAll(name, "NAME").replace(problem.requestId, "ID")
        )
      assert.strictEqual(yield* ask("stage"), yield* ask("nowhere"))
    })
  )

  it.effect("403 when the key does not reach the parent and names no cluster, without telling the parent's name", () =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", { key: "prodViewer" })
      assert.deepInclude(problem, { status: 403, code: "cluster_forbidden" })
      assert.notInclude(problem.reply.text, "hub")
    })
  )

  it.effect.each(UNKNOWN)("404 cluster_not_found, with no data, for a name that %s", ([, key, target]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", { key, headers: to(target) })
      assert.deepInclude(problem, { status: 404, code: "cluster_not_found" })
    })
  )

  it.effect.each<[asked: string, meant: string | undefined]>([
    ["Prod", "prod"],
    ["prdo", "prod"],
    ["satge", "stage"],
    ["nowhere", undefined]
  ])("404 for %s says which cluster may have been meant: %s", ([asked, meant]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", { headers: to(asked) })
      assert.strictEqual(problem.code, "cluster_not_found")
      assert.strictEqual(/; did you mean ([a-z]+)\?$/.exec(problem.detail)?.[1], meant)
    })
  )

  it.effect("404 suggests no cluster outside the key's scope", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { raw } = yield* deployment.createKey({
        name: "near the hub",
        rule: { role: "Viewer", targetClusters: ["prod", "hubb"] }
      })
      const told = yield* deployment.problem("/api/v1/workloads", { bearer: raw, headers: to("hubb") })
      assert.strictEqual(told.code, "cluster_not_found")
      assert.notInclude(told.detail, "mean")
    })
  )

  it.effect("400 for a target in the query", () =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads?cluster=prod")
      assert.deepInclude(problem, { status: 400, code: "unknown_parameter", field: "cluster" })
    })
  )

  it.effect("the list of clusters is every cluster in scope, and a header narrows it", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const names = (options: Call) =>
        Effect.map(deployment.clusters("", options), ({ clusters }) => clusters.map(({ name }) => name))
      assert.deepStrictEqual(yield* names({}), ["hub", "prod", "stage"])
      assert.deepStrictEqual(yield* names({ headers: to("stage") }), ["stage"])
      assert.deepStrictEqual(yield* names({ key: "childrenViewer" }), ["prod", "stage"])
      assert.deepStrictEqual(yield* names({ key: "prodViewer", headers: to("*") }), ["prod"])
      const problem = yield* deployment.problem("/api/v1/clusters", { key: "prodViewer", headers: to("hub") })
      assert.strictEqual(problem.code, "cluster_forbidden")
    })
  )

  it.effect.each(["/api/v1/whoami", "/api/v1/apiKeys", "/healthz"])(
    "%s is not targetable: it ignores the header",
    (path) =>
      Effect.gen(function* () {
        const reply = yield* (yield* Deployment).call(path, { key: "admin", headers: [...to("||"), ...to("nowhere")] })
        assert.strictEqual(reply.status, 200)
      })
  )
})
