import { assert, describe, layer } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, rawKey } from "./Deployment.ts"

const SESSION = "/api/v1/session"
const PROXY = { server: { trustedProxies: ["127.0.0.0/8", "::1"] } }

/** Signs in at `deck.example` by a proxy that says such things, as a page of an origin. */
const signIn = Effect.fnUntraced(function* (proto: string | undefined, origin: string) {
  const { call } = yield* Deployment
  const headers = [
    ["Origin", origin],
    ["Content-Type", "application/json"],
    ["X-Forwarded-For", "203.0.113.9"],
    ...(proto === undefined ? [] : [["X-Forwarded-Proto", proto] as const])
  ] as const
  const body = JSON.stringify({ key: rawKey("admin") })
  const reply = yield* call(SESSION, { method: "POST", key: null, headers, body })
  const [cookie = ""] = reply.headers["set-cookie"] ?? []
  return { ...reply, cookie, hasTransport: reply.headers["strict-transport-security"] !== undefined }
})

const pairOf = (cookie: string): string => cookie.slice(0, cookie.indexOf(";"))

describe("X-Forwarded-Proto", () => {
  layer(Deployment.layer({ driver: Embedded.driver, children: [], options: PROXY }), { excludeTestServices: true })(
    "of a trusted proxy",
    (it) => {
      it.effect("https makes the cookie Secure, and browsers come by HTTPS alone; sign-out takes the same cookie", () =>
        Effect.gen(function* () {
          const { call, url } = yield* Deployment
          const { host } = new URL(url)
          const { cookie, hasTransport, status, text } = yield* signIn("https", `https://${host}`)
          assert.strictEqual(status, 201, text)
          assert.match(cookie, /^__Host-qd_session=[0-9A-Za-z]{43}; .*; Secure$/)
          assert.isTrue(hasTransport)
          const asked = (proto: string) =>
            call("/api/v1/whoami", {
              key: null,
              headers: [
                ["Cookie", pairOf(cookie)],
                ["X-Forwarded-Proto", proto]
              ]
            })
          assert.strictEqual((yield* asked("https")).status, 200)
          // Over plain HTTP a browser has no such cookie.
          assert.strictEqual((yield* asked("http")).status, 401)
          const out = yield* call(SESSION, {
            method: "DELETE",
            key: null,
            headers: [
              ["Origin", `https://${host}`],
              ["Cookie", pairOf(cookie)],
              ["X-Forwarded-Proto", "https"]
            ]
          })
          assert.strictEqual(out.status, 204)
          assert.match(out.headers["set-cookie"]?.[0] ?? "", /^__Host-qd_session=; .*Max-Age=0.*; Secure$/)
          assert.strictEqual((yield* asked("https")).status, 401)
        })
      )

      it.effect.each<[string | undefined, string, number]>([
        ["https", "https", 201],
        ["https", "http", 403],
        ["http", "http", 201],
        ["http", "https", 403],
        // Nothing says what the proxy speaks.
        [undefined, "https", 201],
        [undefined, "http", 201]
      ])("%s: a page of %s gets %d", ([proto, scheme, expected]) =>
        Effect.gen(function* () {
          const { host } = new URL((yield* Deployment).url)
          const { cookie, hasTransport, status } = yield* signIn(proto, `${scheme}://${host}`)
          assert.strictEqual(status, expected)
          assert.strictEqual(hasTransport, proto === "https")
          if (status === 201) assert.strictEqual(cookie.endsWith("; Secure"), proto === "https")
        })
      )
    }
  )

  layer(Deployment.layer({ driver: Embedded.driver, children: [] }), { excludeTestServices: true })(
    "of anybody else",
    (it) => {
      it.effect("is not read", () =>
        Effect.gen(function* () {
          const { url } = yield* Deployment
          const { cookie, hasTransport, status, text } = yield* signIn("https", url)
          assert.strictEqual(status, 201, text)
          assert.match(cookie, /^qd_session=/)
          assert.notInclude(cookie, "Secure")
          assert.isFalse(hasTransport)
        })
      )
    }
  )
})
