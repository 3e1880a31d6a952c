import { assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { fill, mountDisk } from "../fullDisk.ts"
import { Deployment, type KeyName } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness), { onExcessProperty: "error" })

const ready = Effect.gen(function* () {
  const { status, text } = yield* (yield* Deployment).call("/readyz", { key: "admin" })
  return { ...(yield* decodeReadiness(text)), code: status }
})

const decodeId = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

const ownId = Effect.fnUntraced(function* (key: KeyName) {
  return (yield* decodeId((yield* (yield* Deployment).call("/api/v1/whoami", { key })).text)).id
})

const decodeEvents = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ events: Schema.Tuple([Schema.Struct({ id: Schema.String })]) }))
)

/** The id of the audit's last event. */
const lastEvent = Effect.gen(function* () {
  const { text } = yield* (yield* Deployment).call("/api/v1/audit?limit=1", { key: "admin" })
  return (yield* decodeEvents(text)).events[0].id
})

onOneDriver("a full disk", { children: [], furnish: mountDisk }, (it) => {
  it.effect("refuses changes, but a stolen key is revoked, and a browser signs out", () =>
    Effect.gen(function* () {
      const { call, createKey, dataDirectory, problem, url } = yield* Deployment
      const stolen = yield* createKey({ name: "stolen", rule: { role: "Viewer" } })
      const own = yield* createKey({ name: "own", rule: { role: "Viewer" } })
      const origin = ["Origin", url] as const
      const signIn = { method: "POST", key: null, headers: [origin], body: { key: own.raw } } as const
      const [cookie = ""] = (yield* call("/api/v1/session", signIn)).headers["set-cookie"] ?? []
      const session = [["Cookie", cookie.slice(0, cookie.indexOf(";"))] as const, origin]
      yield* fill(dataDirectory)

      const create = { key: "admin", method: "POST", body: { name: "more", rule: { role: "Viewer" } } } as const
      const refused = yield* eventually(
        "changes are refused",
        call("/api/v1/apiKeys", create),
        ({ status }) => status === 503,
        {
          within: "30 seconds"
        }
      )
      assert.include(refused.text, "audit_unavailable")
      assert.deepInclude(yield* problem("/api/v1/apiKeys", create), {
        status: 503,
        code: "audit_unavailable",
        detail: "the audit is full, so the request was not executed; keys can still be revoked"
      })
      for (let index = 0; index < 50; index++) yield* call("/api/v1/workloads", { bearer: `wrong-${index}` })
      const health = yield* ready
      assert.deepStrictEqual([health.code, health.checks?.audit, health.checks?.keyStore], [200, "full", "ok"])

      assert.strictEqual((yield* call("/api/v1/workloads", { bearer: stolen.raw })).status, 200)
      const revoked = yield* call(`/api/v1/apiKeys/${stolen.apiKey.id}`, { key: "admin", method: "DELETE" })
      assert.strictEqual(revoked.status, 200)
      assert.strictEqual((yield* call("/api/v1/workloads", { bearer: stolen.raw })).status, 401)
      assert.strictEqual(
        (yield* call("/api/v1/session", { key: null, method: "DELETE", headers: session })).status,
        204
      )
      assert.strictEqual((yield* call("/api/v1/session", { key: null, headers: session })).status, 401)
      const ownPath = `/api/v1/apiKeys/${own.apiKey.id}`
      const viewerPath = `/api/v1/apiKeys/${yield* ownId("viewer")}`
      const before = yield* lastEvent
      for (const [path, by, status] of [
        [`${ownPath}?children=true`, { bearer: own.raw }, 403],
        [viewerPath, { key: "viewer" }, 409],
        ["/api/v1/apiKeys/key_none", { key: "admin" }, 404],
        ["/api/v1/apiKeys/key_none?children=true", { key: "admin" }, 404],
        [`/api/v1/apiKeys/${stolen.apiKey.id}`, { key: "admin" }, 200],
        [`/api/v1/apiKeys/${stolen.apiKey.id}?children=true`, { key: "admin" }, 200]
      ] as const) {
        assert.strictEqual((yield* call(path, { ...by, method: "DELETE" })).status, status, path)
      }
      assert.strictEqual(yield* lastEvent, before, "what ends no key uses nothing of the reserve")

      assert.strictEqual((yield* call(ownPath, { bearer: own.raw, method: "DELETE" })).status, 200)
      assert.notStrictEqual(yield* lastEvent, before)
      yield* fill(dataDirectory)
      assert.strictEqual((yield* call("/api/v1/workloads", { bearer: own.raw })).status, 401)

      yield* Effect.promise(() => rm(join(dataDirectory, "filler")))
      yield* eventually("changes are taken again", call("/api/v1/apiKeys", create), ({ status }) => status === 201, {
        within: "60 seconds"
      })
      assert.strictEqual((yield* ready).checks?.audit, "ok")
    })
  )
})
