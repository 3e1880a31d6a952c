import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, type JsonObject, textAt } from "../../src/core/Json.ts"
import { type Answer, configMap, deployment, patching, pod, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const MAPS = "/api/v1/namespaces/default/configmaps"
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
const STRATEGIC = "application/strategic-merge-patch+json"

const causes = ({ json }: Answer) =>
  arrayAt(json, "details", "causes").map((cause) => [textAt(cause, "reason"), textAt(cause, "field")])
const refusal = ({ json, status }: Answer) => [status, json["reason"], json["message"]]
const revision = ({ json }: Answer) => textAt(json, "metadata", "resourceVersion")

describe("writing", () => {
  it.effect("gives a new object its identity, its defaults and a status of its own", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const made = yield* call("POST", DEPLOYMENTS, { body: { ...deployment("web"), status: { replicas: 9 } } })
      assert.strictEqual(made.status, 201)
      assert.match(
        textAt(made.json, "metadata", "uid"),
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
      )
      assert.strictEqual(at(made.json, "metadata", "generation"), 1)
      assert.deepStrictEqual(at(made.json, "spec", "strategy"), {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" }
      })
      assert.deepStrictEqual(made.json["status"], {})
      const limited = yield* call("POST", PODS, {
        body: pod("limited", { containers: [{ name: "a", image: "b", resources: { limits: { cpu: "1000m" } } }] })
      })
      assert.deepStrictEqual(at(arrayAt(limited.json, "spec", "containers")[0], "resources"), {
        limits: { cpu: "1" },
        requests: { cpu: "1" }
      })
      const generated = yield* call("POST", MAPS, { body: { metadata: { generateName: "g-" } } })
      assert.match(textAt(generated.json, "metadata", "name"), /^g-[a-z0-9]{5}$/)
    })
  )

  it.effect("refuses invalid objects with the real server's reasons and fields", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", PODS, { body: pod("p") })
      assert.deepStrictEqual(refusal(yield* call("POST", PODS, { body: pod("p") })), [
        409,
        "AlreadyExists",
        'pods "p" already exists'
      ])
      assert.deepStrictEqual(refusal(yield* call("GET", `${DEPLOYMENTS}/no`)), [
        404,
        "NotFound",
        'deployments.apps "no" not found'
      ])
      const nameless = yield* call("POST", PODS, { body: { spec: { containers: [{ name: "a", image: "b" }] } } })
      assert.deepStrictEqual(causes(nameless), [["FieldValueRequired", "metadata.name"]])
      const negative = yield* call("POST", DEPLOYMENTS, { body: deployment("neg", -1) })
      assert.deepStrictEqual(negative.status, 422)
      assert.deepStrictEqual(causes(negative), [["FieldValueInvalid", "spec.replicas"]])
      assert.deepInclude(at(negative.json, "details"), { name: "neg", group: "apps", kind: "Deployment" })
      assert.strictEqual((yield* call("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("p") })).status, 404)
    })
  )

  it.effect("an update without changes keeps the version; a stale update is refused", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const made = yield* call("POST", MAPS, { body: configMap("c") })
      const same = yield* call("PUT", `${MAPS}/c`, { body: made.json })
      assert.strictEqual(revision(same), revision(made))
      const changed = yield* call("PUT", `${MAPS}/c`, { body: { ...made.json, data: { key: "other" } } })
      assert.strictEqual(Number(revision(changed)), Number(revision(made)) + 1)
      assert.deepStrictEqual(refusal(yield* call("PUT", `${MAPS}/c`, { body: made.json })), [
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest '
          + "version and try again"
      ])
    })
  )

  it.effect("status and object are updated separately, and only the object has generations", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const body = { spec: { replicas: 5 }, status: { replicas: 3 } }
      const status = yield* call("PATCH", `${DEPLOYMENTS}/web/status`, patching(body))
      assert.deepStrictEqual([at(status.json, "spec", "replicas"), at(status.json, "status", "replicas")], [2, 3])
      assert.strictEqual(at(status.json, "metadata", "generation"), 1)
      const main = yield* call("PATCH", `${DEPLOYMENTS}/web`, patching({ ...body, status: { replicas: 7 } }))
      assert.deepStrictEqual([at(main.json, "spec", "replicas"), at(main.json, "status", "replicas")], [5, 3])
      assert.strictEqual(at(main.json, "metadata", "generation"), 2)
    })
  )

  it.effect("scales a workload, and refuses a stale or negative scale", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const scale = yield* call("GET", `${DEPLOYMENTS}/web/scale`)
      assert.deepStrictEqual(
        [scale.json["kind"], scale.json["spec"], at(scale.json, "status", "selector")],
        ["Scale", { replicas: 2 }, "app=web"]
      )
      const scaled = yield* call("PUT", `${DEPLOYMENTS}/web/scale`, { body: { ...scale.json, spec: { replicas: 4 } } })
      assert.deepStrictEqual(scaled.json["spec"], { replicas: 4 })
      assert.strictEqual(
        (yield* call("PUT", `${DEPLOYMENTS}/web/scale`, { body: { ...scale.json, spec: { replicas: 1 } } })).status,
        409
      )
      assert.strictEqual(
        (yield* call("PATCH", `${DEPLOYMENTS}/web/scale`, patching({ spec: { replicas: -1 } }))).status,
        422
      )
      assert.strictEqual(at((yield* call("GET", `${DEPLOYMENTS}/web`)).json, "spec", "replicas"), 4)
    })
  )

  it.effect("a strategic patch merges a container by its name", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const body = {
        spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "B", value: "2" }] }] } } }
      }
      const patched = yield* call("PATCH", `${DEPLOYMENTS}/web`, patching(body, STRATEGIC))
      const [main] = arrayAt(patched.json, "spec", "template", "spec", "containers")
      assert.strictEqual(textAt(main, "image"), "registry.example/app:1")
      assert.sameDeepMembers(
        [...arrayAt(main, "env")],
        [
          { name: "A", value: "1" },
          { name: "B", value: "2" }
        ]
      )
    })
  )

  it.effect("an apply creates, owns its fields, reports conflicts and takes over when forced", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const apply = (manager: string, data: JsonObject, extra = "") =>
        call("PATCH", `${MAPS}/a?fieldManager=${manager}${extra}`, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data },
          type: "application/apply-patch+yaml"
        })
      assert.strictEqual((yield* apply("one", { x: "1", y: "1" })).status, 201)
      const conflict = yield* apply("two", { x: "2" })
      assert.strictEqual(conflict.status, 409)
      assert.deepStrictEqual(causes(conflict), [["FieldManagerConflict", ".data.x"]])
      assert.deepStrictEqual((yield* apply("two", { x: "2", z: "2" }, "&force=true")).json["data"], {
        x: "2",
        y: "1",
        z: "2"
      })
      assert.deepStrictEqual((yield* apply("two", { z: "2" })).json["data"], { y: "1", z: "2" })
      const again = yield* apply("two", { z: "2" })
      assert.strictEqual(revision(again), revision(yield* call("GET", `${MAPS}/a`)))
      const unnamed = yield* call("PATCH", `${MAPS}/a`, { body: "{}", type: "application/apply-patch+yaml" })
      assert.strictEqual(unnamed.status, 422)
    })
  )

  it.effect("fields written before the first apply keep their owner", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const intent = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 7 } }
      const apply = yield* call("PATCH", `${DEPLOYMENTS}/web?fieldManager=me`, {
        body: intent,
        type: "application/apply-patch+yaml"
      })
      assert.strictEqual(apply.status, 409)
      assert.deepStrictEqual(causes(apply), [["FieldManagerConflict", ".spec.replicas"]])
    })
  )

  it.effect("a dry run returns the result without storing it", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const made = yield* call("POST", `${MAPS}?dryRun=All`, { body: configMap("dry") })
      assert.deepStrictEqual([made.status, revision(made)], [201, ""])
      assert.strictEqual((yield* call("GET", `${MAPS}/dry`)).status, 404)
    })
  )
})
