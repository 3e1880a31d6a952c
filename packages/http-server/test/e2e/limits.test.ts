import { assert, describe, layer } from "@effect/vitest"
import { Embedded, eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { type Call, Deployment, rawKey, to } from "./Deployment.ts"

const WHOAMI = "/api/v1/whoami"
const WITHIN = { within: "20 seconds" } as const

/** As a trusted proxy tells of its client. */
const from = (address: string) => ["X-Forwarded-For", address] as const
const guess = (address: string, key = "no-such-key"): Call => ({ bearer: key, headers: [from(address)] })

/** The statuses of calls one after the other. */
const statuses = Effect.fnUntraced(function* (times: number, path: string, call: Call) {
  const deployment = yield* Deployment
  return yield* Effect.forEach(Array.from({ length: times }), () =>
    Effect.map(deployment.call(path, call), ({ status }) => status)
  )
})

describe("limits", () => {
  layer(
    Deployment.layer({
      driver: Embedded.driver,
      children: ["prod"],
      options: {
        server: { trustedProxies: ["127.0.0.0/8", "::1"] },
        // So slow that nothing flows in while a test looks at what is left.
        limits: { keyPerSecond: 1, keyBurst: 60, failedPerSecond: 1, failedBurst: 30 }
      }
    }),
    { timeout: "60 seconds", excludeTestServices: true }
  )((it) => {
    it.effect("a key that asks too often is 429 until Retry-After, another key is not", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const first = yield* deployment.call(WHOAMI, { key: "prodViewer" })
        assert.strictEqual(first.headers["ratelimit-policy"], '"key";q=60;w=60')
        assert.strictEqual(first.headers["ratelimit"], '"key";r=59;t=1')
        assert.isUndefined(first.headers["retry-after"])
        yield* statuses(59, WHOAMI, { key: "prodViewer" })
        const refused = yield* eventually(
          "the burst is spent",
          deployment.problem(WHOAMI, { key: "prodViewer" }),
          ({ status }) => status === 429,
          WITHIN
        )
        assert.strictEqual(refused.code, "rate_limited")
        assert.match(refused.reply.headers["ratelimit"]?.toString() ?? "", /^"key";r=0;t=(?:59|60)$/)
        assert.strictEqual(refused.reply.headers["retry-after"], "1")
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, { key: "operator" }), [200])

        // What a key may not do at all is told first, what is wrong with the request later.
        assert.deepStrictEqual(yield* statuses(1, "/api/v1/apiKeys", { key: "prodViewer" }), [403])
        assert.deepStrictEqual(yield* statuses(1, "/api/v1/nothing", { key: "prodViewer" }), [404])
        const bad = { key: "prodViewer", headers: to("a|") } as const
        yield* eventually(
          "a malformed header is 429 too",
          Effect.map(statuses(5, "/api/v1/workloads", bad), (seen) => seen.at(-1)),
          (seen) => seen === 429,
          WITHIN
        )
        yield* eventually(
          "the key is let in again",
          Effect.map(deployment.call(WHOAMI, { key: "prodViewer" }), ({ status }) => status),
          (status) => status === 200,
          WITHIN
        )
      })
    )

    it.effect("a live read counts once for each cluster that it addresses", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const left = (path: string, target: string) =>
          Effect.map(deployment.call(path, { key: "childrenViewer", headers: to(target) }), ({ headers }) =>
            Number(/;r=(\d+)/.exec(headers["ratelimit"]?.toString() ?? "")?.[1])
          )
        const start = yield* left("/api/v1/workloads", "prod")
        assert.strictEqual(yield* left("/api/v1/workloads?consistency=live", "prod"), start - 1)
        const viewer = (path: string) =>
          Effect.map(deployment.call(path, { key: "viewer", headers: to("*") }), ({ headers }) =>
            Number(/;r=(\d+)/.exec(headers["ratelimit"]?.toString() ?? "")?.[1])
          )
        const before = yield* viewer("/api/v1/namespaces")
        const after = yield* viewer("/api/v1/namespaces?consistency=live")
        assert.include([before - 2, before - 1], after)
        // The routes read all that stands behind the first `?`, and so does the limit.
        const odd = yield* viewer("/api/v1/workloads?name=?&consistency=live")
        assert.include([after - 2, after - 1], odd)
      })
    )

    it.effect("wrong keys over the limit of their address are 429 before 401, and valid keys pass from there", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const address = "203.0.113.9"
        const first = yield* deployment.call(WHOAMI, guess(address))
        assert.strictEqual(first.status, 401)
        assert.strictEqual(first.headers["ratelimit"], '"failed";r=29;t=1')
        yield* statuses(29, WHOAMI, guess(address))
        const refused = yield* eventually(
          "the address is over its limit",
          deployment.problem(WHOAMI, guess(address)),
          ({ status }) => status === 429,
          WITHIN
        )
        assert.strictEqual(refused.code, "rate_limited")
        assert.isDefined(refused.reply.headers["retry-after"])
        assert.isUndefined(refused.reply.headers["www-authenticate"])
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, guess("198.51.100.7")), [401])
        assert.deepStrictEqual(yield* statuses(3, WHOAMI, { key: "admin", headers: [from(address)] }), [200, 200, 200])

        const signIn = { method: "POST", key: null, body: { key: "no-such-key" } } as const
        const own = ["Origin", deployment.url] as const
        yield* eventually(
          "so are wrong keys of pages",
          deployment.call("/api/v1/session", { ...signIn, headers: [own, from(address)] }),
          ({ status }) => status === 429,
          WITHIN
        )
      })
    )

    it.effect("a key counts as valid from when it is made until it is revoked", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const address = "203.0.113.10"
        yield* statuses(40, WHOAMI, guess(address))
        const { apiKey, raw } = yield* deployment.createKey({ name: "made", rule: { role: "Viewer" } })
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, guess(address, raw)), [200])
        yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
        const seen = yield* statuses(40, WHOAMI, guess(address, raw))
        assert.isTrue(seen.every((status) => status === 401 || status === 429))
        assert.include(seen, 429)
      })
    )

    it.effect("guessed sessions count against their address, and a valid one passes from there", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const own = ["Origin", deployment.url] as const
        const signIn = { method: "POST", key: null, body: { key: rawKey("shopViewer") } } as const
        const signedIn = yield* deployment.call("/api/v1/session", { ...signIn, headers: [own, from("203.0.113.20")] })
        assert.strictEqual(signedIn.status, 201, signedIn.text)
        const [cookie = ""] = signedIn.headers["set-cookie"] ?? []
        const session = (id: string): Call => ({ key: null, headers: [["Cookie", id], from("203.0.113.20")] })
        const valid = session(cookie.slice(0, cookie.indexOf(";")))
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, valid), [200])
        const seen = yield* statuses(40, WHOAMI, session(`qd_session=${"a".repeat(43)}`))
        assert.sameMembers([...new Set(seen)], [401, 429])
        assert.deepStrictEqual(yield* statuses(2, WHOAMI, valid), [200, 200])
      })
    )

    it.effect("a session that has not been used yet passes while its address is flooded", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const own = ["Origin", deployment.url] as const
        const address = from("203.0.113.21")
        const signIn = { method: "POST", key: null, body: { key: rawKey("teamViewer") } } as const
        const flood = yield* statuses(40, WHOAMI, {
          key: null,
          headers: [["Cookie", `qd_session=${"b".repeat(43)}`], address]
        })
        assert.include(flood, 429)
        const signedIn = yield* deployment.call("/api/v1/session", { ...signIn, headers: [own, address] })
        assert.strictEqual(signedIn.status, 201, signedIn.text)
        const [cookie = ""] = signedIn.headers["set-cookie"] ?? []
        const headers = [["Cookie", cookie.slice(0, cookie.indexOf(";"))], address] as const
        assert.deepStrictEqual(yield* statuses(2, WHOAMI, { key: null, headers }), [200, 200])
      })
    )

    it.effect("sign-ins whose body is refused count against their address", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const headers = [["Origin", deployment.url], from("203.0.113.22")] as const
        const bad = { method: "POST", key: null, headers } as const
        const seen = yield* Effect.forEach(["{", { key: "" }, { key: "k".repeat(5_000) }], (body) =>
          statuses(12, "/api/v1/session", { ...bad, body })
        )
        assert.sameMembers(
          [...new Set(seen.flat())],
          [400, 413, 415, 429].filter((status) => seen.flat().includes(status))
        )
        assert.include(seen.flat(), 429)
      })
    )

    it.effect("signing in counts against the key", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const own = ["Origin", deployment.url] as const
        const signIn: Call = { method: "POST", key: null, body: { key: rawKey("shopAdmin") }, headers: [own] }
        const seen = yield* statuses(70, "/api/v1/session", signIn)
        assert.sameMembers([...new Set(seen)], [201, 429])
      })
    )

    it.effect("addresses of one /64 share a limit, and strangers cannot tell of another client", () =>
      Effect.gen(function* () {
        const spread = Array.from({ length: 40 }, (_, host) => guess(`2001:db8:0:7::${host.toString(16)}, 127.0.0.1`))
        const seen = yield* Effect.forEach(spread, (call) =>
          Effect.map(statuses(1, WHOAMI, call), ([status]) => status)
        )
        assert.include(seen, 429)
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, guess("2001:db8:0:8::1")), [401])
        assert.deepStrictEqual(yield* statuses(1, WHOAMI, guess("203.0.113.9, 198.51.100.20")), [401])
      })
    )

    it.effect("metrics count what was limited", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        yield* statuses(40, WHOAMI, guess("203.0.113.11"))
        const { text } = yield* deployment.call("/metrics", { key: "admin" })
        assert.match(text, /^quarterdeck_rate_limited_total\{limit="failed"\} [1-9]/m)
        assert.match(text, /^quarterdeck_failed_authentications_total [1-9]/m)
        assert.match(text, /^quarterdeck_rate_limit_addresses [1-9]/m)
        assert.match(text, /^quarterdeck_folded_log_lines_total [1-9]/m)
      })
    )
  })
})
