import { assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { eventually } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Schema } from "effect"
import { Deployment, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const Reply = Schema.Struct({ content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })

const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness))

/** What this suite reads of an OpenAPI document. */
const decodeSpecification = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      servers: Schema.Array(Schema.Struct({ url: Schema.String })),
      components: Schema.Struct({
        securitySchemes: Schema.Record(Schema.String, Schema.Unknown),
        responses: Schema.Record(Schema.String, Reply)
      }),
      paths: Schema.Record(
        Schema.String,
        Schema.Record(
          Schema.String,
          Schema.Struct({
            security: Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String))),
            parameters: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))),
            responses: Schema.Record(Schema.String, Schema.Union([Schema.Struct({ $ref: Schema.String }), Reply]))
          })
        )
      )
    })
  )
)

onOneDriver("surface", { children: [] }, (it) => {
  it.effect("/healthz, /readyz, /openapi.json and /docs need no key", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"]) {
        assert.strictEqual((yield* deployment.call(path, { key: null })).status, 200, path)
      }
    })
  )

  it.effect("the OpenAPI document names every route, its refusals and how a key is presented", () =>
    Effect.gen(function* () {
      const { text } = yield* (yield* Deployment).call("/openapi.json", { key: null })
      const { components, paths } = yield* decodeSpecification(text)
      assert.sameMembers(Object.keys(paths), [
        "/api/v1/accessReviews",
        "/api/v1/apiKeys",
        "/api/v1/apiKeys/{id}",
        "/api/v1/apiKeys/{id}/rotate",
        "/api/v1/audit",
        "/api/v1/clusters",
        "/api/v1/clusters/{name}",
        "/api/v1/clusters/watch",
        "/api/v1/costExplanation",
        "/api/v1/pods/{cluster}/{namespace}/{name}/logs",
        "/api/v1/events",
        "/api/v1/namespaces",
        "/api/v1/overview",
        "/api/v1/pods",
        "/api/v1/prices",
        "/api/v1/session",
        "/api/v1/whoami",
        "/api/v1/workloads",
        "/api/v1/workloads/actions",
        "/api/v1/workloads/watch",
        "/api/v1/workloads/{cluster}/{namespace}/{kind}/{name}",
        ...["scale", "restart", "pause", "resume"].map(
          (action) => `/api/v1/workloads/{cluster}/{namespace}/{kind}/{name}/${action}`
        ),
        "/detailedCostReport/getAggregated",
        "/detailedCostReport/getWorkloads",
        "/healthz",
        "/readyz"
      ])
      assert.sameMembers(Object.keys(components.securitySchemes), ["bearer", "basic", "session"])
      const { parameters = [], responses } = paths["/api/v1/workloads"]?.["get"] ?? { responses: {}, security: [] }
      assert.includeMembers(Object.keys(responses), ["200", "400", "401", "403", "404", "502", "503", "504"])
      assert.deepStrictEqual(responses["403"], { $ref: "#/components/responses/Status403" })
      assert.isDefined(components.responses["Status403"]?.content?.["application/problem+json"])
      assert.includeMembers(
        parameters.map(({ name }) => name),
        ["X-Service-Cluster", "namespace", "labelSelector", "cursor"]
      )
      const costs = paths["/detailedCostReport/getWorkloads"]?.["post"]
      const report = costs?.responses["200"]
      const content = report !== undefined && "content" in report ? report.content : {}
      assert.sameMembers(Object.keys(content ?? {}), ["application/json", "text/csv"])
      assert.includeMembers(costs?.parameters?.map(({ name }) => name) ?? [], ["X-Service-Cluster", "range", "format"])
    })
  )

  it.effect("the OpenAPI document asks for a key wherever the service does", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { paths } = yield* decodeSpecification((yield* deployment.call("/openapi.json", { key: null })).text)
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, { security }] of Object.entries(operations)) {
          const reply = yield* deployment.call(path.replaceAll(/\{\w+\}/g, "some"), { method, key: null })
          const isOfSession = path === "/api/v1/session" && method !== "post"
          const asked = isOfSession ? [{ session: [] }] : [{ bearer: [] }, { basic: [] }]
          const expected = reply.status === 401 || isOfSession ? asked : []
          assert.deepStrictEqual(security, expected, `${method} ${path} is ${reply.status} without a key`)
        }
      }
    })
  )

  it.effect.each<[string, number]>([
    ["/openapi.json", 5],
    ["/docs", 3]
  ])("%s is compressed, and kept until it changes", ([route, times]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const get = (...headers: ReadonlyArray<readonly [string, string]>) =>
        deployment.call(route, { key: null, headers })
      const plain = yield* get()
      const { "cache-control": caching = "", etag = "" } = plain.headers
      assert.match(caching, /^public, max-age=[1-9][0-9]*$/)
      assert.isUndefined((yield* get(["Accept-Encoding", "br, gzip;q=0"])).headers["content-encoding"])

      const packed = yield* get(["Accept-Encoding", "gzip, deflate, br"])
      assert.deepStrictEqual(
        [packed.headers["content-encoding"], packed.headers.etag, packed.headers.vary],
        ["gzip", etag, "Accept-Encoding"]
      )
      assert.strictEqual(packed.headers["content-type"], plain.headers["content-type"])
      assert.isBelow(Number(packed.headers["content-length"]) * times, Number(plain.headers["content-length"]))

      const again = yield* get(["If-None-Match", `"other", ${etag}`])
      assert.deepStrictEqual([again.status, again.text, again.headers.etag], [304, "", etag])
      for (const { headers } of [packed, again]) {
        assert.strictEqual(headers["content-security-policy"], plain.headers["content-security-policy"])
      }
      assert.strictEqual((yield* get(["If-None-Match", '"other"'])).status, 200)
    })
  )

  it.effect("/docs asks nothing of another server", () =>
    Effect.gen(function* () {
      const { text } = yield* (yield* Deployment).call("/docs", { key: null })
      assert.notMatch(text, /<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?\/\//)
    })
  )

  it.effect("/readyz tells strangers, scoped Admins and wrong keys the verdict alone", () =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      for (const as of [{ key: null }, { key: "prodAdmin" }, { key: "operator" }, { bearer: "none" }] as const) {
        const { headers, status, text } = yield* call("/readyz", as)
        assert.deepStrictEqual([status, JSON.parse(text)], [200, { status: "ready" }])
        assert.isUndefined(headers["www-authenticate"])
      }
    })
  )

  it.effect(
    "/readyz counts the clusters for an Admin without naming them, and names in its details what to look at",
    () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { details: { audit, ...details } = {}, ...counted } = yield* eventually(
          "the cluster was sampled",
          Effect.flatMap(deployment.call("/readyz", { key: "admin" }), ({ text }) => decodeReadiness(text)),
          ({ details }) =>
            details?.costs.every(({ troubles, usage }) => usage === "sampled" && troubles.length === 0) === true,
          { within: "60 seconds" }
        )
        assert.deepStrictEqual(details, {
          sources: [],
          configuredKeys: { refused: 0 },
          backfill: [],
          costs: [{ cluster: ClusterName.make("hub"), usage: "sampled", troubles: [] }]
        })
        assert.strictEqual(audit?.shareMaxBytes, 5 * 1_024 ** 3)
        assert.deepStrictEqual(counted, {
          status: "ready",
          checks: {
            keyStore: "ok",
            costStore: "ok",
            audit: "ok",
            configuredKeys: "ok",
            clusters: { registered: 1, synced: 1, waiting: 0 }
          }
        })
      })
  )

  it.effect("/metrics counts requests by route pattern, and holds no key and no path", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* deployment.call(`/api/v1/apiKeys/${rawKey("viewer")}`, { key: "admin" })
      const plain = ["/healthz", "/readyz", "/docs", "/openapi.json", "/", "/api/v1/session"]
      for (const path of [...plain, "/metrics"]) yield* deployment.call(path, { key: "admin" })
      const { text } = yield* deployment.call("/metrics", { key: "admin" })
      const counted = new Set(
        Array.from(text.matchAll(/^quarterdeck_http_requests_total\{.*route="([^"]*)"/gm), ([, at]) => at)
      )
      assert.includeMembers([...counted], [...plain, "/metrics", "/api/v1/apiKeys/:id"])
      assert.notInclude(text, rawKey("viewer"))
    })
  )

  it.effect("a caller's request id is taken up when it is harmless, and replaced when it is not", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const idOf = (value: string) =>
        Effect.map(
          deployment.call("/api/v1/whoami", { headers: [["X-Request-Id", value]] }),
          ({ headers }) => headers["x-request-id"]
        )
      assert.strictEqual(yield* idOf("trace-42"), "trace-42")
      assert.match(String(yield* idOf("a b\tc")), /^[0-9a-f-]{36}$/)
      assert.match(String(yield* idOf(`qd_${"0".repeat(49)}`)), /^[0-9a-f-]{36}$/)
    })
  )

  it.effect.each<[string, string]>([
    ["GET", "/api/v1/whoami"],
    ["GET", "/api/v1/apiKeys/nobody"],
    ["DELETE", "/api/v1/apiKeys/nobody"],
    ["POST", "/api/v1/apiKeys"]
  ])("400 for a query parameter of %s %s, which has none", ([method, route]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const problem = yield* deployment.problem(`${route}?dryRun=true`, { method, key: "admin" })
      assert.deepInclude(problem, { status: 400, code: "unknown_parameter", field: "dryRun" })
    })
  )

  it.effect.each<[string, string]>([
    ["a byte that is no UTF-8", "name=%ff"],
    ["half a character", "name=%e2%82"],
    ["a surrogate", "name=%ed%a0%80"],
    ["a percent sign without digits", "name=100%"],
    ["a percent sign before other signs, in a name", "na%zzme=1"]
  ])("400 for a query with %s, on lists and on routes without parameters", ([, query]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const route of ["/api/v1/workloads", "/api/v1/whoami"]) {
        const problem = yield* deployment.problem(`${route}?${query}`)
        assert.deepInclude(problem, { status: 400, code: "malformed_request", field: "query" })
      }
      assert.strictEqual((yield* deployment.call(`/api/v1/workloads?${query}`, { key: null })).status, 401)
    })
  )

  it.effect("a query in UTF-8 is read as it was meant, and plus is a space", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* Deployment).call("/api/v1/workloads?name=%E2%82%AC+%25")
      assert.strictEqual(reply.status, 200)
    })
  )

  it.effect("400 for two Host lines, whatever they hold and wherever they go", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const route of ["/api/v1/workloads", "/healthz", "/nowhere", "/metrics"]) {
        for (const host of ["other.example.com", "127.0.0.1"]) {
          const problem = yield* deployment.problem(route, { key: null, headers: [["Host", host]] })
          assert.deepInclude(problem, { status: 400, code: "malformed_request", field: "Host" })
        }
      }
    })
  )

  it.effect("HEAD answers as GET does, without a body", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* Deployment).call("/api/v1/clusters", { method: "HEAD" })
      assert.deepStrictEqual([reply.status, reply.text], [200, ""])
    })
  )

  it.effect("431 for headers over 16 KiB", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* Deployment).call("/healthz", { headers: [["X-Filler", "x".repeat(20_000)]] })
      assert.strictEqual(reply.status, 431)
    })
  )
})
