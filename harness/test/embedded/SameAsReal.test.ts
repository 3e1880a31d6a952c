/**
 * Asks an embedded cluster and a real control plane the same, and compares the answers word for word.
 *
 * Registered where the real programs are among the drivers of the run.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ClusterDriver, RunningCluster } from "../../src/ClusterDriver.ts"
import * as Drivers from "../../src/Drivers.ts"
import { driver as embedded } from "../../src/drivers/Embedded.ts"
import { isArray, isObject, type Json, type JsonObject, parse, textAt } from "../../src/embedded/Json.ts"
import { type Answer, type CallOptions, type Client, connect, deployment, patching, pod, USERS, VIEWER } from "./Client.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const real = run.find(({ name }) => name === "control-plane")

/** The two to compare. */
class Pair extends Context.Service<Pair, { readonly embedded: Client; readonly real: Client }>()("test/embedded/SameAsReal/Pair") {}

const layerPair = (driver: ClusterDriver) =>
  Layer.effect(
    Pair,
    Effect.gen(function*() {
      const options = { name: "same", users: USERS }
      const pair: ReadonlyArray<RunningCluster> = yield* Effect.all([embedded.start(options), driver.start(options)], { concurrency: 2 })
      const [left, right] = yield* Effect.forEach(pair, connect)
      if (left === undefined || right === undefined) return yield* Effect.die(new Error("both clusters have started"))
      return { embedded: left, real: right }
    })
  )

/** What differs from cluster to cluster by nature. */
const CHANCE = new Set(["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields", "time"])

const normal = (value: Json): Json => {
  if (isArray(value)) return value.map(normal)
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).filter(([key]) => key !== "managedFields").map(([key, one]) => [key, CHANCE.has(key) ? "*" : normal(one)])
    )
  }
  if (typeof value !== "string") return value
  return value
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/current: [0-9]+|record \([0-9]+\)/g, "<revision>")
    .replaceAll(/10\.0\.[0-9]+\.[0-9]+/g, "<address>")
}

const shown = ({ json, status, text, type }: Answer): Json => [status, type.startsWith("application/json") ? normal(json) : text]

/** Asks both and compares; gives the embedded cluster's answer. */
const same = (method: string, path: string, options?: CallOptions) =>
  Effect.gen(function*() {
    const pair = yield* Pair
    const [ours, theirs] = yield* Effect.all([pair.embedded.call(method, path, options), pair.real.call(method, path, options)])
    assert.deepStrictEqual(shown(ours), shown(theirs), `${method} ${path} ${JSON.stringify(options?.body ?? "")}`)
    return ours
  })

let made = 0
/** A namespace that no other test has, in both. */
const namespace = Effect.gen(function*() {
  const name = `same-${++made}`
  yield* same("POST", "/api/v1/namespaces", { body: { metadata: { name } } })
  return { core: `/api/v1/namespaces/${name}`, apps: `/apis/apps/v1/namespaces/${name}`, batch: `/apis/batch/v1/namespaces/${name}`, name }
})

const STRATEGIC = "application/strategic-merge-patch+json"
const JSON_PATCH = "application/json-patch+json"
const APPLY = "application/apply-patch+yaml"

