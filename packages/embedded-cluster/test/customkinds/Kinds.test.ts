import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, type JsonObject, objectAt, textAt } from "../../src/core/Json.ts"
import { brief, connect, namesOf, patching, revisionOf, started } from "../Client.ts"

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const OPEN = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

const definition = (kind: string, more: JsonObject = {}): JsonObject => {
  const plural = `${kind.toLowerCase()}s`
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: OPEN } }],
      ...more
    }
  }
}

const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"

const widget = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  ...more
})

/** A server with the custom kind Widget. */
const widgets = (more: JsonObject = {}) =>
  Effect.gen(function* () {
    const made = yield* started()
    yield* made.call("POST", DEFINITIONS, { body: definition("Widget", more) })
    return made
  })

describe("custom kinds", () => {
  it.live("keep fields with numeric names, and resourceVersion fields inside them", () =>
    Effect.gen(function* () {
      const { call } = yield* widgets()
      const own = { "1": { resourceVersion: "abc", metadata: { name: "b" } }, "2": [], spec: { "3": "c" } }
      const created = yield* call("POST", WIDGETS, { body: widget("a", own) })
      const changed = yield* call("PATCH", `${WIDGETS}/a`, patching({ spec: { "3": "d" } }))
      assert.notStrictEqual(revisionOf(changed.json), revisionOf(created.json))
      const { json } = yield* call("GET", `${WIDGETS}/a`)
      assert.strictEqual(revisionOf(json), revisionOf(changed.json))
      assert.deepStrictEqual([json["1"], json["2"], json["spec"]], [own["1"], [], { "3": "d" }])
    })
  )

  it.live("are served as soon as their definition exists, in both forms of discovery", () =>
    Effect.gen(function* () {
      const { call } = yield* widgets()
      const { json } = yield* call("GET", `${DEFINITIONS}/widgets.example.com`)
      const conditions = arrayAt(json, "status", "conditions").map(
        (one) => `${textAt(one, "type")} ${textAt(one, "status")}`
      )
      assert.deepStrictEqual(conditions, ["NamesAccepted True", "Established True"])
      assert.strictEqual(
        (yield* call("POST", WIDGETS, { body: widget("a", { spec: { any: [1, { b: null }] } }) })).status,
        201
      )
      assert.deepStrictEqual((yield* call("GET", `${WIDGETS}/a`)).json["spec"], { any: [1, { b: null }] })
      const groups = arrayAt((yield* call("GET", "/apis")).json, "groups").map((one) => textAt(one, "name"))
      assert.include(groups, "example.com")
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
      const items = arrayAt((yield* call("GET", "/apis", { accept })).json, "items")
      assert.include(
        items.map((one) => textAt(one, "metadata", "name")),
        "example.com"
      )
    })
  )

  it.live("are watched like built-in kinds: initial objects, changes, and bookmarks of their kind", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* widgets()
      yield* call("POST", WIDGETS, { body: widget("a") })
      const query = "watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan"
      const events = yield* watch(`${WIDGETS}?${query}`)
      assert.strictEqual(brief(yield* events.next), "ADDED a")
      const mark = yield* events.next
      assert.strictEqual(textAt(mark, "type"), "BOOKMARK")
      assert.strictEqual(textAt(mark, "object", "kind"), "Widget")
      yield* call("PATCH", `${WIDGETS}/a`, patching({ spec: { size: 1 } }))
      yield* call("DELETE", `${WIDGETS}/a`)
      assert.deepStrictEqual((yield* events.take(2)).map(brief), ["MODIFIED a", "DELETED a"])
    })
  )

  it.live("are deleted with their definition: objects first, then watches, then discovery", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* widgets()
      yield* call("POST", WIDGETS, { body: widget("a") })
      const events = yield* watch(`${WIDGETS}?watch=1`)
      yield* call("DELETE", `${DEFINITIONS}/widgets.example.com`)
      assert.deepStrictEqual((yield* events.rest).map(brief), ["ADDED a", "DELETED a"])
      for (const path of [WIDGETS, "/apis/example.com", `${DEFINITIONS}/widgets.example.com`])
        assert.strictEqual((yield* call("GET", path)).status, 404, path)
    })
  )

  it.live("delay the deletion of their definition by a finalizer, and refuse new objects meanwhile", () =>
    Effect.gen(function* () {
      const { call } = yield* widgets()
      yield* call("POST", WIDGETS, { body: widget("held", { metadata: { name: "held", finalizers: ["a.b/c"] } }) })
      yield* call("DELETE", `${DEFINITIONS}/widgets.example.com`)
      assert.strictEqual((yield* call("GET", `${DEFINITIONS}/widgets.example.com`)).status, 200)
      assert.strictEqual((yield* call("POST", WIDGETS, { body: widget("late") })).status, 403)
      yield* call("PATCH", `${WIDGETS}/held`, patching({ metadata: { finalizers: null } }))
      assert.strictEqual((yield* call("GET", `${DEFINITIONS}/widgets.example.com`)).status, 404)
    })
  )

  it.live("end their watches when their definition changes, and convert objects to the new schema", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* widgets()
      const made = yield* call("POST", WIDGETS, { body: widget("a", { spec: { size: 1 } }) })
      const events = yield* watch(`${WIDGETS}?watch=1&resourceVersion=${revisionOf(made.json)}`)
      const properties = { spec: { type: "object", properties: { color: { type: "string", default: "red" } } } }
      const versions = [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } }
      ]
      yield* call("PATCH", `${DEFINITIONS}/widgets.example.com`, patching({ spec: { versions } }))
      assert.deepStrictEqual(yield* events.rest, [])
      const { json } = yield* call("GET", `${WIDGETS}/a`)
      assert.deepStrictEqual(json["spec"], { color: "red" })
      assert.strictEqual(revisionOf(json), revisionOf(made.json))
    })
  )

  it.live("may have the name of a built-in kind, without its behaviour", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      for (const kind of ["Service", "Pod", "Job", "Namespace"]) {
        yield* call("POST", DEFINITIONS, { body: definition(kind) })
        const path = `/apis/example.com/v1/namespaces/default/${kind.toLowerCase()}s`
        const body = { apiVersion: "example.com/v1", kind, metadata: { name: "a.b" }, spec: { ports: "none" } }
        const made = yield* call("POST", path, { body })
        assert.strictEqual(made.status, 201, made.text)
        assert.deepStrictEqual(made.json["spec"], { ports: "none" })
        assert.isUndefined(made.json["status"])
      }
      const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
      const { json } = yield* call("GET", "/apis/example.com/v1/pods", { accept })
      assert.deepStrictEqual(
        arrayAt(json, "columnDefinitions").map((one) => textAt(one, "name")),
        ["Name", "Age"]
      )
    })
  )

  it.live("are deleted with their namespace and their owner", () =>
    Effect.gen(function* () {
      const { call } = yield* widgets()
      yield* call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      yield* call("POST", WIDGETS.replace("default", "shop"), { body: widget("a") })
      yield* call("DELETE", "/api/v1/namespaces/shop")
      assert.strictEqual((yield* call("GET", "/api/v1/namespaces/shop")).status, 404)
      const owner = yield* call("POST", WIDGETS, { body: widget("owner") })
      const ownerReferences = [
        { apiVersion: "example.com/v1", kind: "Widget", name: "owner", uid: textAt(owner.json, "metadata", "uid") }
      ]
      yield* call("POST", WIDGETS, { body: widget("owned", { metadata: { name: "owned", ownerReferences } }) })
      yield* call("DELETE", `${WIDGETS}/owner`)
      assert.deepStrictEqual(namesOf((yield* call("GET", WIDGETS)).json), [])
    })
  )

  it.live("warn of unknown fields and of deprecated versions", () =>
    Effect.gen(function* () {
      const schema = { openAPIV3Schema: { type: "object", properties: {} } }
      const { call } = yield* widgets({
        versions: [
          { name: "v1", served: true, storage: true, schema },
          { name: "v1beta1", served: true, storage: false, schema, deprecated: true }
        ]
      })
      const path = WIDGETS.replace("v1", "v1beta1")
      const made = yield* call("POST", path, { body: { ...widget("a"), apiVersion: "example.com/v1beta1", other: 1 } })
      assert.deepStrictEqual(made.headers["warning"], [
        '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"',
        '299 - "unknown field \\"other\\""'
      ])
    })
  )

  it.live("can provide the metrics API of a cluster", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const body: JsonObject = {
        metadata: {
          name: "pods.metrics.k8s.io",
          annotations: { "api-approved.kubernetes.io": "unapproved, test" }
        },
        spec: {
          group: "metrics.k8s.io",
          scope: "Namespaced",
          names: { plural: "pods", singular: "pod", kind: "PodMetrics" },
          versions: [{ name: "v1beta1", served: true, storage: true, schema: { openAPIV3Schema: OPEN } }]
        }
      }
      assert.strictEqual((yield* call("POST", DEFINITIONS, { body })).status, 201)
      const usage = { cpu: "10m", memory: "1Mi" }
      const metrics = {
        apiVersion: "metrics.k8s.io/v1beta1",
        kind: "PodMetrics",
        metadata: { name: "web" },
        containers: [{ name: "main", usage }]
      }
      yield* call("POST", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", { body: metrics })
      const { json } = yield* call("GET", "/apis/metrics.k8s.io/v1beta1/pods")
      assert.deepStrictEqual(objectAt(arrayAt(arrayAt(json, "items")[0], "containers")[0], "usage"), usage)
    })
  )

  it.live("are gone after a restart as an empty cluster", () =>
    Effect.gen(function* () {
      const { call, server } = yield* widgets()
      yield* call("POST", WIDGETS, { body: widget("a") })
      yield* server.restartEmpty
      const later = yield* connect(server)
      assert.strictEqual((yield* later.call("GET", "/apis/example.com")).status, 404)
      yield* later.call("POST", DEFINITIONS, { body: definition("Widget") })
      assert.deepStrictEqual(namesOf((yield* later.call("GET", WIDGETS)).json), [])
    })
  )
})
