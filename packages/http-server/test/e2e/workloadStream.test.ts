/** What a reader of the stream of workloads is told. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onBothKinds } from "./onEveryDriver.ts"
import { open, openReady, placesOf, until, workloads } from "./StreamReader.ts"

const WATCH = "/api/v1/workloads/watch"

const named = (name: string) => ({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name })
const namespaceNamed = (name: string) => ({ apiVersion: "v1", kind: "Namespace", name })

/** What a list shows now. */
const listed = Effect.fnUntraced(function* (query = "", key: KeyName = "viewer") {
  const { workloads } = yield* (yield* Deployment).workloads(`?limit=5000${query}`, { key, headers: to("*") })
  return workloads
})

onBothKinds("the stream of workloads", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect("begins with the rows of a list, tells how each cluster answers, and says when all is told", () =>
    Effect.gen(function* () {
      const reader = yield* openReady(workloads, WATCH, { target: "*" })
      assert.strictEqual(reader.status, 200)
      assert.strictEqual(reader.headers["content-type"], "text/event-stream")
      assert.strictEqual(reader.headers["cache-control"], "no-store")
      assert.deepStrictEqual(placesOf(reader.rows.values()), placesOf(yield* listed()))
      const { clusters } = yield* (yield* Deployment).workloads("?limit=1", { headers: to("*") })
      assert.deepStrictEqual(
        [...reader.coverage.values()].map(({ count, name, status }) => [name, status, count]),
        clusters.map(({ count, name, status }) => [name, status, count])
      )
      assert.strictEqual(reader.names.at(-1), "ready")
      assert.notInclude(reader.names, "reset")
    }).pipe(Effect.scoped)
  )

  it.effect("tells what was made, changed and deleted", () =>
    Effect.gen(function* () {
      const reader = yield* openReady(workloads, WATCH, { target: "prod" })
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      const has = (replicas: number) =>
        [...reader.rows.values()].some((row) => row.name === "streamed" && row.replicas.desired === replicas)
      yield* api.create(deploymentNamed("streamed"))
      yield* until("the new row", reader, () => has(1))
      yield* api.patch(named("streamed"), { spec: { replicas: 3 } })
      yield* until("the changed row", reader, () => has(3))
      yield* api.delete(named("streamed"))
      yield* until("the row is gone", reader, ({ gone }) => gone.some((key) => key.includes("/streamed/")))
      assert.isFalse([...reader.rows.values()].some(({ name }) => name === "streamed"))
    }).pipe(Effect.scoped)
  )

  it.effect.each<[string, string, KeyName]>([
    ["namespace", "namespace=shop", "viewer"],
    ["kind", "kind=Deployment&kind=CronJob", "viewer"],
    ["part of a name", "name=a", "viewer"],
    ["label", `labelSelector=${encodeURIComponent("app.kubernetes.io/part-of in (shop)")}`, "viewer"],
    ["the key's namespaces", "", "shopViewer"],
    ["the key's namespaces and a kind", "kind=StatefulSet", "shopViewer"]
  ])("holds what a list holds that is narrowed by %s", ([, query, key]) =>
    Effect.gen(function* () {
      const reader = yield* openReady(workloads, `${WATCH}?${query}`, { target: "*", key })
      const rows = yield* listed(`&${query}`, key)
      assert.isNotEmpty(rows)
      assert.deepStrictEqual(placesOf(reader.rows.values()), placesOf(rows))
    }).pipe(Effect.scoped)
  )

  it.effect("a row that leaves the filter is gone, and one that comes into it is a row", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      yield* api.create(deploymentNamed("labelled"))
      const reader = yield* openReady(workloads, `${WATCH}?labelSelector=tier%3Dfront`, { target: "prod" })
      assert.strictEqual(reader.rows.size, 0)
      yield* api.patch(named("labelled"), { metadata: { labels: { tier: "front" } } })
      yield* until("the row comes", reader, ({ rows }) => rows.size === 1)
      yield* api.patch(named("labelled"), { metadata: { labels: { tier: "back" } } })
      yield* until("the row goes", reader, ({ gone, rows }) => rows.size === 0 && gone.length === 1)
    }).pipe(Effect.scoped)
  )

  it.effect("a namespace that leaves the key's scope takes its rows out, and brings them back", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      const inShop = { ...deploymentNamed("scoped"), metadata: { name: "scoped", namespace: "stream-scope" } }
      yield* api.create({ ...namespaceNamed("stream-scope"), metadata: { name: "stream-scope" } })
      yield* api.create(inShop)
      const reader = yield* openReady(workloads, WATCH, { target: "prod", key: "teamViewer" })
      const names = () => [...reader.rows.values()].map(({ name }) => name)
      assert.notInclude(names(), "scoped")
      for (const _ of [1, 2]) {
        yield* api.patch(namespaceNamed("stream-scope"), { metadata: { labels: { team: "storefront" } } })
        yield* until("the row comes", reader, () => names().includes("scoped"), "5 seconds")
        yield* api.patch(namespaceNamed("stream-scope"), { metadata: { labels: { team: "checkout" } } })
        yield* until("the row goes", reader, () => !names().includes("scoped"), "5 seconds")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("changes of one row that come together are one", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      yield* api.create(deploymentNamed("hasty"))
      const reader = yield* openReady(workloads, `${WATCH}?name=hasty`, { target: "prod" })
      const before = reader.told.length
      const from = performance.now()
      for (const replicas of [2, 3, 4, 5]) yield* api.patch(named("hasty"), { spec: { replicas } })
      const tookMs = performance.now() - from
      yield* until("the last of them", reader, ({ told }) => told.at(-1)?.replicas.desired === 5)
      // Controllers of a real cluster write the status after it; a slow machine may need more than one window.
      assert.isAtMost(reader.told.slice(before).filter(({ replicas }) => replicas.desired < 5).length, tookMs / 200)
    }).pipe(Effect.scoped)
  )

  it.effect.each<[string, string, number, Code, string]>([
    ["limit", "?limit=5", 400, "unknown_parameter", "limit"],
    ["cursor", "?cursor=abc", 400, "unknown_parameter", "cursor"],
    ["sort", "?sort=name", 400, "unknown_parameter", "sort"],
    ["consistency", "?consistency=live", 400, "unknown_parameter", "consistency"],
    ["a selector that is none", "?labelSelector=%3D", 400, "invalid_parameter", "labelSelector"],
    ["a namespace that is none", "?namespace=No", 400, "invalid_parameter", "namespace[0]"]
  ])("refuses %s", ([, query, status, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`${WATCH}${query}`)
      assert.deepInclude(problem, { status, code, field })
    })
  )

  it.effect("asks nothing of a HEAD but its headers, and leaves no stream open", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (let index = 0; index < 7; index++) {
        const reply = yield* deployment.call(WATCH, { method: "HEAD", key: "shopAdmin" })
        assert.strictEqual(reply.status, 200)
      }
      const reader = yield* open(workloads, WATCH, { key: "shopAdmin" })
      assert.strictEqual(reader.status, 200)
    }).pipe(Effect.scoped)
  )
})
