import { assert, describe, layer } from "@effect/vitest"
import { Embedded, eventually } from "@quarterdeck/harness"
import type { Code } from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { list } from "./AuditedCall.ts"
import { type Call, Deployment, rawKey } from "./Deployment.ts"

const SESSION = "/api/v1/session"
type Header = readonly [string, string]

const own = Effect.map(Deployment, ({ url }): Header => ["Origin", url])
const JSON_BODY: Header = ["Content-Type", "application/json"]

const signIn = Effect.fnUntraced(function* (key: string) {
  const deployment = yield* Deployment
  const body = JSON.stringify({ key })
  return yield* deployment.call(SESSION, { method: "POST", key: null, headers: [yield* own, JSON_BODY], body })
})

/** Signs in and gives the cookie as a browser sends it back. */
const cookieOf = Effect.fnUntraced(function* (key: string) {
  const { headers, status, text } = yield* signIn(key)
  assert.strictEqual(status, 201, text)
  const [cookie = ""] = headers["set-cookie"] ?? []
  const header: Header = ["Cookie", cookie.slice(0, cookie.indexOf(";"))]
  return header
})

const codeOf = Effect.fnUntraced(function* (path: string, call: Call) {
  const deployment = yield* Deployment
  const asked = { key: null, ...call }
  const { status } = yield* deployment.call(path, asked)
  return status < 300 ? "ok" : (yield* deployment.problem(path, asked)).code
})

