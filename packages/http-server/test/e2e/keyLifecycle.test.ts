import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually } from "@quarterdeck/harness"
import { ApiKey, CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { DateTime, Effect, FileSystem, Redacted, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Code } from "@quarterdeck/contract/Problem"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import { type Call, Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decodeAudit = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))
const decodeKey = Schema.decodeUnknownEffect(Schema.fromJsonString(ApiKey))
const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(CreatedApiKey))

const shop = { targetNamespaces: [{ namespaceNames: ["shop"] }] }
const viewer = { name: "made", rule: { role: "Viewer" } }

onOneDriver("the life of a key", { children: ["prod"] }, (it) => {
  const patch = (id: string, body: unknown, more: Call & { readonly query?: string } = {}) =>
    Effect.flatMap(Deployment, ({ call }) =>
      call(`/api/v1/apiKeys/${id}${more.query ?? ""}`, { method: "PATCH", key: "admin", body, ...more })
    )
  const rotate = (id: string, body: unknown, more: Call = {}) =>
    Effect.flatMap(Deployment, ({ call }) =>
      call(`/api/v1/apiKeys/${id}/rotate`, { method: "POST", key: "admin", body, ...more })
    )

  it.effect("a key is renamed and narrowed, and reaches no more from the next request on", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey, raw } = yield* deployment.createKey(viewer)
      assert.strictEqual((yield* deployment.call("/api/v1/workloads", { bearer: raw })).status, 200)
      const reply = yield* patch(apiKey.id, { name: "renamed", rule: { role: "Viewer", targetClusters: ["prod"] } })
      assert.strictEqual(reply.status, 200)
      const changed = yield* decodeKey(reply.text)
      assert.strictEqual(changed.name, "renamed")
      assert.deepStrictEqual<unknown>(changed.rule, { role: "Viewer", targetClusters: ["prod"] })
      assert.deepInclude(yield* deployment.problem("/api/v1/workloads", { bearer: raw }), {
        status: 403,
        code: "cluster_forbidden"
      })
      const { text } = yield* deployment.call("/api/v1/whoami", { bearer: raw })
      assert.strictEqual((yield* decodeKey(text)).name, "renamed")
    })
  )

  it.effect("a key is revoked with those that descend from it in one call, and the audit tells how many", () =>
    Effect.gen(function* () {
      const { call, createKey, problem } = yield* Deployment
      const top = yield* createKey({ name: "top", rule: { role: "Admin", ...shop } })
      const make = (bearer: string, role: string) =>
        Effect.flatMap(
          call("/api/v1/apiKeys", { method: "POST", bearer, body: { name: "below", rule: { role, ...shop } } }),
          ({ text }) => decodeCreated(text)
        )
      const middle = yield* make(top.raw, "Admin")
      const last = yield* make(Redacted.value(middle.key), "Viewer")
      const path = `/api/v1/apiKeys/${top.apiKey.id}?children=true`
      assert.include((yield* call(path, { key: "admin" })).text, '"descendants":2')
      const revoked = yield* call(path, { method: "DELETE", key: "admin" })
      assert.strictEqual(revoked.status, 200, revoked.text)
      assert.include(revoked.text, '"descendants":2')
      for (const bearer of [top.raw, Redacted.value(middle.key), Redacted.value(last.key)]) {
        assert.deepInclude(yield* problem("/api/v1/whoami", { bearer }), { status: 401, code: "key_revoked" })
      }
      yield* eventually(
        "the audit tells how many",
        call("/api/v1/audit?resource=apiKeys&verb=delete", { key: "admin" }).pipe(
          Effect.flatMap(({ text }) => decodeAudit(text)),
          Effect.map(({ events }) => events.map(({ target }) => [target.object, target.descendants]))
        ),
        (found) => found.some(([object, descendants]) => object === top.apiKey.id && descendants === 2)
      )
    })
  )

  it.effect("a key tells that its maker is gone, and whoami of it does", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const maker = yield* createKey({ name: "maker", rule: { role: "Admin" } })
      const { text } = yield* call("/api/v1/apiKeys", { method: "POST", bearer: maker.raw, body: viewer })
      const made = yield* decodeCreated(text)
      assert.isUndefined(made.apiKey.isMakerGone)
      yield* call(`/api/v1/apiKeys/${maker.apiKey.id}`, { method: "DELETE", key: "admin" })
      const shown = yield* call("/api/v1/whoami", { bearer: Redacted.value(made.key) })
      assert.isTrue((yield* decodeKey(shown.text)).isMakerGone)
    })
  )

  it.effect("the audit tells which key was changed, rotated or revoked, or was not", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const { id } = (yield* createKey(viewer)).apiKey
      yield* patch(id, { name: "renamed" })
      yield* rotate(id, {})
      yield* rotate(id, {})
      yield* call(`/api/v1/apiKeys/${id}`, { method: "DELETE", key: "admin" })
      const statuses = yield* eventually(
        "the outcomes are written",
        call("/api/v1/audit?resource=apiKeys&limit=5000", { key: "admin" }).pipe(
          Effect.flatMap(({ text }) => decodeAudit(text)),
          Effect.map(({ events }) => events.filter(({ target }) => target.object === id).map(({ status }) => status))
        ),
        (found) => found.length === 9
      )
      // The newest first, each with the event of what was about to be done; a key has no id before it is made.
      assert.deepStrictEqual(statuses, [200, 0, 409, 0, 201, 0, 200, 0, 201])
    })
  )

  it.effect("the audit tells which key somebody wished to widen, or to outlive its maker with", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ ...viewer, expire: "2d" })
      const { id } = apiKey
      assert.strictEqual((yield* patch(id, { rule: { role: "Operator" } })).status, 403)
      assert.strictEqual((yield* rotate(id, { expire: "30d" }, { bearer: raw })).status, 403)
      const codes = yield* eventually(
        "the denials are written",
        call("/api/v1/audit?resource=apiKeys&decision=deny&limit=5000", { key: "admin" }).pipe(
          Effect.flatMap(({ text }) => decodeAudit(text)),
          Effect.map(({ events }) => events.filter(({ target }) => target.object === id).map(({ code }) => code))
        ),
        (found) => found.length === 2
      )
      assert.deepStrictEqual(codes, ["rule_not_contained", "rule_not_contained"])
    })
  )

  it.effect.each<[string, unknown, Call, number, Code, string | undefined]>([
    ["a wider role", { rule: { role: "Operator", ...shop } }, {}, 403, "rule_not_contained", "rule"],
    ["a wider scope", { rule: { role: "Viewer" } }, {}, 403, "rule_not_contained", "rule"],
    ["a Viewer who asks", { name: "other" }, { key: "viewer" }, 403, "role_forbidden", undefined],
    ["an Admin of another realm", { name: "other" }, { key: "prodAdmin" }, 404, "key_not_found", undefined],
    ["an empty name", { name: "" }, {}, 400, "invalid_body", "name"],
    [
      "null for a scope",
      { rule: { role: "Viewer", targetClusters: null } },
      {},
      400,
      "invalid_body",
      "rule.targetClusters"
    ],
    ["another expiry", { expire: "1d" }, {}, 400, "invalid_body", "expire"]
  ])("a change is refused for %s", ([, body, more, status, code, field]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey } = yield* deployment.createKey({ name: "made", rule: { role: "Viewer", ...shop } })
      const problem = yield* deployment.problem(`/api/v1/apiKeys/${apiKey.id}`, {
        method: "PATCH",
        key: "admin",
        body,
        ...more
      })
      assert.deepInclude(problem, { status, code, ...(field === undefined ? {} : { field }) })
    })
  )

  it.effect("a key rotates itself, shows the new secret once, and ends with the grace", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const old = yield* deployment.createKey(viewer)
      const reply = yield* rotate(old.apiKey.id, { grace: "1h" }, { bearer: old.raw })
      assert.strictEqual(reply.status, 201)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      const made = yield* decodeCreated(reply.text)
      const raw = Redacted.value(made.key)
      assert.deepInclude(made.apiKey, { name: "made", rotatedFrom: old.apiKey.id, createdBy: old.apiKey.id })
      assert.notStrictEqual(made.apiKey.id, old.apiKey.id)
      for (const bearer of [old.raw, raw]) {
        assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer })).status, 200)
      }
      const seen = yield* deployment.call(`/api/v1/apiKeys/${old.apiKey.id}`, { key: "admin" })
      const inGrace = yield* decodeKey(seen.text)
      assert.strictEqual(inGrace.status, "expiring")
      assert.isDefined(inGrace.expiresAt)
      const { apiKeys } = yield* deployment.apiKeys("?status=expiring&name=made", { key: "admin" })
      assert.include(
        apiKeys.map(({ id }) => id),
        old.apiKey.id
      )

      const again = yield* decodeCreated((yield* rotate(made.apiKey.id, {})).text)
      assert.deepInclude(yield* deployment.problem("/api/v1/whoami", { bearer: raw }), {
        status: 401,
        code: "key_expired"
      })
      const last = Redacted.value(again.key)
      assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer: last })).status, 200)
    })
  )

  it.effect.each<[string, unknown, Call, number, Code, string | undefined]>([
    ["a grace of 31 days", { grace: "31d" }, {}, 400, "invalid_body", "grace"],
    ["a grace without a unit", { grace: "5" }, {}, 400, "invalid_body", "grace"],
    ["an end in the past", { expire: "2020-01-01T00:00:00Z" }, {}, 400, "invalid_body", "expire"],
    ["an end beyond the longest lifetime", { expire: "9999y" }, {}, 400, "invalid_body", "expire"],
    ["an unknown member", { rule: { role: "Viewer" } }, {}, 400, "invalid_body", "rule"],
    ["a Viewer who asks", {}, { key: "viewer" }, 403, "role_forbidden", undefined],
    ["an Admin of another realm", {}, { key: "prodAdmin" }, 404, "key_not_found", undefined]
  ])("a rotation is refused for %s", ([, body, more, status, code, field]) =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey, raw } = yield* deployment.createKey(viewer)
      const problem = yield* deployment.problem(`/api/v1/apiKeys/${apiKey.id}/rotate`, {
        method: "POST",
        key: "admin",
        body,
        ...more
      })
      assert.deepInclude(problem, { status, code, ...(field === undefined ? {} : { field }) })
      if (field !== undefined) assert.isTrue(problem.detail.startsWith(`${field}: `), problem.detail)
      assert.strictEqual((yield* deployment.call("/api/v1/whoami", { bearer: raw })).status, 200)
    })
  )

  it.effect("a configured key and one that has ended neither change nor rotate", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKeys } = yield* deployment.apiKeys("?name=viewer", { key: "admin" })
      const configured = apiKeys.find(({ source }) => source === "configured")?.id ?? ""
      const { apiKey } = yield* deployment.createKey(viewer)
      yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin", method: "DELETE" })
      for (const [id, code] of [
        [configured, "key_configured"],
        [apiKey.id, "key_ended"]
      ] as const) {
        const path = `/api/v1/apiKeys/${id}`
        const call = { key: "admin", body: {} } as const
        assert.deepInclude(yield* deployment.problem(path, { ...call, method: "PATCH" }), { status: 409, code })
        assert.deepInclude(yield* deployment.problem(`${path}/rotate`, { ...call, method: "POST" }), {
          status: 409,
          code
        })
      }
    })
  )

  it.effect("the last use of a key is that of a request that was let through, and is written as the server stops", () =>
    Effect.gen(function* () {
      const { kubeconfigFile } = yield* Deployment
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const dataDirectory = join(directory, "data")
      const bootstrapFile = join(directory, "first-key")
      const running = Effect.gen(function* () {
        const { webHandler } = yield* Quarterdeck
        const ask = (bearer: string, path: string, init: RequestInit = {}) =>
          Effect.promise(async () => {
            const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" }
            const response = await webHandler(new Request(`http://localhost${path}`, { headers, ...init }))
            return { status: response.status, text: await response.text() }
          })
        const admin = readFileSync(bootstrapFile, "utf8").trim()
        const make = (name: string) =>
          Effect.flatMap(
            ask(admin, "/api/v1/apiKeys", { method: "POST", body: JSON.stringify({ ...viewer, name }) }),
            ({ text }) => decodeCreated(text)
          )
        const refused = Redacted.value((yield* make("refused")).key)
        for (const [path, init, status] of [
          ["/api/v1/apiKeys", {}, 403],
          ["/api/v1/nothing", {}, 404],
          ["/api/v1/workloads?limit=0", {}, 400],
          ["/api/v1/apiKeys/key_1/rotate", { method: "POST", body: "{}" }, 403]
        ] as const) {
          assert.strictEqual((yield* ask(refused, path, init)).status, status)
        }
        const used = Redacted.value((yield* make("used")).key)
        assert.strictEqual((yield* ask(used, "/api/v1/whoami")).status, 200)
      })
      const service = Quarterdeck.layer({
        clusters: { kubeconfig: [kubeconfigFile] },
        keys: { bootstrapFile },
        dataDirectory
      })
      const before = DateTime.toEpochMillis(yield* DateTime.now)
      yield* Effect.provide(running, service)
      const file = new DatabaseSync(join(dataDirectory, "keys.sqlite"), { readOnly: true })
      const rows = file.prepare("SELECT name, last_used_at_ms AS at FROM keys ORDER BY name").all()
      file.close()
      assert.deepStrictEqual(
        rows.map(({ at, name }) => [name, at === null ? "never" : Number(at) >= before]),
        [
          ["bootstrap", true],
          ["refused", "never"],
          ["used", true]
        ]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

onOneDriver("the keys of one maker", { children: [], options: { keys: { maxPerMaker: 3 } } }, (it) => {
  it.effect("are refused beyond the setting, however many are made at once", () =>
    Effect.gen(function* () {
      const { call, problem } = yield* Deployment
      const create = call("/api/v1/apiKeys", { method: "POST", key: "admin", body: viewer })
      const replies = yield* Effect.all(
        Array.from({ length: 12 }, () => create),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(replies.filter(({ status }) => status === 201).length, 3)
      assert.deepInclude(yield* problem("/api/v1/apiKeys", { method: "POST", key: "admin", body: viewer }), {
        status: 409,
        code: "too_many_keys"
      })
    })
  )
})