if (real !== undefined) {
  layer(layerPair(real), { timeout: "2 minutes" })("an embedded cluster answers like the real one", (it) => {
    it.effect("on objects that it refuses", () =>
      Effect.gen(function*() {
        const { apps, batch, core } = yield* namespace
        const bodies: ReadonlyArray<JsonObject> = [
          {},
          { metadata: { name: "P_" }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x" } },
          { metadata: { name: "x" }, spec: { containers: [{ name: "A", image: "" }] } },
          { metadata: { name: "x" }, spec: { containers: [{ name: "a", image: "a" }, { name: "a", image: "a" }] } },
          { metadata: { name: "x", namespace: "other" }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x", labels: { "a b": "c", d: "e f" } }, spec: { containers: [{ name: "a", image: "b" }] } },
          { metadata: { name: "x", labels: { a: 1 } } },
          { kind: "Foo", metadata: { name: "x" } },
          { apiVersion: "v2", kind: "Pod", metadata: { name: "x" } }
        ]
        for (const body of bodies) yield* same("POST", `${core}/pods`, { body })
        yield* same("POST", `${apps}/deployments`, { body: deployment("x", -1) })
        yield* same("POST", `${apps}/deployments`, { body: { metadata: { name: "x" }, spec: { template: {} } } })
        yield* same("POST", `${apps}/statefulsets`, { body: { metadata: { name: "x" }, spec: { template: {} } } })
        yield* same("POST", `${batch}/jobs`, { body: { metadata: { name: "x" }, spec: { template: pod("x") } } })
        yield* same("POST", `${batch}/cronjobs`, { body: { metadata: { name: "x" }, spec: {} } })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "x" }, spec: {} } })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "x" }, spec: { ports: [{ port: 0 }] } } })
        yield* same("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("x") })
        yield* same("POST", "/api/v1/namespaces", { body: { metadata: { name: "A.b" } } })
      }), 120_000)

    it.effect("on what it fills in", () =>
      Effect.gen(function*() {
        const { apps, batch, core } = yield* namespace
        yield* same("POST", `${core}/pods`, {
          body: pod("p", {
            containers: [{
              name: "main",
              image: "a:latest",
              resources: { limits: { cpu: "1500m", memory: "1024Mi" }, requests: { cpu: "0.5" } },
              ports: [{ containerPort: 80 }],
              env: [{ name: "P", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
              livenessProbe: { httpGet: { port: 80 } }
            }],
            volumes: [{ name: "v" }, { name: "s", secret: { secretName: "x" } }, { name: "h", hostPath: { path: "/x" } }]
          })
        })
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        yield* same("POST", `${apps}/replicasets`, { body: deployment("web") })
        yield* same("POST", `${apps}/statefulsets`, { body: deployment("web") })
        const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } }
        yield* same("POST", `${batch}/jobs`, { body: { metadata: { name: "j" }, spec: { template } } })
        yield* same("POST", `${batch}/cronjobs`, {
          body: { metadata: { name: "c" }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } }
        })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } } })
        yield* same("POST", `${core}/services`, { body: { metadata: { name: "n" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } } })
        yield* same("POST", `${core}/secrets`, { body: { metadata: { name: "s" }, stringData: { a: "b" } } })
        yield* same("POST", `${core}/configmaps?dryRun=All`, { body: { metadata: { name: "dry", annotations: {} } } })
      }), 120_000)

    it.effect("on changes and patches", () =>
      Effect.gen(function*() {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "c" }, data: { k: "v" } } })
        const map = `${core}/configmaps/c`
        for (const body of [{ metadata: { name: "other" } }, { metadata: { name: "c", resourceVersion: "5" } }, { data: {} }, { metadata: { name: "c" }, data: { k: "w" } }]) {
          yield* same("PUT", map, { body })
        }
        const operations: ReadonlyArray<Json> = [
          [{ op: "replace", path: "/data/new", value: "x" }],
          [{ op: "test", path: "/data/k", value: "no" }],
          [{ op: "remove", path: "/data/none" }],
          [{ op: "frobnicate", path: "/data/k" }],
          [{ op: "test", path: "/kind", value: "ConfigMap" }]
        ]
        for (const patch of operations) yield* same("PATCH", map, { body: JSON.stringify(patch), type: JSON_PATCH })
        yield* same("PATCH", map, { body: "{}", type: JSON_PATCH })
        yield* same("PATCH", map, { body: "{}", type: "application/foo" })
        yield* same("PATCH", map, patching({ metadata: { resourceVersion: "2" } }))
        yield* same("PATCH", `${map}?dryRun=foo`, patching({}))
        yield* same("PATCH", `${map}?force=true`, patching({}))

        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        const web = `${apps}/deployments/web`
        const containers = (...list: ReadonlyArray<Json>) => ({ spec: { template: { spec: { containers: list } } } })
        yield* same("PATCH", web, patching(containers({ name: "main", env: [{ name: "B", value: "2" }] }, { name: "side", image: "s:1" }), STRATEGIC))
        yield* same("PATCH", web, patching(containers({ name: "side", $patch: "delete" }), STRATEGIC))
        yield* same("PATCH", web, patching(containers({ image: "nameless" }), STRATEGIC))
        yield* same("PATCH", web, patching({ spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }, STRATEGIC))
        yield* same("PATCH", web, patching({ spec: { selector: { matchLabels: { c: "d" } } } }))
        yield* same("PATCH", web, patching({ metadata: { annotations: { a: "b" } } }))
        yield* same("PATCH", `${web}/status`, patching({ status: { replicas: 4 }, spec: { replicas: 8 } }))
        yield* same("GET", `${web}/scale`)
        yield* same("PATCH", `${web}/scale`, patching({ spec: { replicas: 4 } }))
        yield* same("PATCH", `${web}/scale`, patching({ spec: { replicas: -4 } }))
        yield* same("GET", web)
      }), 120_000)

    it.effect("on what is applied", () =>
      Effect.gen(function*() {
        const { core } = yield* namespace
        const map = `${core}/configmaps/a`
        const intent = (data: JsonObject) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data })
        const apply = (query: string, body: JsonObject) => same("PATCH", `${map}?${query}`, { body, type: APPLY })
        yield* apply("", intent({ x: "1" }))
        yield* apply("fieldManager=one", { apiVersion: "v1", kind: "ConfigMap", data: {} })
        yield* apply("fieldManager=one", intent({ x: "1", y: "1" }))
        yield* apply("fieldManager=two", intent({ x: "2" }))
        yield* apply("fieldManager=two&force=true", intent({ x: "2", z: "2" }))
        yield* apply("fieldManager=two", intent({ z: "2" }))
        yield* apply("fieldManager=one", intent({}))
        yield* apply("fieldManager=two", { ...intent({}), kind: "Foo" })
        yield* same("GET", map)
      }), 120_000)

    it.effect("on selectors, versions and pages", () =>
      Effect.gen(function*() {
        const { core } = yield* namespace
        for (const name of ["a", "b", "c"]) yield* same("POST", `${core}/configmaps`, { body: { metadata: { name, labels: { name } } } })
        const queries = [
          "labelSelector=name%3D%3D%3Db",
          "labelSelector=name%20in%20(b",
          "labelSelector=name%20in%20(a,c)",
          "labelSelector=name%20notin%20(a),name",
          "labelSelector=!name",
          "labelSelector=name%3Ex",
          "labelSelector=-a%3Db",
          "fieldSelector=data%3Dx",
          "fieldSelector=metadata.name!%3Da",
          "limit=x",
          "limit=2&resourceVersion=0",
          "resourceVersion=abc",
          "resourceVersion=99999999",
          "resourceVersionMatch=Exact",
          "resourceVersion=0&resourceVersionMatch=Exact",
          "resourceVersion=10&resourceVersionMatch=Foo",
          "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          "watch=1&resourceVersion=abc",
          "watch=1&sendInitialEvents=true",
          "watch=1&resourceVersionMatch=NotOlderThan"
        ]
        for (const query of queries) yield* same("GET", `${core}/configmaps?${query}`)
        const pair = yield* Pair
        const pages = yield* Effect.forEach([pair.embedded, pair.real], (client) =>
          Effect.gen(function*() {
            const first = yield* client.call("GET", `${core}/configmaps?limit=1&labelSelector=name`)
            const token = textAt(first.json, "metadata", "continue")
            const second = yield* client.call("GET", `${core}/configmaps?limit=1&continue=${token}`)
            const start: Json = parse(Buffer.from(token, "base64url").toString())
            return [textAt(start, "start"), normal(second.json)]
          }))
        assert.deepStrictEqual(withoutTokens(pages[0] ?? []), withoutTokens(pages[1] ?? []))
      }), 120_000)

    it.effect("on deletions", () =>
      Effect.gen(function*() {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        yield* same("DELETE", `${core}/pods/p`, { body: { preconditions: { uid: "no" } } })
        yield* same("POST", `${core}/pods/p/binding`, { body: { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } } })
        yield* same("POST", `${core}/pods/p/binding`, { body: { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } } })
        yield* same("DELETE", `${core}/pods/p`)
        yield* same("DELETE", `${core}/pods/p?gracePeriodSeconds=5`)
        yield* same("DELETE", `${core}/pods/p?gracePeriodSeconds=0`)
        yield* same("DELETE", `${core}/pods/p`)
        yield* same("POST", `${core}/pods`, { body: { ...pod("held"), metadata: { name: "held", finalizers: ["a.b/c"] } } })
        yield* same("DELETE", `${core}/pods/held`)
        yield* same("PATCH", `${core}/pods/held`, patching({ metadata: { finalizers: null } }))
        yield* same("GET", `${core}/pods/held`)
        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "c" } } })
        yield* same("DELETE", `${core}/configmaps/c?dryRun=All`)
        yield* same("DELETE", `${core}/configmaps/c`)
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        yield* same("DELETE", `${apps}/deployments/web`, { body: { propagationPolicy: "Sideways" } })
        yield* same("DELETE", `${apps}/deployments/web`, { body: { propagationPolicy: "Background" } })
        yield* same("DELETE", `${core}/pods`)
        yield* same("DELETE", "/api/v1/namespaces/default")
      }), 120_000)

    it.effect("on who may, and on what is not there", () =>
      Effect.gen(function*() {
        const { core } = yield* namespace
        const paths = [`${core}/pods`, `${core}/pods/x/log`, "/api/v1/nodes/x", "/apis/apps/v1/widgets", "/metrics", "/version", "/readyz"]
        for (const path of paths) for (const token of ["", "wrong", VIEWER]) yield* same("GET", path, { token })
        for (const path of ["/foo", "/api/v2", "/apis/nope/v1", "/apis/apps/v2/deployments", `${core}/nodes`, `${core}/pods/x/widgets`]) {
          yield* same("GET", path)
        }
        yield* same("POST", `${core}/pods/x`, { body: {} })
        yield* same("DELETE", "/api/v1/namespaces")
        yield* same("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          body: { spec: { nonResourceAttributes: { verb: "get", path: "/apis" } } },
          token: VIEWER
        })
      }), 120_000)

    it.effect("on tables", () =>
      Effect.gen(function*() {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        const pair = yield* Pair
        for (const path of [`${core}/pods`, `${apps}/deployments`, `${core}/services`, core]) {
          const tables = yield* Effect.forEach([pair.embedded, pair.real], (client) =>
            client.call("GET", path, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }))
          const [ours, theirs] = tables.map(({ json }) => cellsOf(json))
          assert.deepStrictEqual(ours, theirs, path)
        }
      }), 120_000)
  })
}

const cellsOf = (table: JsonObject): Json => {
  const list = (name: string) => isArray(table[name]) ? table[name] : []
  const columns = list("columnDefinitions").map((column) =>
    isObject(column) ? Object.fromEntries(Object.entries(column).filter(([key]) => key !== "description")) : column)
  const cells = list("rows").map((row) =>
    isObject(row) && isArray(row["cells"])
      ? row["cells"].map((cell) => typeof cell === "string" && /^[0-9]+s$/.test(cell) ? "<age>" : normal(cell))
      : row)
  return [columns, cells]
}

const withoutTokens = (value: Json): Json =>
  isArray(value)
    ? value.map(withoutTokens)
    : isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== "continue").map(([key, one]) => [key, withoutTokens(one)]))
    : value
