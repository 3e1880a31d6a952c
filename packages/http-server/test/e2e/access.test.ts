import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { DateTime, Effect, Schema } from "effect"
import type { Code } from "@quarterdeck/contract/Problem"
import { type Call, Deployment, type KeyName } from "./Deployment.ts"
import { ROLES } from "./accessCases.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const keyOf = (rule: object, more: object = {}) => ({ name: "made", rule, ...more })
const viewerRule = { role: "Viewer" }
const prod = { targetClusters: ["prod"] }

const decodeKey = Schema.decodeUnknownEffect(Schema.fromJsonString(ApiKey))

onOneDriver("access", { children: ["prod"] }, (it) => {
  it.effect.each(ROLES)("%s", ([, path, call, allowed, refused]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const key of allowed) assert.strictEqual((yield* deployment.call(path, { ...call, key })).status, 200, key)
      for (const key of refused) {
        assert.deepInclude(
          yield* deployment.problem(path, { ...call, key }),
          { status: 403, code: "role_forbidden" },
          key
        )
      }
    })
  )

  it.effect("keys of others: create, inside the caller's own rule alone", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const create = Effect.fnUntraced(function* (key: KeyName, rule: object) {
        const call = { method: "POST", key, body: keyOf(rule) }
        const { status } = yield* deployment.call("/api/v1/apiKeys", call)
        return status === 201 ? "created" : (yield* deployment.problem("/api/v1/apiKeys", call)).code
      })
      assert.deepStrictEqual(yield* create("admin", { role: "Admin" }), "created")
      assert.deepStrictEqual(yield* create("prodAdmin", { role: "Admin", ...prod }), "created")
      assert.deepStrictEqual(
        yield* create("prodAdmin", { ...viewerRule, targetClusters: ["prod", "hub"] }),
        "rule_not_contained"
      )
      assert.deepStrictEqual(yield* create("prodAdmin", viewerRule), "rule_not_contained")
      assert.deepStrictEqual(
        yield* create("shopAdmin", { ...viewerRule, targetNamespaces: [{ namespaceNames: ["shop"] }] }),
        "created"
      )
      assert.deepStrictEqual(
        yield* create("shopAdmin", { ...viewerRule, targetNamespaces: [{ namespaceNames: ["shop", "payments"] }] }),
        "rule_not_contained"
      )
      assert.deepStrictEqual(yield* create("operator", viewerRule), "role_forbidden")
      assert.deepStrictEqual(yield* create("viewer", viewerRule), "role_forbidden")
    })
  )

  it.effect.each<[string, unknown, string]>([
    ["a misspelt scope", keyOf({ role: "Viewer", targetCluster: ["prod"] }), "rule.targetCluster"],
    ["null for a scope", keyOf({ role: "Viewer", targetClusters: null }), "rule.targetClusters"],
    ["an empty list for a scope", keyOf({ role: "Viewer", targetClusters: [] }), "rule.targetClusters"],
    ["an object for a scope", keyOf({ role: "Viewer", targetNamespaces: {} }), "rule.targetNamespaces"],
    [
      "match expressions",
      keyOf({
        role: "Viewer",
        targetNamespaces: [{ namespaceNames: [], labelSelector: { matchLabels: { a: "b" }, matchExpressions: [] } }]
      }),
      "rule.targetNamespaces[0].labelSelector.matchExpressions"
    ],
    [
      "a selector of nothing",
      keyOf({ role: "Viewer", targetNamespaces: [{ namespaceNames: [] }] }),
      "rule.targetNamespaces[0]"
    ],
    ["an unknown role", keyOf({ role: "Root" }), "rule.role"],
    ["no rule", { name: "made" }, "rule"],
    ["an unknown member", keyOf(viewerRule, { scope: "all" }), "scope"],
    ["an empty name", { name: "", rule: viewerRule }, "name"],
    ["an expiry in the past", keyOf(viewerRule, { expire: "2020-01-01T00:00:00Z" }), "expire"],
    ["an expiry beyond ten years", keyOf(viewerRule, { expire: "11y" }), "expire"],
    ["30 February", keyOf(viewerRule, { expire: "2030-02-30T00:00:00Z" }), "expire"],
    ["an expiry without a unit", keyOf(viewerRule, { expire: "30" }), "expire"],
    ["an expiry that is a number", keyOf(viewerRule, { expire: 30 }), "expire"]
  ])("400 invalid_body, and no key, for %s", ([, body, field]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const problem = yield* deployment.problem("/api/v1/apiKeys", { method: "POST", key: "admin", body })
      assert.deepInclude(problem, { status: 400, code: "invalid_body", field })
    })
  )

  it.effect.each<[string, Call, number, Code]>([
    ["malformed JSON", { body: "{", headers: [["Content-Type", "application/json"]] }, 400, "malformed_json"],
    [
      "a member that stands twice",
      {
        body: '{"name":"a","rule":{"role":"Viewer","role":"Admin"}}',
        headers: [["Content-Type", "application/json"]]
      },
      400,
      "malformed_json"
    ],
    ["a body that is encoded", { body: {}, headers: [["Content-Encoding", "gzip"]] }, 415, "unsupported_media_type"],
    [
      "another media type",
      { body: "name=a", headers: [["Content-Type", "text/plain"]] },
      415,
      "unsupported_media_type"
    ],
    ["a body over 1 MiB", { body: { name: "a".repeat(1_100_000) } }, 413, "body_too_large"],
    ["an empty body", { headers: [["Content-Type", "application/json"]], body: "" }, 400, "invalid_body"]
  ])("refuses %s", ([, call, status, code]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/apiKeys", { method: "POST", key: "admin", ...call })
      assert.deepInclude(problem, { status, code })
    })
  )

  it.effect("a made key shows its secret once, works at once, and is refused at once when it is revoked", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey, raw, reply } = yield* deployment.createKey(keyOf(viewerRule, { name: "ci", expire: "30d" }))
      assert.match(raw, /^qd_[0-9A-Za-z]{49}$/)
      assert.strictEqual(apiKey.start, raw.slice(0, 9))
      assert.strictEqual(apiKey.status, "active")
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer: raw })).status, 200)

      const shown = yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin" })
      assert.strictEqual(shown.status, 200)
      assert.notInclude(shown.text, raw)

      const revoked = yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin", method: "DELETE" })
      assert.strictEqual(revoked.status, 200)
      const told = yield* decodeKey(revoked.text)
      assert.strictEqual(told.status, "revoked")
      assert.strictEqual(told.revokedBy, apiKey.createdBy)
      assert.isDefined(told.revokedAt)
      const seen = yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin" })
      assert.deepStrictEqual(yield* decodeKey(seen.text), told)
      assert.deepInclude(yield* deployment.problem("/api/v1/whoami", { bearer: raw }), {
        status: 401,
        code: "key_revoked"
      })
    })
  )

  it.effect("a key works up to its expiry and not from then on", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      // Long enough that the key is made and used before its end on a busy machine too.
      const expire = DateTime.formatIso(DateTime.add(yield* DateTime.now, { seconds: 6 }))
      const { apiKey, raw } = yield* deployment.createKey(keyOf(viewerRule, { expire }))
      assert.strictEqual(apiKey.status, "expiring")
      assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer: raw })).status, 200)
      yield* eventually(
        "the key has expired",
        deployment.call("/api/v1/whoami", { bearer: raw }),
        ({ status }) => status === 401,
        { within: "20 seconds" }
      )
      assert.isAtLeast(DateTime.toEpochMillis(yield* DateTime.now), Date.parse(expire))
      assert.strictEqual((yield* deployment.problem("/api/v1/whoami", { bearer: raw })).code, "key_expired")
    })
  )

  it.effect.each<[string, string | undefined, string, number | undefined]>([
    ["7 days is expiring", "7d", "expiring", 7],
    ["8 days is active", "8d", "active", 8],
    ["a year has 365 days", "1y", "active", 365],
    ["none never ends", undefined, "active", undefined]
  ])("an expiry of %s", ([, expire, status, days]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const before = yield* DateTime.now
      const { apiKey } = yield* deployment.createKey(keyOf(viewerRule, expire === undefined ? {} : { expire }))
      assert.strictEqual(apiKey.status, status)
      assert.strictEqual(apiKey.expiresAt === undefined, days === undefined)
      if (days === undefined || apiKey.expiresAt === undefined) return
      const least = DateTime.add(before, { hours: 24 * days })
      assert.isAtLeast(DateTime.toEpochMillis(apiKey.expiresAt), DateTime.toEpochMillis(least))
      assert.isBelow(DateTime.toEpochMillis(apiKey.expiresAt), DateTime.toEpochMillis(least) + 60_000)
    })
  )

  it.effect("every key may revoke itself", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey, raw } = yield* deployment.createKey(keyOf(viewerRule))
      const revoked = yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { bearer: raw, method: "DELETE" })
      assert.strictEqual(revoked.status, 200)
      assert.strictEqual((yield* decodeKey(revoked.text)).revokedBy, apiKey.id)
      assert.strictEqual((yield* deployment.problem("/api/v1/whoami", { bearer: raw })).code, "key_revoked")
    })
  )

  it.effect("what a key made is listed by createdBy, also once it is revoked, and ends no later than its maker", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const maker = yield* deployment.createKey(keyOf({ role: "Admin" }, { name: "maker", expire: "2d" }))
      const make = (body: unknown) => ({ method: "POST", bearer: maker.raw, body })
      const made = yield* deployment.call("/api/v1/apiKeys", make(keyOf(viewerRule, { name: "made" })))
      assert.strictEqual(made.status, 201)
      const late = yield* deployment.problem("/api/v1/apiKeys", make(keyOf(viewerRule, { expire: "3d" })))
      assert.deepInclude(late, { status: 403, code: "rule_not_contained", field: "expire" })

      yield* deployment.call(`/api/v1/apiKeys/${maker.apiKey.id}`, { key: "admin", method: "DELETE" })
      const { apiKeys } = yield* deployment.apiKeys(`?createdBy=${maker.apiKey.id}`, { key: "admin" })
      assert.deepStrictEqual(
        apiKeys.map(({ expiresAt, name, status }) => ({ expiresAt, name, status })),
        [{ expiresAt: maker.apiKey.expiresAt, name: "made", status: "expiring" }]
      )
      const named = yield* deployment.apiKeys("?name=ake&status=revoked", { key: "admin" })
      assert.include(
        named.apiKeys.map(({ id }) => id),
        maker.apiKey.id
      )
      const person = `oidc:${"a".repeat(255)}`
      for (const path of ["/api/v1/apiKeys?createdBy=", "/api/v1/audit?keyId="]) {
        assert.strictEqual((yield* deployment.call(`${path}${person}`, { key: "admin" })).status, 200, path)
        const long = yield* deployment.problem(`${path}${person}a`, { key: "admin" })
        assert.deepInclude(long, { status: 400, code: "invalid_parameter" })
      }
      const wrong = yield* deployment.problem("/api/v1/apiKeys?status=gone", { key: "admin" })
      assert.deepInclude(wrong, { status: 400, code: "invalid_parameter", field: "status" })
    })
  )

  it.effect("a Viewer cannot revoke the key of another", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey } = yield* deployment.createKey(keyOf(viewerRule))
      const problem = yield* deployment.problem(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE" })
      assert.deepInclude(problem, { status: 403, code: "role_forbidden" })
    })
  )

  it.effect("a scoped Admin sees the keys of its own realm and no others", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const inside = yield* deployment.createKey(keyOf({ ...viewerRule, ...prod }))
      const outside = yield* deployment.createKey(keyOf(viewerRule))
      const ids = (yield* deployment.apiKeys("?limit=1000", { key: "prodAdmin" })).apiKeys.map(({ id }) => id)
      assert.include(ids, inside.apiKey.id)
      assert.notInclude(ids, outside.apiKey.id)
      const hidden = yield* deployment.problem(`/api/v1/apiKeys/${outside.apiKey.id}`, { key: "prodAdmin" })
      assert.deepInclude(hidden, { status: 404, code: "key_not_found", field: "id" })
      const refused = yield* deployment.problem(`/api/v1/apiKeys/${outside.apiKey.id}`, {
        key: "prodAdmin",
        method: "DELETE"
      })
      assert.deepInclude(refused, { status: 404, code: "key_not_found", field: "id" })
    })
  )

  it.effect("a configured key is listed with its source, and changes only in the configuration", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKeys } = yield* deployment.apiKeys("?limit=1000", { key: "admin" })
      const configured = apiKeys.find(({ name }) => name === "operator")
      assert.isDefined(configured)
      assert.strictEqual(configured?.source, "configured")
      assert.isUndefined(configured?.start)
      const problem = yield* deployment.problem(`/api/v1/apiKeys/${configured?.id}`, { key: "admin", method: "DELETE" })
      assert.deepInclude(problem, { status: 409, code: "key_configured" })
    })
  )

  it.effect("the list of keys pages through every key once", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const index of [1, 2, 3]) yield* deployment.createKey(keyOf(viewerRule, { name: `page ${index}` }))
      const whole = yield* deployment.apiKeys("?limit=5000", { key: "admin" })
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* deployment.apiKeys(`?limit=4${cursor === undefined ? "" : `&cursor=${cursor}`}`, {
          key: "admin"
        })
        seen.push(...page.apiKeys.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      for (const { id } of whole.apiKeys) assert.strictEqual(seen.filter((one) => one === id).length, 1)
    })
  )
})
