import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:https"
import { arrayAt, at, type JsonObject, textAt } from "../../src/core/Json.ts"
import * as ServerCertificate from "../../src/serving/ServerCertificate.ts"
import { brief, started, VIEWER } from "../Client.ts"
import { condition, NAMESPACE, watching } from "../controllers/Machine.ts"

const GROUP = "/apis/metrics.k8s.io/v1beta1"
const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
const API = `${SERVICES}/v1beta1.metrics.k8s.io`
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

const item = (name: string): JsonObject => ({
  metadata: { name, namespace: "default" },
  timestamp: "2026-01-01T00:00:00Z",
  window: "15s",
  containers: [{ name: "main", usage: { cpu: "250m", memory: "64Mi" } }]
})

const pages = (request: IncomingMessage): JsonObject | undefined => {
  const list = (kind: string, items: ReadonlyArray<JsonObject>): JsonObject => ({
    kind,
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {},
    items
  })
  const resource = (name: string, kind: string, namespaced: boolean): JsonObject => ({
    name,
    singularName: "",
    namespaced,
    kind,
    verbs: ["get", "list"]
  })
  switch (request.url?.split("?")[0]) {
    case GROUP:
      return {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: "metrics.k8s.io/v1beta1",
        resources: [resource("nodes", "NodeMetrics", false), resource("pods", "PodMetrics", true)]
      }
    case `${GROUP}/namespaces/default/pods`:
      return list("PodMetricsList", [item("web-1")])
    case `${GROUP}/nodes`:
      return list("NodeMetricsList", [
        {
          metadata: { name: "n1" },
          timestamp: "2026-01-01T00:00:00Z",
          window: "15s",
          usage: { cpu: "1500m", memory: "2Gi" }
        }
      ])
    default:
      return undefined
  }
}

/** A metrics server of another program. It records the identity headers of its requests. */
const metricsServer = Effect.gen(function* () {
  const certificate = yield* ServerCertificate.issue("metrics")
  const asked: Array<{ readonly url: string; readonly user: string; readonly groups: string; readonly token: string }> =
    []
  const server = createServer(
    { cert: certificate.certificatePem, key: Redacted.value(certificate.keyPem) },
    (request, response) => {
      const { authorization = "", "x-remote-group": groups = "", "x-remote-user": user = "" } = request.headers
      asked.push({ url: request.url ?? "", user: String(user), groups: String(groups), token: authorization })
      const page = pages(request)
      response.writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify(page ?? { kind: "Status", code: 404 }))
    }
  )
  const close = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<number>((done) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            done(typeof address === "object" && address !== null ? address.port : 0)
          })
        })
    ),
    () => close
  )
  return { port, asked, close, certificate }
})

const registered = Effect.gen(function* () {
  const cluster = yield* started()
  const metrics = yield* metricsServer
  const machine = { ...cluster, ...watching(cluster) }
  yield* cluster.call("POST", `${NAMESPACE}/services`, {
    body: { metadata: { name: "metrics" }, spec: { type: "ExternalName", externalName: "localhost" } }
  })
  yield* cluster.call("POST", SERVICES, { body: apiService(metrics.port) })
  return { ...machine, metrics }
})

const apiService = (port: number, more: JsonObject = { insecureSkipTLSVerify: true }): JsonObject => ({
  metadata: { name: "v1beta1.metrics.k8s.io" },
  spec: {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { name: "metrics", namespace: "default", port },
    ...more
  }
})

const isUp = (api: JsonObject): boolean => condition(api, "Available")["status"] === "True"

