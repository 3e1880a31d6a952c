import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, type JsonObject, textAt } from "../../src/core/Json.ts"
import { deployment, patching, revisionOf, started } from "../Client.ts"

const APPLY = "application/apply-patch+yaml"
const CORE = "/api/v1/namespaces/default"
const WEB = "/apis/apps/v1/namespaces/default/deployments/web"

const intent = (...containers: ReadonlyArray<JsonObject>): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers } }
  }
})

const applying = (body: JsonObject) => ({ body, type: APPLY })

describe("an apply", () => {
  it.effect("removes the ports that it no longer has", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const main = { name: "main", image: "m:1" }
      const ports = [{ containerPort: 80 }, { containerPort: 81 }]
      yield* call("PATCH", `${WEB}?fieldManager=one`, applying(intent({ ...main, ports })))
      const { json } = yield* call(
        "PATCH",
        `${WEB}?fieldManager=one`,
        applying(intent({ ...main, ports: [{ containerPort: 80 }] }))
      )
      const [container] = arrayAt(json, "spec", "template", "spec", "containers")
      assert.deepStrictEqual(at(container, "ports"), [{ containerPort: 80, protocol: "TCP" }])
    })
  )

  it.effect("500 if two containers have the same identity", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const main = { name: "main", image: "m:1" }
      const { json, status } = yield* call("PATCH", `${WEB}?fieldManager=one`, applying(intent(main, main)))
      assert.strictEqual(status, 500)
      assert.include(textAt(json, "message"), '.spec.template.spec.containers has [name="main"] twice')
    })
  )

  it.effect("of a status does not change the spec", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("PATCH", `${WEB}?fieldManager=one`, applying(intent({ name: "main", image: "m:1" })))
      const body = { ...intent({ name: "main", image: "other" }), status: { replicas: 2 } }
      const { json, status } = yield* call("PATCH", `${WEB}/status?fieldManager=two`, applying(body))
      assert.deepStrictEqual([status, at(json, "status", "replicas")], [200, 2])
      const [container] = arrayAt(json, "spec", "template", "spec", "containers")
      assert.strictEqual(textAt(container, "image"), "m:1")
    })
  )

  it.effect("422 for an invalid field manager", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      for (const manager of ["x".repeat(129), "a%07b"]) {
        const path = `${WEB}?fieldManager=${manager}`
        assert.strictEqual((yield* call("PATCH", path, applying(intent({ name: "a", image: "b" })))).status, 422)
      }
    })
  )
})

describe("a write", () => {
  it.effect("with empty lists where there were none changes nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const before = yield* call("POST", "/apis/apps/v1/namespaces/default/deployments", { body: deployment("web") })
      const spec = { nodeSelector: {}, tolerations: [], volumes: [] }
      const patch = { spec: { template: { metadata: { annotations: {} }, spec } } }
      const after = yield* call("PATCH", WEB, patching(patch))
      assert.strictEqual(revisionOf(after.json), revisionOf(before.json))
    })
  )

  it.effect("that orphans dependents by the old option keeps them", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const owner = yield* call("POST", `${CORE}/configmaps`, { body: { metadata: { name: "owner" } } })
      const uid = textAt(owner.json, "metadata", "uid")
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }]
      yield* call("POST", `${CORE}/configmaps`, { body: { metadata: { name: "kid", ownerReferences } } })
      yield* call("DELETE", `${CORE}/configmaps/owner`, { body: { orphanDependents: true } })
      assert.strictEqual((yield* call("GET", `${CORE}/configmaps/owner`)).status, 404)
      assert.strictEqual((yield* call("GET", `${CORE}/configmaps/kid`)).status, 200)
    })
  )
})
