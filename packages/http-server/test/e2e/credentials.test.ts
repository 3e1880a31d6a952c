import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Code } from "@quarterdeck/contract/Problem"
import { type Call, Deployment, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`
const authorization = (...values: ReadonlyArray<string>): Call => ({
  key: null,
  headers: values.map((value) => ["Authorization", value] as const)
})
const viewer = rawKey("viewer")

onOneDriver("credentials", { children: [] }, (it) => {
  it.effect.each<[string, Call]>([
    ["Bearer", authorization(`Bearer ${viewer}`)],
    ["bearer in another letter case", authorization(`bEARER ${viewer}`)],
    ["the password of Basic", authorization(basic("anyone", viewer))],
    ["the password of Basic without a username", authorization(basic("", viewer))],
    ["a key with space and comma, by Basic", authorization(basic("x", "a key, with space"))]
  ])("200 for a key as %s", ([, call]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* (yield* Deployment).call("/api/v1/whoami", call)).status, 200)
    })
  )

  it.effect.each<[string, Call, Code]>([
    ["no credential", { key: null }, "missing_credential"],
    ["another scheme", authorization("Digest username=x"), "missing_credential"],
    ["an unknown key", authorization("Bearer nobody-has-this-key"), "invalid_key"],
    ["the key as the username of Basic", authorization(basic(viewer, "x")), "invalid_key"],
    ["a configured key past its expiry", authorization(`Bearer ${rawKey("expired")}`), "key_expired"],
    ["a key that is almost right", authorization(`Bearer ${viewer}0`), "invalid_key"]
  ])("401 for %s", ([, call, code]) =>
    Effect.gen(function* () {
      const { reply, ...problem } = yield* (yield* Deployment).problem("/api/v1/workloads", call)
      assert.deepInclude(problem, { status: 401, code })
      assert.match(String(reply.headers["www-authenticate"]), /^Bearer realm=.*Basic realm=/)
      assert.strictEqual(reply.headers["content-type"], "application/problem+json")
    })
  )

  it.effect.each<[string, Call]>([
    ["two Authorization lines", authorization(`Bearer ${viewer}`, `Bearer ${viewer}`)],
    ["two credentials in one line", authorization(`Bearer ${viewer}, Bearer ${viewer}`)],
    ["a Bearer key with a space", authorization(`Bearer ${viewer} ${viewer}`)],
    ["Basic that is not base64", authorization("Basic ***")],
    ["Basic without a colon", authorization(`Basic ${Buffer.from(viewer).toString("base64")}`)]
  ])("400 malformed_credential for %s", ([, call]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/workloads", call)
      assert.deepInclude(problem, { status: 400, code: "malformed_credential" })
    })
  )

  it.effect("a key in the URL, a cookie or another header is never read", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const elsewhere = yield* deployment.problem("/api/v1/whoami", {
        key: null,
        headers: [
          ["Cookie", `key=${viewer}`],
          ["X-Api-Key", viewer],
          ["Proxy-Authorization", `Bearer ${viewer}`]
        ]
      })
      assert.strictEqual(elsewhere.code, "missing_credential")
      const query = yield* deployment.problem(`/api/v1/workloads?access_token=${viewer}`, { key: null })
      assert.strictEqual(query.code, "missing_credential")
    })
  )

  it.effect.each([
    "/api/v1/nothing",
    "/nothing",
    "/API/v1/workloads",
    "/api/v1/workloads/",
    "/api//v1/workloads",
    "/api/v1/workloads;x=1",
    "/healthz;x=1"
  ])("401 without a key and 404 with one for the unknown path %s", (path) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      assert.deepInclude(yield* deployment.problem(path, { key: null }), { status: 401, code: "missing_credential" })
      assert.deepInclude(yield* deployment.problem(path), { status: 404, code: "not_found" })
    })
  )

  it.effect("401 without a key and 405 with Allow with one for a method that a path does not have", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const call = { method: "POST" }
      assert.strictEqual((yield* deployment.problem("/api/v1/workloads", { ...call, key: null })).status, 401)
      const { reply, ...problem } = yield* deployment.problem("/api/v1/workloads", call)
      assert.deepInclude(problem, { status: 405, code: "method_not_allowed" })
      assert.strictEqual(reply.headers.allow, "GET, HEAD")
    })
  )

  it.effect("403 for a page of another origin, before the key is looked at, and none for its own", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const foreign = { headers: [["Origin", "https://evil.example"] as const] }
      assert.strictEqual((yield* deployment.problem("/api/v1/whoami", foreign)).code, "origin_forbidden")
      assert.strictEqual(
        (yield* deployment.problem("/api/v1/whoami", { ...foreign, key: null })).code,
        "origin_forbidden"
      )
      const own = yield* deployment.call("/api/v1/whoami", { headers: [["Origin", deployment.url]] })
      assert.strictEqual(own.status, 200)
    })
  )

  it.effect("whoami tells the caller's own key and never its secret", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* Deployment).call("/api/v1/whoami", { key: "prodAdmin" })
      const whoami: unknown = JSON.parse(reply.text)
      assert.deepNestedInclude(whoami, {
        name: "prodAdmin",
        status: "active",
        source: "configured",
        rule: { role: "Admin", targetClusters: ["prod"] }
      })
      assert.notInclude(reply.text, rawKey("prodAdmin"))
      assert.strictEqual(reply.headers["cache-control"], "no-store")
    })
  )

  it.effect("no reply tells a key, also when the key stands in the path", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const path of [`/api/v1/apiKeys/${viewer}`, `/${viewer}`]) {
        const reply = yield* deployment.call(path, { key: "admin" })
        assert.strictEqual(reply.status, 404)
        assert.notInclude(reply.text, viewer)
      }
    })
  )
})
