import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, type Json, type JsonObject, objectAt, textAt } from "@quarterdeck/embedded-cluster/Json"
import { patching } from "../Client.ts"
import { namespace, Pair, same, type Suite } from "./Pair.ts"
import { defined, definition, text } from "./Widgets.ts"

const APPLY = "application/apply-patch+yaml"
const STRATEGIC = "application/strategic-merge-patch+json"

/** One apply after the other of the same path; the object that comes of it, its owners included, is the same. */
const applying =
  (path: string) =>
  (manager: string, body: JsonObject, force = false) =>
    Effect.gen(function* () {
      const pair = yield* Pair
      yield* same("PATCH", `${path}?fieldManager=${manager}&force=${force}`, { body, type: APPLY })
      const [ours, theirs] = yield* Effect.all([pair.embedded.call("GET", path), pair.real.call("GET", path)])
      assert.deepStrictEqual(owners(ours.json), owners(theirs.json), `${manager} ${JSON.stringify(body)}`)
    })

const owners = (object: JsonObject): Json =>
  Object.fromEntries(
    arrayAt(object, "metadata", "managedFields").map((entry) => {
      const who = ["manager", "operation", "subresource"].map((name) => textAt(entry, name)).join("/")
      return [who, objectAt(entry, "fieldsV1")]
    })
  )

const service = (...ports: ReadonlyArray<JsonObject>): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { clusterIP: "None", selector: { a: "b" }, ports }
})

const deployment = (containers: ReadonlyArray<Json>, pod: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    ...spec,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { ...pod, containers } }
  }
})

const MAIN = { name: "main", image: "m:1" }
const SIDE = {
  name: "side",
  image: "s:1",
  ports: [{ containerPort: 80 }, { containerPort: 81 }],
  env: [{ name: "A", value: "1" }]
}

const list: JsonObject = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", required: ["k"], properties: { k: text, v: { type: "integer", default: 7 } } }
}
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: text,
        list,
        set: { type: "array", "x-kubernetes-list-type": "set", items: text },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        map: { type: "object", additionalProperties: { type: "object", properties: { z: text } } }
      }
    },
    status: { type: "object", properties: { phase: text } }
  }
}

const items = (...keys: ReadonlyArray<string>): ReadonlyArray<JsonObject> => keys.map((k) => ({ k }))

