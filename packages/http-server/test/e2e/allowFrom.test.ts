/** Keys that may be used from some client addresses alone, by every way in. */
import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Schema } from "effect"
import { type Call, Deployment } from "./Deployment.ts"
import { hits } from "./HotSuite.ts"
import * as LogReader from "./LogReader.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { openReady, until, workloads } from "./StreamReader.ts"
import { fillWritten } from "./writtenPods.ts"

const OFFICE = "203.0.113.9"
const ELSEWHERE = "198.51.100.7"
const office = ["203.0.113.0/24"]
const decodeKey = Schema.decodeUnknownEffect(Schema.fromJsonString(ApiKey))

/** A call that a trusted proxy passes on for a client. */
const from = (address: string, call: Call = {}): Call => ({
  ...call,
  headers: [["X-Forwarded-For", address], ...(call.headers ?? [])]
})

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}

onOneDriver(
  "keys for some addresses",
  {
    children: ["prod"],
    options: { server: { trustedProxies: ["127.0.0.0/8"] } },
    prepare: fillWritten
  },
  (it) => {
    const limited = (fields: object = {}) =>
      Effect.flatMap(Deployment, ({ createKey }) =>
        createKey({ name: "office", rule: { role: "Admin" }, allowFrom: office, ...fields })
      )

    it.effect("are refused elsewhere after 401 and before 404, and let in from there", () =>
      Effect.gen(function* () {
        const { call, problem } = yield* Deployment
        const { raw } = yield* limited()
        for (const path of [
          "/api/v1/workloads",
          "/api/v1/whoami",
          "/api/v1/none-such",
          "/api/v1/apiKeys?x=1",
          "/metrics"
        ]) {
          const refused = yield* problem(path, from(ELSEWHERE, { bearer: raw }))
          assert.deepInclude(refused, { status: 403, code: "address_forbidden" }, path)
          assert.include(refused.detail, ELSEWHERE)
        }
        assert.strictEqual((yield* call("/api/v1/workloads", from(OFFICE, { bearer: raw }))).status, 200)
        assert.strictEqual((yield* call("/api/v1/workloads", from(`::ffff:${OFFICE}`, { bearer: raw }))).status, 200)
        assert.deepInclude(yield* problem("/api/v1/none-such", from(OFFICE, { bearer: raw })), { code: "not_found" })
        assert.deepInclude(yield* problem("/api/v1/workloads", from(ELSEWHERE, { bearer: `${raw}x` })), {
          code: "invalid_key"
        })
        // Without the header the client is the proxy itself.
        assert.deepInclude(yield* problem("/api/v1/workloads", { bearer: raw }), { code: "address_forbidden" })
        // A client writes what it likes to the left; the proxy's own entry counts.
        assert.deepInclude(yield* problem("/api/v1/workloads", from(`${OFFICE}, ${ELSEWHERE}`, { bearer: raw })), {
          code: "address_forbidden"
        })
      })
    )

    it.effect("are not used by a call that is refused", () =>
      Effect.gen(function* () {
        const { call, problem } = yield* Deployment
        const { apiKey, raw } = yield* limited({ rule: { role: "Viewer" } })
        yield* problem("/api/v1/workloads", from(ELSEWHERE, { bearer: raw }))
        const { text } = yield* call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin" })
        assert.isUndefined((yield* decodeKey(text)).lastUsedAt)
      })
    )

    it.effect("are held to them by the hot way too, whoever asked in the same words before", () =>
      Effect.gen(function* () {
        const { call, problem } = yield* Deployment
        const { raw } = yield* limited({ rule: { role: "Viewer" } })
        const list = call("/api/v1/workloads", from(OFFICE, { bearer: raw }))
        yield* eventually(
          "the hot way answers",
          Effect.gen(function* () {
            const before = yield* hits
            yield* list
            // The same words, of a caller who was let in a moment ago, from another address.
            assert.deepInclude(yield* problem("/api/v1/workloads", from(ELSEWHERE, { bearer: raw })), {
              status: 403,
              code: "address_forbidden"
            })
            assert.deepInclude(yield* problem("/api/v1/workloads?limit=7", from(ELSEWHERE, { bearer: raw })), {
              status: 403,
              code: "address_forbidden"
            })
            const both = yield* Effect.all([list, problem("/api/v1/workloads", from(ELSEWHERE, { bearer: raw }))], {
              concurrency: 2
            })
            assert.strictEqual(both[0].status, 200)
            assert.strictEqual(both[1].code, "address_forbidden")
            yield* Effect.all([list, list, list], { concurrency: 3 })
            return (yield* hits) > before
          }),
          (isHot) => isHot,
          { within: "20 seconds", every: "10 millis" }
        )
      })
    )

    it.effect("end streams and followed logs once they no longer hold the client's address", () =>
      Effect.gen(function* () {
        const { call, url } = yield* Deployment
        const { apiKey, raw } = yield* limited({ allowFrom: ["127.0.0.1", ...office] })
        const reader = yield* openReady(workloads, "/api/v1/workloads/watch", { bearer: raw })
        const log = yield* LogReader.open({ url: `${url}/api/v1/pods/prod/shop/written/logs?follow=true`, key: raw })
        assert.strictEqual(log.status, 200)
        const patch = (allowFrom: ReadonlyArray<string>) =>
          call(`/api/v1/apiKeys/${apiKey.id}`, { method: "PATCH", key: "admin", body: { allowFrom } })
        assert.strictEqual((yield* patch(["127.0.0.1/32", "203.0.113.9"])).status, 200)
        assert.strictEqual((yield* patch(["203.0.113.9"])).status, 200)
        yield* until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
        assert.strictEqual(reader.endCode, "address_forbidden")
        yield* LogReader.until("the end of the log", log, ({ isClosed }) => isClosed, "5 seconds")
        assert.strictEqual(log.endCode, "address_forbidden")
      }).pipe(Effect.scoped)
    )

    it.effect("sign no browser in elsewhere, and hold its session to them", () =>
      Effect.gen(function* () {
        const { call, problem, url } = yield* Deployment
        const { raw } = yield* limited()
        const page = (address: string, method: string, more: Call = {}): Call =>
          from(address, {
            method,
            key: null,
            ...more,
            headers: [["Origin", url.replace(/\/$/, "")], ...(more.headers ?? [])]
          })
        const session = "/api/v1/session"
        assert.deepInclude(yield* problem(session, page(ELSEWHERE, "POST", { body: { key: raw } })), {
          status: 403,
          code: "address_forbidden"
        })
        const signedIn = yield* call(session, page(OFFICE, "POST", { body: { key: raw } }))
        assert.strictEqual(signedIn.status, 201, signedIn.text)
        const [cookie = ""] = signedIn.headers["set-cookie"] ?? []
        const headers: Call["headers"] = [["Cookie", cookie.slice(0, cookie.indexOf(";"))]]
        for (const path of [session, "/api/v1/workloads"]) {
          assert.strictEqual((yield* call(path, page(OFFICE, "GET", { headers }))).status, 200, path)
          assert.deepInclude(
            yield* problem(path, page(ELSEWHERE, "GET", { headers })),
            { code: "address_forbidden" },
            path
          )
        }
        assert.deepInclude(yield* problem(`${session}?all=true`, page(ELSEWHERE, "DELETE", { headers })), {
          code: "address_forbidden"
        })
        assert.strictEqual((yield* call(session, page(ELSEWHERE, "DELETE", { headers }))).status, 204)
        assert.strictEqual((yield* call(session, page(OFFICE, "GET", { headers }))).status, 401)
      })
    )

    it.effect("are held to them over MCP", () =>
      Effect.gen(function* () {
        const { call, problem } = yield* Deployment
        const { raw } = yield* limited()
        const initialize: Call = {
          method: "POST",
          bearer: raw,
          body: INITIALIZE,
          headers: [["Accept", "application/json, text/event-stream"]]
        }
        assert.deepInclude(yield* problem("/mcp", from(ELSEWHERE, initialize)), {
          status: 403,
          code: "address_forbidden"
        })
        const begun = yield* call("/mcp", from(OFFICE, initialize))
        assert.strictEqual(begun.status, 200, begun.text)
        // A tool asks the routes from the address of the call that it came in.
        const session = String(begun.headers["mcp-session-id"])
        const used = yield* call(
          "/mcp",
          from(OFFICE, {
            ...initialize,
            body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "whoami", arguments: {} } },
            headers: [...(initialize.headers ?? []), ["Mcp-Session-Id", session]]
          })
        )
        assert.include(used.text, "office")
        assert.notInclude(used.text, "address_forbidden")
      })
    )

    it.effect("are given, shown and narrowed over HTTP; what is wrong with them is told by its field", () =>
      Effect.gen(function* () {
        const { call, createKey, problem } = yield* Deployment
        const create = (body: object, more: Call = {}) =>
          problem("/api/v1/apiKeys", {
            method: "POST",
            key: "admin",
            body: { name: "x", rule: { role: "Viewer" }, ...body },
            ...more
          })
        for (const [body, field] of [
          [{ allowFrom: [] }, "allowFrom"],
          [{ allowFrom: null }, "allowFrom"],
          [{ allowFrom: ["203.0.113.0/24", "10.0.0.1/8"] }, "allowFrom[1]"],
          [{ allowFrom: Array<string>(33).fill("203.0.113.0/24") }, "allowFrom"],
          [{ description: "x".repeat(257) }, "description"],
          [{ description: "a\u202Eb" }, "description"],
          [{ name: "a\u200Bb" }, "name"]
        ] as const) {
          assert.deepInclude(yield* create(body), { status: 400, code: "invalid_body", field }, JSON.stringify(body))
        }
        const { raw } = yield* limited()
        const maker = from(OFFICE, { bearer: raw })
        assert.deepInclude(yield* create({ allowFrom: ["203.0.0.0/16"] }, maker), {
          status: 403,
          code: "rule_not_contained",
          field: "allowFrom"
        })
        const inherited = yield* call("/api/v1/apiKeys", {
          ...maker,
          method: "POST",
          body: { name: "x", rule: { role: "Viewer" } }
        })
        assert.include(inherited.text, '"allowFrom":["203.0.113.0/24"]')
        const { apiKey } = yield* createKey({ name: "x", description: "of the shop", rule: { role: "Viewer" } })
        assert.strictEqual(apiKey.description, "of the shop")
        const rotated = yield* problem(`/api/v1/apiKeys/${apiKey.id}/rotate`, { ...maker, method: "POST", body: {} })
        assert.deepInclude(rotated, { status: 403, code: "rule_not_contained", field: "allowFrom" })
      })
    )
  }
)
