/** What a reader of the stream of clusters is told. */
import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import type { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import type { Code } from "@quarterdeck/contract/Problem"
import { eventually, Kubeconfig, Seed } from "@quarterdeck/harness"
import { Effect, FileSystem } from "effect"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { clusters, open, openReady, type StreamReader, until, workloads } from "./StreamReader.ts"

const WATCH = "/api/v1/clusters/watch"

const podNamed = (name: string, namespace: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace },
  spec: { containers: [{ name: "main", image: "acme/main:1" }] }
})

/** Replaces a file in one step, as a careful editor does. */
const replace = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(`${path}.next`, text)
  yield* files.rename(`${path}.next`, path)
}, Effect.provide(NodeServices.layer))

/** Rows without what differs from one reply to the next. */
const lasting = (rows: Iterable<ClusterRow>) =>
  [...rows]
    .map(({ coverage: { ageMs: _age, latencyMs: _latency, ...coverage }, lastSeen: _seen, ...row }) => ({
      ...row,
      coverage
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

/** Waits until a reader has what a list shows. */
const agrees = Effect.fnUntraced(function* (reader: StreamReader<ClusterRow>, key: KeyName, target?: string) {
  const deployment = yield* Deployment
  const list = deployment.clusters("", { key, ...(target === undefined ? {} : { headers: to(target) }) })
  const compare = Effect.map(list, (listed) => ({
    list: lasting(listed.clusters),
    told: lasting(reader.rows.values())
  }))
  const last = yield* eventually("the reader agrees", compare, ({ list, told }) => {
    return JSON.stringify(list) === JSON.stringify(told)
  })
  assert.deepStrictEqual(last.told, last.list)
})

onOneDriver("the stream of clusters", { prepare: (fleet) => Seed.fill(fleet), faults: true }, (it) => {
  it.effect.each<[KeyName, string | undefined, ReadonlyArray<string>]>([
    ["viewer", undefined, ["hub", "prod", "stage"]],
    ["viewer", "prod|stage", ["prod", "stage"]],
    ["prodViewer", undefined, ["prod"]],
    ["childrenViewer", "*", ["prod", "stage"]],
    ["shopViewer", undefined, ["hub", "prod", "stage"]],
    ["teamViewer", undefined, ["hub", "prod", "stage"]]
  ])("begins for %s of %s with the rows of a list, and says when all is told", ([key, target, names]) =>
    Effect.gen(function* () {
      const reader = yield* openReady(clusters, WATCH, { key, ...(target === undefined ? {} : { target }) })
      assert.strictEqual(reader.headers["content-type"], "text/event-stream")
      assert.sameMembers([...reader.rows.keys()], [...names])
      assert.deepStrictEqual(reader.names, [...names.map(() => "row"), "ready"])
      yield* agrees(reader, key, target)
    }).pipe(Effect.scoped)
  )

  it.effect("tells each key how many pods it reaches, and nothing of those that it does not", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      const all = yield* openReady(clusters, WATCH, { key: "viewer" })
      const shop = yield* openReady(clusters, WATCH, { key: "shopViewer" })
      const before = all.rows.get("prod")?.pods ?? assert.fail("pods are counted")
      const ofShop = shop.told.length
      yield* api.create(podNamed("counted-elsewhere", "payments"))
      yield* until("the pod counts", all, ({ rows }) => rows.get("prod")?.pods === before + 1)
      yield* api.create(podNamed("counted", "shop"))
      yield* until("the other counts too", all, ({ rows }) => rows.get("prod")?.pods === before + 2)
      yield* until("the scoped key hears of its own", shop, ({ told }) => told.length > ofShop)
      assert.strictEqual(shop.told.length, ofShop + 1)
      assert.isNull(shop.rows.get("prod")?.nodes)
      yield* agrees(all, "viewer")
      yield* agrees(shop, "shopViewer")
    }).pipe(Effect.scoped)
  )

  it.effect("is quiet while nothing happens, though every cluster is heard of all the time", () =>
    Effect.gen(function* () {
      const { clusters: list } = yield* Deployment
      const reader = yield* openReady(clusters, WATCH)
      const told = reader.names.length
      const seenOf = ({ clusters }: { readonly clusters: ReadonlyArray<ClusterRow> }) =>
        Math.min(...clusters.map(({ lastSeen }) => Date.parse(lastSeen ?? "")))
      const from = Math.max(seenOf(yield* list()), Date.now())
      const isHeardOfAgain = (listed: { readonly clusters: ReadonlyArray<ClusterRow> }) => seenOf(listed) > from
      yield* eventually("every cluster was heard of again", list(), isHeardOfAgain, { within: "20 seconds" })
      assert.strictEqual(reader.names.length, told)
    }).pipe(Effect.scoped)
  )

  it.effect("a cluster that dies is told within 3 s, with its last known size, and again when it is back", () =>
    Effect.gen(function* () {
      const prod = yield* (yield* Deployment).fleet.cluster("prod")
      const reader = yield* openReady(clusters, WATCH, { key: "admin" })
      const well = reader.rows.get("prod") ?? assert.fail("prod is there")
      assert.deepInclude(well, { reachable: true })
      yield* prod.kill
      yield* until("it is told", reader, ({ rows }) => rows.get("prod")?.reachable === false, "3 seconds")
      const dead = reader.rows.get("prod") ?? assert.fail("prod stays")
      assert.deepInclude(dead, { pods: well.pods, nodes: well.nodes, errorCode: "cluster_unreachable" })
      assert.strictEqual(dead.coverage.status, "stale")
      yield* prod.restart
      yield* until("it is well again", reader, ({ rows }) => rows.get("prod")?.reachable === true, "20 seconds")
      yield* agrees(reader, "admin")
      assert.isEmpty(reader.gone)
    }).pipe(Effect.scoped)
  )

  it.effect("a cluster that leaves the registry is gone, and a row when it is back", () =>
    Effect.gen(function* () {
      const { fleet, kubeconfigFile } = yield* Deployment
      const contexts = yield* Effect.forEach(fleet.clusters, (cluster) => cluster.context("admin"))
      const all = yield* openReady(clusters, WATCH)
      const named = yield* openReady(clusters, WATCH, { target: "stage" })
      const away = yield* openReady(clusters, WATCH)
      away.close()
      yield* replace(kubeconfigFile, Kubeconfig.print(contexts.filter(({ name }) => name !== "stage")))
      for (const reader of [all, named]) yield* until("it is gone", reader, ({ gone }) => gone.includes("stage"))
      assert.sameMembers([...all.rows.keys()], ["hub", "prod"])
      const back = yield* open(clusters, WATCH, { lastEventId: away.lastId ?? "" }, away.rows)
      yield* until("who was away hears of it", back, ({ isReady }) => isReady)
      assert.deepStrictEqual(back.names, ["gone", "ready"])
      yield* replace(kubeconfigFile, Kubeconfig.print(contexts))
      for (const reader of [all, named, back]) {
        yield* until("it is back", reader, ({ rows }) => rows.get("stage")?.coverage.status === "ok")
      }
      yield* agrees(all, "viewer")
      yield* agrees(named, "viewer", "stage")
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where a reader was, and begins anew for an id of another question, key or process", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("stage")
      const first = yield* openReady(clusters, WATCH)
      const { lastId = "" } = first
      first.close()
      const same = yield* openReady(clusters, WATCH, { lastEventId: lastId })
      assert.deepStrictEqual(same.names, ["ready"])
      for (const name of ["missed-1", "missed-2"]) {
        const pods = same.rows.get("stage")?.pods
        yield* api.create(podNamed(name, "shop"))
        yield* until("the pod counts", same, ({ rows }) => rows.get("stage")?.pods !== pods)
      }
      const missed = yield* openReady(clusters, WATCH, { lastEventId: lastId })
      assert.deepStrictEqual(missed.names, ["row", "ready"], "changes of one cluster that were missed are one")
      same.close()
      missed.close()
      for (const [path, reading] of [
        [WATCH, { target: "prod" }],
        [WATCH, { key: "operator" }],
        [WATCH, { key: "shopViewer" }]
      ] as const) {
        const reader = yield* openReady(clusters, path, { ...reading, lastEventId: lastId })
        assert.strictEqual(reader.names[0], "reset")
        reader.close()
      }
      for (const lastEventId of ["abc", "..", "zzzz.1.AAAAAAAAAAAAAAAA", lastId.replace(/\.[0-9a-z]+\./, ".zzzzz.")]) {
        const reader = yield* openReady(clusters, WATCH, { lastEventId })
        assert.deepStrictEqual(reader.names, ["reset", "row", "row", "row", "ready"])
        reader.close()
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each<[string, string, Code, string]>([
    ["limit", "?limit=5", "unknown_parameter", "limit"],
    ["cursor", "?cursor=abc", "unknown_parameter", "cursor"],
    ["sort", "?sort=name", "unknown_parameter", "sort"],
    ["consistency", "?consistency=live", "unknown_parameter", "consistency"]
  ])("refuses %s", ([, query, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`${WATCH}${query}`)
      assert.deepInclude(problem, { status: 400, code, field })
    })
  )

  it.effect("counts with the key's other streams, and ends with the key", () =>
    Effect.gen(function* () {
      const { call, createKey, problem } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "leaving", rule: { role: "Viewer" } })
      const reader = yield* openReady(clusters, WATCH, { bearer: raw })
      for (const _ of [1, 2]) yield* openReady(clusters, WATCH, { bearer: raw })
      for (const _ of [1, 2]) yield* openReady(workloads, "/api/v1/workloads/watch", { bearer: raw })
      const refused = yield* problem(WATCH, { bearer: raw })
      assert.deepInclude(refused, { status: 429, code: "too_many_streams" })
      yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
      yield* until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
      assert.strictEqual(reader.endCode, "key_revoked")
    }).pipe(Effect.scoped)
  )
})
