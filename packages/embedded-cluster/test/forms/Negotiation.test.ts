import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, textAt } from "../../src/core/Json.ts"
import { type Answer, configMap, deployment, namesOf, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const MAPS = "/api/v1/namespaces/default/configmaps"
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
const PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

const refusal = ({ json, status }: Answer) => [status, json["reason"], json["message"]]

describe("discovery and negotiation", () => {
  it.effect("serves aggregated discovery if the client asks for it, and the older form otherwise", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
      const aggregated = yield* call("GET", "/apis", { accept })
      assert.strictEqual(aggregated.type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
      assert.strictEqual(aggregated.json["kind"], "APIGroupDiscoveryList")
      assert.strictEqual((yield* call("GET", "/apis")).json["kind"], "APIGroupList")
      const apps = yield* call("GET", "/apis/apps/v1")
      const scale = arrayAt(apps.json, "resources").find((one) => textAt(one, "name") === "deployments/scale")
      assert.deepStrictEqual(scale, {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"]
      })
    })
  )

  it.effect("404 for an unknown page, group, kind and subresource, each in the real server's form", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const page = yield* call("GET", "/apis/metrics.k8s.io/v1beta1")
      assert.deepStrictEqual(
        [page.status, page.type, page.text],
        [404, "text/plain; charset=utf-8", "404 page not found\n"]
      )
      for (const path of [
        "/api/v2",
        "/apis/apps/v1/widgets",
        `${PODS}/a/widgets`,
        "/api/v1/namespaces/default/nodes"
      ]) {
        assert.deepStrictEqual(
          refusal(yield* call("GET", path)),
          [404, "NotFound", "the server could not find the requested resource"],
          path
        )
      }
    })
  )

  it.effect("405 for a verb that the resource does not support", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      for (const [method, path] of [
        ["POST", `${PODS}/a`],
        ["PUT", PODS],
        ["DELETE", "/api/v1/namespaces"],
        ["POST", "/api/v1/pods"]
      ] as const) {
        assert.strictEqual((yield* call(method, path, { body: {} })).status, 405, `${method} ${path}`)
      }
    })
  )

  it.effect("returns objects as a table, as metadata, and whole", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const table = yield* call("GET", DEPLOYMENTS, { accept: TABLE })
      assert.deepStrictEqual(
        arrayAt(table.json, "columnDefinitions").map((one) => textAt(one, "name")),
        ["Name", "Ready", "Up-to-date", "Available", "Age", "Containers", "Images", "Selector"]
      )
      const [row] = arrayAt(table.json, "rows")
      assert.deepStrictEqual(arrayAt(row, "cells").toSpliced(4, 1), [
        "web",
        "0/2",
        0,
        0,
        "main",
        "registry.example/app:1",
        "app=web"
      ])
      assert.strictEqual(textAt(row, "object", "kind"), "PartialObjectMetadata")
      const metadata = yield* call("GET", DEPLOYMENTS, { accept: PARTIAL })
      assert.strictEqual(metadata.json["kind"], "PartialObjectMetadataList")
      assert.isUndefined(at(arrayAt(metadata.json, "items")[0], "spec"))
      const whole = yield* call("GET", DEPLOYMENTS)
      assert.isUndefined(at(arrayAt(whole.json, "items")[0], "kind"))
      assert.strictEqual(whole.json["kind"], "DeploymentList")
    })
  )

  it.effect("415 for protobuf, 406 for a form that does not exist, 413 for a body beyond the limit", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const protobuf = yield* call("POST", PODS, { body: "k8s", type: "application/vnd.kubernetes.protobuf" })
      assert.deepStrictEqual(protobuf.status, 415)
      assert.include(protobuf.json["message"], "application/json")
      assert.strictEqual((yield* call("GET", PODS, { accept: "text/html" })).status, 406)
      const large = yield* call("POST", MAPS, { body: configMap("big", {}, { data: "x".repeat(3 * 1024 * 1024) }) })
      assert.deepStrictEqual([large.status, large.json["reason"]], [413, "RequestEntityTooLarge"])
    })
  )

  it.effect("compresses long replies if the client accepts gzip", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* Effect.forEach(["a", "b", "c"], (name) =>
        call("POST", MAPS, { body: configMap(name, {}, { data: "x".repeat(60_000) }) })
      )
      const plain = yield* call("GET", MAPS)
      assert.deepStrictEqual(namesOf(plain.json), ["a", "b", "c"])
      assert.isUndefined(plain.headers["content-encoding"])
      const packed = yield* call("GET", MAPS, { acceptEncoding: "gzip" })
      assert.strictEqual(packed.headers["content-encoding"], "gzip")
    })
  )
})