describe("sessions", () => {
  layer(Deployment.layer({ driver: Embedded.driver, children: [] }), { excludeTestServices: true })((it) => {
    it.effect("a key signs a browser in, and the reply says whose it is", () =>
      Effect.gen(function* () {
        const { headers, text } = yield* signIn(rawKey("operator"))
        assert.deepInclude(JSON.parse(text), { name: "operator", source: "configured", rule: { role: "Operator" } })
        assert.match(
          headers["set-cookie"]?.[0] ?? "",
          /^qd_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/
        )
        assert.strictEqual(headers["cache-control"], "no-store")
      })
    )

    it.effect("a session may what its key may, and no more", () =>
      Effect.gen(function* () {
        const cookie = yield* cookieOf(rawKey("viewer"))
        assert.strictEqual(yield* codeOf("/api/v1/clusters", { headers: [cookie] }), "ok")
        assert.strictEqual(yield* codeOf("/api/v1/apiKeys", { headers: [cookie] }), "role_forbidden")
        assert.strictEqual(yield* codeOf(SESSION, { headers: [cookie] }), "ok")
      })
    )

    it.effect("nobody fills the audit by sign-ins that are refused and sign-outs of no session", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const headers = [yield* own, JSON_BODY]
        const ask = (call: Call, name: string) =>
          deployment.call(SESSION, { key: null, ...call, headers: [...(call.headers ?? []), ["X-Request-Id", name]] })
        const forged: Header = ["Cookie", `qd_session=${"x".repeat(43)}`]
        const calls = Array.from({ length: 60 }, (_, index) =>
          Effect.all([
            ask({ method: "POST", headers, body: '{"key":"qd_flood"}' }, `flood.in.${index}`),
            ask({ method: "POST", headers, body: "{}" }, `flood.none.${index}`),
            ask({ method: "DELETE", headers }, `flood.out.${index}`),
            ask({ method: "DELETE", headers: [...headers, forged] }, `flood.forged.${index}`)
          ])
        )
        const replies = yield* Effect.all(calls, { concurrency: 20 })
        const statuses = replies.flat().map(({ status }) => status)
        assert.includeMembers(statuses, [204, 400, 401])
        const flood = Effect.map(list("?limit=5000&resource=session"), ({ events }) =>
          events.filter(({ requestId }) => requestId.startsWith("flood."))
        )
        const ofFlood = yield* eventually("refusals are in the audit", flood, (events) => events.length > 0)
        // They may have come in several seconds, each of which keeps ten of them single.
        assert.isBelow(ofFlood.length, 60)
        assert.isTrue(ofFlood.every(({ decision, requestId }) => decision === "deny" && requestId.includes(".in.")))
      })
    )

    it.effect("a request with an Authorization header never falls back to the session", () =>
      Effect.gen(function* () {
        const cookie = yield* cookieOf(rawKey("admin"))
        const paths = ["/api/v1/whoami", "/api/v1/clusters", SESSION]
        for (const authorization of ["Bearer nobody", "Negotiate abc", ""]) {
          const headers: ReadonlyArray<Header> = [cookie, ["Authorization", authorization]]
          for (const path of paths) {
            assert.include(["invalid_key", "missing_credential"], yield* codeOf(path, { headers }), authorization)
          }
        }
      })
    )

    it.effect.each<[string, (url: string) => ReadonlyArray<Header>, string]>([
      ["with its own Origin and media type", (url) => [["Origin", url], JSON_BODY], "ok"],
      ["without an Origin", () => [JSON_BODY], "origin_forbidden"],
      ["of another origin", () => [["Origin", "https://elsewhere.example"], JSON_BODY], "origin_forbidden"],
      [
        "of an origin that may call with keys alone",
        () => [["Origin", "https://ops.example"], JSON_BODY],
        "origin_forbidden"
      ],
      ["of the origin null", () => [["Origin", "null"], JSON_BODY], "origin_forbidden"],
      [
        "that a form could send",
        (url) => [
          ["Origin", url],
          ["Content-Type", "text/plain"]
        ],
        "unsupported_media_type"
      ],
      ["without a media type", (url) => [["Origin", url]], "unsupported_media_type"]
    ])("a write %s", ([, headersOf, expected]) =>
      Effect.gen(function* () {
        const { url } = yield* Deployment
        const cookie = yield* cookieOf(rawKey("admin"))
        const write = { method: "POST", headers: [cookie, ...headersOf(url)] }
        const body = JSON.stringify({ name: "made", rule: { role: "Viewer" } })
        assert.strictEqual(yield* codeOf("/api/v1/apiKeys", { ...write, body }), expected)
        // A read that is a POST counts as well, and so does one without a body.
        assert.strictEqual(yield* codeOf("/detailedCostReport/getWorkloads", write), expected)
        const key = JSON.stringify({ key: rawKey("viewer") })
        assert.strictEqual(yield* codeOf(SESSION, { ...write, headers: headersOf(url), body: key }), expected)
      })
    )

    it.effect("a DELETE needs the Origin alone", () =>
      Effect.gen(function* () {
        const { createKey } = yield* Deployment
        const cookie = yield* cookieOf(rawKey("admin"))
        const { apiKey } = yield* createKey({ name: "gone", rule: { role: "Viewer" } })
        const path = `/api/v1/apiKeys/${apiKey.id}`
        assert.strictEqual(yield* codeOf(path, { method: "DELETE", headers: [cookie] }), "origin_forbidden")
        assert.strictEqual(yield* codeOf(path, { method: "DELETE", headers: [cookie, yield* own] }), "ok")
        assert.strictEqual(yield* codeOf(SESSION, { method: "DELETE", headers: [cookie] }), "origin_forbidden")
      })
    )

    it.effect("signing out ends this session, with all=true every one of the key", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const [one, two, three] = yield* Effect.all([
          cookieOf(rawKey("viewer")),
          cookieOf(rawKey("viewer")),
          cookieOf(rawKey("viewer"))
        ])
        const stranger = yield* cookieOf(rawKey("operator"))
        const origin = yield* own
        const out = yield* deployment.call(SESSION, { method: "DELETE", key: null, headers: [one, origin] })
        assert.strictEqual(out.status, 204)
        assert.match(out.headers["set-cookie"]?.[0] ?? "", /^qd_session=; Path=\/; Max-Age=0/)
        assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [one] }), "session_ended")
        assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [two] }), "ok")
        yield* deployment.call(`${SESSION}?all=true`, { method: "DELETE", key: null, headers: [two, origin] })
        for (const cookie of [two, three]) {
          assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [cookie] }), "session_ended")
        }
        assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [stranger] }), "ok")
      })
    )

    it.effect("a session ends with its key at its next request, and says why", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { apiKey, raw } = yield* deployment.createKey({ name: "short", rule: { role: "Viewer" } })
        const cookie = yield* cookieOf(raw)
        yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
        for (const path of [SESSION, "/api/v1/clusters"]) {
          assert.strictEqual(yield* codeOf(path, { headers: [cookie] }), "key_revoked", path)
        }
      })
    )

    it.effect.each<[string, string, Code]>([
      ["nobody", "no such key", "invalid_key"],
      [rawKey("expired"), "an expired key", "key_expired"]
    ])("%s does not sign in", ([key, , code]) =>
      Effect.gen(function* () {
        const { headers, status, text } = yield* signIn(key)
        assert.strictEqual(status, 401)
        assert.deepInclude(JSON.parse(text), { code })
        assert.isUndefined(headers["set-cookie"])
        assert.notInclude(text, key)
      })
    )

    it.effect("two session cookies are refused, as are ids that no session has", () =>
      Effect.gen(function* () {
        const cookie = yield* cookieOf(rawKey("admin"))
        const twice: Header = ["Cookie", `${cookie[1]}; qd_session=${"a".repeat(43)}`]
        assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [twice] }), "malformed_credential")
        for (const id of ["", "a".repeat(43), rawKey("admin")]) {
          const unknown: Header = ["Cookie", `qd_session=${id}`]
          assert.strictEqual(yield* codeOf("/api/v1/whoami", { headers: [unknown] }), "session_ended", id)
        }
      })
    )

    it.effect("a page is not challenged for Basic, which a browser would ask its reader for", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const challenge = (headers: ReadonlyArray<Header>) =>
          Effect.map(deployment.call(SESSION, { key: null, headers }), (reply) => reply.headers["www-authenticate"])
        assert.include(yield* challenge([]), "Basic")
        assert.strictEqual(yield* challenge([["X-Requested-With", "quarterdeck"]]), 'Bearer realm="quarterdeck"')
      })
    )

    it.effect.each<[string, unknown, string]>([
      ["no key", {}, "key"],
      ["an empty key", { key: "" }, "key"],
      ["another member", { key: "some", remember: true }, "remember"]
    ])("400 for %s, and names the field", ([, body, field]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const call = { method: "POST", key: null, headers: [yield* own], body }
        assert.deepInclude(yield* deployment.problem(SESSION, call), { status: 400, code: "invalid_body", field })
      })
    )

    it.effect("413 for a sign-in over 4 KiB", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const call = { method: "POST", key: null, headers: [yield* own], body: { key: "k".repeat(4_096) } }
        assert.deepInclude(yield* deployment.problem(SESSION, call), { status: 413, code: "body_too_large" })
      })
    )

    it.effect("pages and replies stay apart from windows and pages of other origins, and may use no device", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        for (const path of ["/", "/docs", SESSION]) {
          const { headers } = yield* deployment.call(path, { key: null })
          assert.deepInclude(headers, {
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin"
          })
          assert.include(headers["permissions-policy"], "camera=()")
        }
      })
    )

    it.effect("400 for a query parameter that there is none of", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const call = { method: "DELETE", key: null, headers: [yield* own] }
        assert.deepInclude(yield* deployment.problem(`${SESSION}?every=true`, call), {
          status: 400,
          code: "unknown_parameter"
        })
      })
    )
  })

  layer(
    Deployment.layer({
      driver: Embedded.driver,
      children: [],
      options: { server: { publicUrl: "https://deck.example/ops", allowedOrigins: ["https://ops.example"] } }
    }),
    { excludeTestServices: true }
  )("behind a public address of HTTPS", (it) => {
    it.effect("the cookie is Secure and of the host alone, and the public origin is the server's own", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const body = JSON.stringify({ key: rawKey("viewer") })
        const from = (origin: string) =>
          deployment.call(SESSION, { method: "POST", key: null, headers: [["Origin", origin], JSON_BODY], body })
        const { headers, status } = yield* from("https://deck.example")
        assert.strictEqual(status, 201)
        const [cookie = ""] = headers["set-cookie"] ?? []
        assert.match(cookie, /^__Host-qd_session=[0-9A-Za-z]{43}; .*; Secure$/)
        assert.strictEqual(headers["strict-transport-security"], "max-age=31536000")
        assert.strictEqual((yield* from("https://ops.example")).status, 403)
        const value = cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"))
        const asked = (name: string) => codeOf("/api/v1/whoami", { headers: [["Cookie", `${name}=${value}`]] })
        assert.strictEqual(yield* asked("__Host-qd_session"), "ok")
        assert.strictEqual(yield* asked("qd_session"), "missing_credential")
      })
    )
  })
})
