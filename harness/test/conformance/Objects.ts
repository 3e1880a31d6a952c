import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  at,
  configMap,
  configMapRef,
  deployment,
  deploymentRef,
  freshNamespace,
  parent,
  pod,
  causesOf,
  refusal,
  type Suite
} from "./Fixture.ts"

/** Create, read, update and delete; the kinds of patches; status and scale. */
export const objects = (it: Suite): void => {
  it.effect("a created object can be read, and has a uid, version and creation time", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const created = yield* api.create(configMap(namespace, "one"))
      const read = yield* api.get(configMapRef(namespace, "one"))
      assert.deepStrictEqual(read, created)
      assert.match(created.metadata.uid ?? "", /^[0-9a-f]{8}-/)
      assert.match(created.metadata.resourceVersion ?? "", /^[1-9][0-9]*$/)
      assert.match(String(created.metadata["creationTimestamp"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    })
  )

  it.effect("a generated name is the prefix and five characters", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const { metadata } = yield* api.create({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { generateName: "made-", namespace }
      })
      assert.match(metadata.name ?? "", /^made-[a-z0-9]{5}$/)
    })
  )

  it.effect("a service gets its automatic address and node port outside the ranges for explicit requests", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const { spec } = yield* api.create({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web", namespace },
        spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80 }] }
      })
      assert.match(String(at(spec, "clusterIP")), /^10\.[0-9]+\.[0-9]+\.[0-9]+$/)
      assert.notMatch(String(at(spec, "clusterIP")), /^10\.0\.0\.([0-9]|1[0-6])$/)
      assert.isAtLeast(Number(at(spec, "ports", 0, "nodePort")), 30_086)
    })
  )

  it.effect("404 when an object does not exist", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const refused = yield* refusal(api.get({ apiVersion: "v1", kind: "Pod", namespace: "default", name: "absent" }))
      assert.deepStrictEqual([refused.code, refused.reason, refused.text], [404, "NotFound", 'pods "absent" not found'])
      assert.deepStrictEqual(at(refused.status, "details"), { name: "absent", kind: "pods" })
    })
  )

  it.effect("409 when an object exists already", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(pod(namespace, "one"))
      const refused = yield* refusal(api.create(pod(namespace, "one")))
      assert.deepStrictEqual(
        [refused.code, refused.reason, refused.text],
        [409, "AlreadyExists", 'pods "one" already exists']
      )
    })
  )

  it.effect("409 when an update is based on an old version", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const first = yield* api.create(configMap(namespace, "one"))
      yield* api.replace({ ...first, data: { key: "second" } })
      const refused = yield* refusal(api.replace({ ...first, data: { key: "third" } }))
      assert.deepStrictEqual([refused.code, refused.reason], [409, "Conflict"])
      assert.strictEqual(
        refused.text,
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; '
          + "please apply your changes to the latest version and try again"
      )
    })
  )

  it.effect("an update without a change keeps the version", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const first = yield* api.create(configMap(namespace, "one"))
      const second = yield* api.replace(first)
      assert.strictEqual(second.metadata.resourceVersion, first.metadata.resourceVersion)
    })
  )

  it.effect("a deleted object is gone", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(configMap(namespace, "one"))
      yield* api.delete(configMapRef(namespace, "one"))
      assert.strictEqual((yield* refusal(api.get(configMapRef(namespace, "one")))).code, 404)
    })
  )

  it.effect("a merge patch sets, adds and removes fields", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(configMap(namespace, "one", {}, { a: "1", b: "2" }))
      const patched = yield* api.patch(configMapRef(namespace, "one"), { data: { a: null, b: "3", c: "4" } })
      assert.deepStrictEqual(patched["data"], { b: "3", c: "4" })
    })
  )

  it.effect("a JSON patch applies its operations, and a failing test refuses the whole patch", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const ref = configMapRef(namespace, "one")
      yield* api.create(configMap(namespace, "one", {}, { a: "1" }))
      const patched = yield* api.patch(
        ref,
        [
          { op: "test", path: "/data/a", value: "1" },
          { op: "replace", path: "/data/a", value: "2" },
          { op: "add", path: "/data/b", value: "3" }
        ],
        { type: "json" }
      )
      assert.deepStrictEqual(patched["data"], { a: "2", b: "3" })
      const refused = yield* refusal(
        api.patch(
          ref,
          [
            { op: "replace", path: "/data/b", value: "4" },
            { op: "test", path: "/data/a", value: "1" }
          ],
          { type: "json" }
        )
      )
      assert.strictEqual(refused.code, 422)
      assert.deepStrictEqual((yield* api.get(ref))["data"], { a: "2", b: "3" })
    })
  )

  it.effect("a strategic merge patch merges containers by name", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(deployment(namespace, "web"))
      const patch = { spec: { template: { spec: { containers: [{ name: "side", image: "busybox:2" }] } } } }
      const patched = yield* api.patch(deploymentRef(namespace, "web"), patch, { type: "strategic" })
      const containers = at(patched, "spec", "template", "spec", "containers")
      assert.deepStrictEqual(
        [0, 1].map((index) => [at(containers, index, "name"), at(containers, index, "image")]),
        [
          ["main", "busybox:1"],
          ["side", "busybox:2"]
        ]
      )
    })
  )

  it.effect("apply creates, changes only its own fields, and conflicts with another owner unless forced", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.apply(configMap(namespace, "one", {}, { a: "1" }), { fieldManager: "first" })
      const second = yield* api.apply(configMap(namespace, "one", {}, { b: "2" }), { fieldManager: "second" })
      assert.deepStrictEqual(second["data"], { a: "1", b: "2" })
      const claim = configMap(namespace, "one", {}, { a: "3" })
      const refused = yield* refusal(api.apply(claim, { fieldManager: "third", force: false }))
      assert.deepStrictEqual([refused.code, refused.reason], [409, "Conflict"])
      assert.deepStrictEqual(causesOf(refused), [["FieldManagerConflict", ".data.a"]])
      const forced = yield* api.apply(claim, { fieldManager: "third", force: true })
      assert.deepStrictEqual(forced["data"], { a: "3", b: "2" })
    })
  )

  it.effect("an apply removes fields that it no longer names", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const service = (...ports: ReadonlyArray<readonly [string, number]>) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web", namespace },
        spec: { selector: { app: "web" }, ports: ports.map(([name, port]) => ({ name, port })) }
      })
      const names = (object: unknown, ...path: ReadonlyArray<string>) => {
        const items = at(object, ...path)
        return Array.isArray(items) ? items.map((item) => at(item, "name")) : undefined
      }
      const mine = { fieldManager: "mine" }
      const ports = yield* api.apply(service(["http", 80], ["metrics", 9090]), mine)
      assert.deepStrictEqual(names(ports, "spec", "ports"), ["http", "metrics"])
      const fewer = yield* api.apply(service(["http", 80]), mine)
      assert.deepStrictEqual(names(fewer, "spec", "ports"), ["http"])

      const web = deployment(namespace, "web")
      const template = (...containers: ReadonlyArray<string>) => ({
        ...web,
        spec: {
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: { containers: containers.map((name) => ({ name, image: "busybox:1" })) }
          }
        }
      })
      const containers = ["spec", "template", "spec", "containers"]
      yield* api.apply(template("main", "side", "third"), mine)
      yield* api.apply(template("main", "third"), { fieldManager: "other" })
      const left = yield* api.apply(template("main"), mine)
      assert.deepStrictEqual(names(left, ...containers), ["main", "third"])
    })
  )

  it.effect("only the status path writes the status, and it writes nothing else", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      const created = yield* api.create({ ...deployment(namespace, "web"), status: { replicas: 7 } })
      assert.notStrictEqual(at(created, "status", "replicas"), 7)
      const patch = { spec: { replicas: 9 }, status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 } }
      const reported = yield* api.patch(deploymentRef(namespace, "web"), patch, { subresource: "status" })
      assert.strictEqual(at(reported, "status", "readyReplicas"), 1)
      assert.strictEqual(at(reported, "spec", "replicas"), 2)
      const replaced = yield* api.replace({ ...reported, status: {} })
      assert.strictEqual(at(replaced, "status", "readyReplicas"), 1)
    })
  )

  it.effect("scaling changes the replicas and raises the generation", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const namespace = yield* freshNamespace(yield* parent)
      yield* api.create(deployment(namespace, "web"))
      const ref = deploymentRef(namespace, "web")
      const scale = yield* api.patch(ref, { spec: { replicas: 5 } }, { subresource: "scale" })
      assert.strictEqual(scale.kind, "Scale")
      const scaled = yield* api.get(ref)
      assert.strictEqual(at(scaled, "spec", "replicas"), 5)
      assert.strictEqual(scaled.metadata["generation"], 2)
    })
  )

  it.effect("reports its Kubernetes version", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const { status, text } = yield* api.request({ method: "GET", path: "/version" })
      assert.strictEqual(status, 200)
      assert.match(text, /"gitVersion":\s*"v1\.\d+\.\d+/)
    })
  )
}