/** What is applied, and what is not any more. */
export const applies = (it: Suite): void => {
  it.effect(
    "on what an apply takes away, and on who owns the rest",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        const onService = applying(`${core}/services/s`)
        const [http, metrics] = [
          { name: "http", port: 80 },
          { name: "metrics", port: 9090 }
        ]
        yield* onService("one", service(http, metrics))
        yield* onService("one", service(http))
        yield* onService("one", service(metrics, http))
        yield* onService("one", service())

        const onDeployment = applying(`${apps}/deployments/d`)
        yield* onDeployment("one", deployment([MAIN, SIDE]))
        yield* onDeployment("one", deployment([MAIN]))
        yield* onDeployment("one", deployment([MAIN, SIDE]))
        yield* onDeployment("one", deployment([MAIN, { ...SIDE, ports: [{ containerPort: 80 }] }]))
        yield* onDeployment("two", deployment([MAIN, { name: "side", image: "s:1" }]))
        yield* onDeployment("one", deployment([MAIN]))
        yield* onDeployment("two", deployment([MAIN]))
        const pod = { nodeSelector: { a: "b" }, securityContext: { fsGroup: 1 } }
        const main = { ...MAIN, resources: { limits: { cpu: "0.5" } }, securityContext: { runAsUser: 1 } }
        yield* onDeployment("one", deployment([main], pod, { replicas: 3 }))
        yield* onDeployment("one", deployment([MAIN]))
        yield* onDeployment("one", deployment([MAIN], { tolerations: [], nodeSelector: {} }))
        yield* onDeployment("one", deployment([MAIN], {}, { replicas: null }))
      }),
    120_000
  )

  it.effect(
    "on where the items of an applied list come",
    () =>
      Effect.gen(function* () {
        const { apps } = yield* namespace
        const on = applying(`${apps}/deployments/d`)
        const [x, y, z] = ["x", "y", "z"].map((name) => ({ name, image: `${name}:1` }))
        const of = (...containers: ReadonlyArray<JsonObject | undefined>) =>
          deployment(containers.filter((one) => one !== undefined))
        yield* on("one", of(SIDE, MAIN))
        yield* on("one", of(MAIN, x, SIDE, y))
        yield* on("two", of(y, z, MAIN))
        yield* on("one", of(MAIN, SIDE, x))
        yield* on("two", of(MAIN))
      }),
    120_000
  )

  it.effect(
    "on what an apply leaves of what others wrote",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        const path = `${apps}/deployments/d`
        const on = applying(path)
        yield* on("one", deployment([MAIN, SIDE]))
        const containers = [
          { name: "main", env: [{ name: "U", value: "1" }] },
          { name: "new", image: "n:1" }
        ]
        yield* same(
          "PATCH",
          `${path}?fieldManager=w`,
          patching({ spec: { template: { spec: { containers } } } }, STRATEGIC)
        )
        yield* on("one", deployment([MAIN, { name: "new", image: "n:1", args: ["x"] }]))
        yield* on("one", deployment([MAIN]))
        yield* on("one", deployment([{ ...MAIN, env: [{ name: "U", value: "1" }] }]))
        yield* on("one", deployment([MAIN]))

        const map = (data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "c", ...metadata },
          ...data
        })
        const onMap = applying(`${core}/configmaps/c`)
        yield* onMap("one", map({ data: { x: "1", y: "2" } }, { labels: { a: "b" }, finalizers: ["a.b/c"] }))
        yield* onMap("two", map({ data: { x: "1" } }, { finalizers: ["a.b/d"] }))
        yield* onMap("one", map({ data: {} }))
        yield* onMap("one", map({}))
        yield* onMap("two", map({}))
        yield* onMap("two", map({ data: null }))
      }),
    120_000
  )

  it.effect(
    "on what is applied to objects of a custom kind, and to a status",
    () =>
      Effect.gen(function* () {
        const { apps, name } = yield* namespace
        const made = definition(
          { plural: "applieds", kind: "Applied" },
          {
            versions: [
              {
                name: "v1",
                served: true,
                storage: true,
                subresources: { status: {} },
                schema: { openAPIV3Schema: SCHEMA }
              }
            ]
          }
        )
        const root = yield* defined(made)
        const path = `${root}/namespaces/${name}/applieds/o`
        const applied = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
          apiVersion: root.slice("/apis/".length),
          kind: "Applied",
          metadata: { name: "o" },
          spec,
          ...more
        })
        const on = applying(path)
        yield* on("one", applied({ a: "x", list: [] }))
        yield* on("two", applied({ list: items("a", "b") }))
        yield* on("one", applied({ a: "x" }))
        yield* on("one", applied({ list: items("b"), set: ["x", "y"], any: { p: 1 }, map: { e: {}, f: { z: "1" } } }))
        yield* on("two", applied({ list: items("b", "c"), set: ["y", "z"], any: { p: 1 }, map: { f: { z: "1" } } }))
        yield* on("one", applied({ set: ["y"] }))
        yield* on("one", applied({}))
        yield* on("one", applied({ map: { e: { z: "1" } } }))
        yield* on("one", applied({ map: {} }))
        yield* on("one", applied({ a: null }))
        yield* on("one", applied({}))
        yield* on("two", applied({ list: items("a", "b", "c", "d") }))
        yield* on("one", applied({ list: items("d", "x", "b") }))
        yield* on("one", applied({ list: items("x", "d", "y") }))
        for (const spec of [{ list: items("a", "a") }, { set: ["q", "q"] }, { list: [{ v: 1 }] }])
          yield* same("PATCH", `${path}?fieldManager=three`, { body: applied(spec), type: APPLY })

        const status = applying(`${path}/status`)
        yield* status("s", applied({ a: "other" }, { status: { phase: "Up" } }))
        yield* status("t", applied({ a: "another" }, { status: { phase: "Up" } }))
        yield* status("t", applied({}, { status: { phase: "Down" } }))
        const web = `${apps}/deployments/d`
        yield* applying(web)("one", deployment([MAIN]))
        const body = { ...deployment([SIDE]), metadata: { name: "d", labels: { a: "b" } }, status: { replicas: 2 } }
        yield* applying(`${web}/status`)("s", body)
      }),
    120_000
  )

  it.effect(
    "on items that cannot be told apart, and on names of field managers",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        const refused = (path: string, body: JsonObject, manager = "one") =>
          same("PATCH", `${path}?fieldManager=${manager}`, { body, type: APPLY })
        const path = `${apps}/deployments/d`
        yield* refused(`${core}/services/s`, service({ port: 80 }, { port: 80 }))
        const env = [
          { name: "A", value: "1" },
          { name: "A", value: "2" }
        ]
        for (const containers of [[MAIN, MAIN], [{ image: "x" }], ["x"], [null], [{ ...MAIN, env }]])
          yield* refused(path, deployment(containers))
        const finalizers = ["a.b/c", "a.b/c"]
        const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", finalizers } }
        yield* refused(`${core}/configmaps/c`, map)
        for (const manager of ["x".repeat(129), "a%07b", "%C3%A9%01", "a%0Ab", ""]) {
          yield* refused(path, deployment([MAIN]), manager)
          yield* same("POST", `${core}/configmaps?dryRun=All&fieldManager=${manager}`, {
            body: { metadata: { name: "c" } }
          })
        }
        for (const query of ["dryRun=x&fieldValidation=y", `fieldManager=${"x".repeat(129)}&dryRun=x`])
          yield* same("POST", `${core}/configmaps?${query}`, { body: { metadata: { name: "c" } } })
      }),
    120_000
  )
}