describe("APIs of other servers", () => {
  it.live("that are not registered are plain 404 pages", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const answer = yield* call("GET", `${GROUP}/nodes`)
      assert.deepStrictEqual(
        [answer.status, answer.text, answer.type],
        [404, "404 page not found\n", "text/plain; charset=utf-8"]
      )
    })
  )

  it.live("are in discovery, and their servers get the caller's identity", () =>
    Effect.gen(function* () {
      const { call, metrics, until } = yield* registered
      yield* until("it is available", API, isUp)
      const answer = yield* call("GET", `${GROUP}/namespaces/default/pods?limit=5`)
      assert.deepStrictEqual(
        [answer.status, textAt(arrayAt(answer.json, "items")[0], "metadata", "name")],
        [200, "web-1"]
      )
      const last = metrics.asked.at(-1)
      assert.deepStrictEqual(last, {
        url: `${GROUP}/namespaces/default/pods?limit=5`,
        user: "admin",
        groups: "system:masters, system:authenticated",
        token: ""
      })
      const groups = arrayAt((yield* call("GET", "/apis")).json, "groups").map((one) => textAt(one, "name"))
      assert.include(groups, "metrics.k8s.io")
      assert.strictEqual(textAt((yield* call("GET", "/apis/metrics.k8s.io")).json, "kind"), "APIGroup")
      const found = arrayAt((yield* call("GET", "/apis", { accept: AGGREGATED })).json, "items").find(
        (one) => textAt(one, "metadata", "name") === "metrics.k8s.io"
      )
      const [version] = arrayAt(found, "versions")
      assert.strictEqual(textAt(version, "freshness"), "Current")
      assert.deepStrictEqual(
        arrayAt(version, "resources").map((one) => textAt(one, "resource")),
        ["nodes", "pods"]
      )
    })
  )

  it.live("require the caller's RBAC permission", () =>
    Effect.gen(function* () {
      const { call, metrics, until } = yield* registered
      yield* until("it is available", API, isUp)
      const before = metrics.asked.length
      const refused = yield* call("GET", `${GROUP}/nodes`, { token: VIEWER })
      assert.strictEqual(refused.status, 403)
      assert.include(textAt(refused.json, "message"), 'cannot list resource "nodes" in API group "metrics.k8s.io"')
      assert.lengthOf(metrics.asked, before)
    })
  )

  it.live("503 while their server or service is missing, and available again without intervention", () =>
    Effect.gen(function* () {
      const { call, metrics, until } = yield* registered
      yield* until("it is available", API, isUp)
      yield* metrics.close
      const cut = yield* call("GET", `${GROUP}/nodes`)
      assert.strictEqual(cut.status, 503)
      assert.include(cut.text, "ECONNREFUSED")
      const down = yield* until("it is not available", API, (api) => !isUp(api))
      assert.strictEqual(condition(down, "Available")["reason"], "FailedDiscoveryCheck")
      assert.match(textAt(condition(down, "Available"), "message"), /^https:.*\/metrics.k8s.io\/v1beta1 .*ECONNREFUSED/)
      const away = yield* call("GET", `${GROUP}/nodes`)
      assert.deepStrictEqual([away.status, away.text], [503, "service unavailable\n"])
      yield* call("DELETE", `${NAMESPACE}/services/metrics`)
      const missing = yield* until(
        "the service is missed",
        API,
        (api) => condition(api, "Available")["reason"] === "ServiceNotFound"
      )
      assert.strictEqual(condition(missing, "Available")["message"], 'service/metrics in "default" is not present')

      const another = yield* metricsServer
      yield* call("DELETE", API)
      yield* call("POST", SERVICES, { body: apiService(another.port) })
      yield* call("POST", `${NAMESPACE}/services`, {
        body: { metadata: { name: "metrics" }, spec: { type: "ExternalName", externalName: "localhost" } }
      })
      yield* until("it is available again", API, isUp)
    })
  )

  it.live("are verified by their CA bundle", () =>
    Effect.gen(function* () {
      const { call, metrics, until } = yield* registered
      const other = yield* ServerCertificate.issue("other")
      yield* call("DELETE", API)
      const caBundle = Buffer.from(other.certificatePem).toString("base64")
      yield* call("POST", SERVICES, { body: apiService(metrics.port, { caBundle }) })
      const seen = yield* until("it was judged", API, (api) => condition(api, "Available")["status"] !== undefined)
      assert.strictEqual(condition(seen, "Available")["reason"], "FailedDiscoveryCheck")
    })
  )

  it.live("are listed beside the server's own APIs, which are always available", () =>
    Effect.gen(function* () {
      const { call, items, watch } = yield* registered
      const own = (yield* items(SERVICES)).filter((one) => at(one, "spec", "service") === undefined)
      assert.includeMembers(
        own.map((one) => textAt(one, "metadata", "name")),
        ["v1.", "v1.apps", "v1.batch"]
      )
      assert.isTrue(own.every((one) => condition(one, "Available")["reason"] === "Local"))
      const misnamed = {
        metadata: { name: "x" },
        spec: { group: "a.b", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 }
      }
      assert.strictEqual((yield* call("POST", SERVICES, { body: misnamed })).status, 422)
      const events = yield* watch(`${SERVICES}?watch=1`)
      assert.match(brief(yield* events.next), /^ADDED v1/)
    })
  )
})
