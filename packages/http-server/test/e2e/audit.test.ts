import { assert } from "@effect/vitest"
import { AuditEvent } from "@quarterdeck/keys/AuditEvent"
import { AuditVerifier } from "@quarterdeck/keys"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { audited, BEHIND_PROXY, list } from "./AuditedCall.ts"
import { type Call, Deployment, type KeyName, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(AuditEvent), { onExcessProperty: "error" })

const gist = ({ code, decision, status, target, verb }: AuditEvent) => ({ code, decision, status, target, verb })

onOneDriver("the audit", { children: ["prod"], options: { ...BEHIND_PROXY, audit: { reads: "all" } } }, (it) => {
  it.effect("tells of a mutation before it is done and again with its outcome", () =>
    Effect.gen(function* () {
      const body = { name: "made", rule: { role: "Viewer" } }
      const [before, after, ...more] = yield* audited("make", "/api/v1/apiKeys", { method: "POST", key: "admin", body })
      assert.lengthOf(more, 0)
      assert.deepInclude(before, { decision: "allow", status: 0, verb: "create", resource: "apiKeys", via: "rest" })
      assert.deepInclude(after, { decision: "allow", status: 201, route: "/api/v1/apiKeys", address: "127.0.0.1" })
      assert.deepStrictEqual(after?.actor.kind, "key")
      assert.strictEqual(after?.actor.name, "admin")
      assert.match(after?.target.object ?? "", /^key_/)
      assert.strictEqual(after?.previousHash, before?.hash)
      assert.strictEqual(Number(after?.id), Number(before?.id) + 1)
    })
  )

  it.effect("tells of a mutation that failed what it failed with", () =>
    Effect.gen(function* () {
      const path = "/api/v1/apiKeys/key_none"
      const events = yield* audited("gone", path, { method: "PATCH", key: "admin", body: {} })
      const target = { asked: "", clusters: [] }
      assert.deepStrictEqual(events.map(gist), [
        { code: undefined, decision: "allow", status: 0, target, verb: "operate" },
        { code: "key_not_found", decision: "allow", status: 404, target, verb: "operate" }
      ])
      const secret = yield* audited("secret", "/api/v1/apiKeys/e2e-viewer-0123456789", {
        method: "DELETE",
        key: "admin"
      })
      assert.deepStrictEqual(
        secret.map((event) => [event.status, event.target]),
        [
          [0, target],
          [404, target]
        ]
      )
      const wider = { name: "made", rule: { role: "Viewer" } }
      const refused = yield* audited("wider", "/api/v1/apiKeys", { method: "POST", key: "prodAdmin", body: wider })
      assert.deepInclude(refused[1], { decision: "deny", status: 403, code: "rule_not_contained" })
    })
  )

  it.effect.each<[string, string, Call, object]>([
    ["a role that is too low", "/api/v1/apiKeys", { key: "viewer" }, { status: 403, code: "role_forbidden" }],
    ["no key", "/api/v1/workloads", { key: null }, { status: 401, code: "missing_credential" }],
    ["a wrong key", "/api/v1/workloads", { bearer: "qd_wrong" }, { status: 401, code: "invalid_key" }],
    ["a path that nobody knows", "/nothing", { key: null }, { status: 401, resource: "unknown", route: "unmatched" }],
    [
      "a cluster out of scope",
      "/api/v1/workloads?namespace=shop",
      { key: "prodViewer", headers: to("hub|prod") },
      { code: "cluster_forbidden", target: { asked: "hub|prod", clusters: [], namespaces: ["shop"] } }
    ],
    [
      "a namespace out of scope",
      "/detailedCostReport/getWorkloads",
      { key: "shopViewer", method: "POST", body: { namespaces: ["payments"] } },
      { code: "namespace_forbidden", verb: "read", target: { asked: "", clusters: ["hub"], namespaces: ["payments"] } }
    ]
  ])("tells of %s once, at once", ([name, path, call, expected]) =>
    Effect.gen(function* () {
      const events = yield* audited(name.replaceAll(" ", "-"), path, call)
      assert.lengthOf(events, 1)
      assert.deepInclude(events[0], { decision: "deny", ...expected })
    })
  )

  it.effect(
    "tells whose key it was that has ended, in calls, at signing in, and of a session that was opened before",
    () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const { apiKey, raw } = yield* deployment.createKey({ name: "leaked", rule: { role: "Viewer" } })
        const headers = [["Origin", deployment.url]] as const
        const signIn = { method: "POST", key: null, headers, body: { key: raw } } as const
        const opened = yield* deployment.call("/api/v1/session", signIn)
        const [cookie = ""] = opened.headers["set-cookie"] ?? []
        yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { key: "admin", method: "DELETE" })

        const session = [["Cookie", cookie.split(";")[0] ?? ""]] as const
        const events = [
          ...(yield* audited("used-again", "/api/v1/workloads", { bearer: raw })),
          ...(yield* audited("signed-in-again", "/api/v1/session", signIn)),
          ...(yield* audited("went-on", "/api/v1/workloads", { key: null, headers: session }))
        ]
        assert.deepStrictEqual(
          events.map(({ actor, code }) => [actor.kind, actor.keyId, actor.name, code].join(" ")),
          ["key", "key", "session"].map((kind) => `${kind} ${apiKey.id} leaked key_revoked`)
        )
        assert.isAtLeast((yield* list(`?keyId=${apiKey.id}&decision=deny`)).events.length, 3)
      })
  )

  it.effect("tells of signing in and out, as the page", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const headers = [["Origin", url]] as const
      const body = { key: "e2e-operator-0123456789" }
      const events = yield* audited("sign-in", "/api/v1/session", { method: "POST", key: null, headers, body })
      assert.deepStrictEqual(
        events.map(({ actor, resource, status, verb, via }) => [actor.kind, actor.name, resource, verb, status, via]),
        [
          ["anonymous", undefined, "session", "create", 0, "page"],
          ["session", "operator", "session", "create", 201, "page"]
        ]
      )
      const wrong = { key: "qd_wrong" }
      const again = { method: "POST", key: null, headers, body: wrong } as const
      const [refused, ...more] = yield* audited("wrong", "/api/v1/session", again)
      assert.deepInclude(refused, { decision: "deny", status: 401, code: "invalid_key" })
      assert.lengthOf(more, 0)
    })
  )

  it.effect(
    "keeps no denial of a browser that asks whether it is signed in, but of one with a credential that is none",
    () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const path = "/api/v1/session"
        const { code, status } = yield* deployment.problem(path, {
          key: null,
          headers: [["X-Request-Id", "asks-only"]]
        })
        assert.deepStrictEqual([status, code], [401, "missing_credential"])
        const cookie = [["Cookie", `qd_session=${"x".repeat(43)}`]] as const
        const [forged] = yield* audited("forged", path, { key: null, headers: cookie })
        assert.deepInclude(forged, { decision: "deny", status: 401, code: "session_ended", resource: "session" })
        const [beside] = yield* audited("beside", path, { bearer: "qd_wrong" })
        assert.deepInclude(beside, { decision: "deny", status: 401, code: "missing_credential", resource: "session" })
        const { events } = yield* list("?limit=5000&decision=deny")
        assert.deepStrictEqual(
          events.filter(({ requestId }) => requestId === "asks-only"),
          []
        )
      })
  )

  it.effect("holds no secret", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { raw } = yield* deployment.createKey({ name: "made", rule: { role: "Viewer" } })
      yield* deployment.call("/api/v1/apiKeys", { bearer: raw })
      const { text } = yield* deployment.call("/api/v1/audit?limit=5000", { key: "admin" })
      assert.notInclude(text, raw.slice(9))
      assert.notInclude(text, "e2e-")
    })
  )

  it.effect("is narrowed by each of its parameters", () =>
    Effect.gen(function* () {
      const [event] = yield* audited("narrow", "/api/v1/workloads", { key: "prodViewer", headers: to("hub") })
      const at = event === undefined ? "" : new Date(event.at.epochMilliseconds).toISOString()
      const later = new Date(Date.parse(at) + 1).toISOString()
      const { keyId = "" } = event?.actor ?? {}
      const holds = (query: string) =>
        Effect.map(list(`?limit=5000&${query}`), ({ events }) => events.some(({ id }) => id === event?.id))
      for (const query of [
        `since=${at}`,
        `until=${later}`,
        `keyId=${keyId}`,
        "decision=deny",
        "resource=workloads",
        "verb=read",
        "cluster=hub"
      ]) {
        assert.isTrue(yield* holds(query), query)
      }
      for (const query of [
        `since=${later}`,
        `until=${at}`,
        "keyId=key_none",
        "decision=allow",
        "resource=prices",
        "verb=create",
        "cluster=hu"
      ]) {
        assert.isFalse(yield* holds(query), query)
      }
    })
  )

  it.effect("comes page by page, newest first, with nothing twice while more is written", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (let time = 0; time < 3; time++) yield* deployment.call("/api/v1/apiKeys", { key: "viewer" })
      const { events: all } = yield* list("?limit=5000")
      const seen: Array<string> = []
      let cursor = ""
      do {
        const { events, nextCursor = "" } = yield* list(`?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`)
        assert.isAtMost(events.length, 4)
        seen.push(...events.map(({ id }) => id))
        cursor = nextCursor
        yield* deployment.call("/api/v1/apiKeys", { key: "viewer" })
      } while (cursor !== "")
      assert.deepStrictEqual(
        seen,
        all.map(({ id }) => id)
      )
      const { nextCursor = "" } = yield* list("?limit=1")
      assert.deepInclude(
        yield* deployment.problem(`/api/v1/audit?limit=1&decision=deny&cursor=${nextCursor}`, { key: "admin" }),
        { status: 400, code: "invalid_cursor" }
      )
    })
  )

  it.effect("is exported as a file with an event on each line", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { headers, text } = yield* deployment.call("/api/v1/audit?format=ndjson", { key: "admin" })
      assert.strictEqual(headers["content-type"], "application/x-ndjson")
      const events = text
        .trimEnd()
        .split("\n")
        .map((line) => decodeEvent(line))
      const ids = new Set(events.map(({ id }) => id))
      assert.isTrue((yield* list("?limit=5000")).events.every(({ id, status }) => ids.has(id) || status !== 0))
      const few = yield* deployment.call("/api/v1/audit?format=ndjson&limit=2", { key: "admin" })
      assert.lengthOf(few.text.trimEnd().split("\n"), 2)
    })
  )

  it.effect.each<[string, string, string]>([
    ["an instant without a zone", "since=2026-01-01T00:00:00", "since"],
    ["a day that does not exist", "until=2026-02-30T00:00:00Z", "until"],
    ["an unknown decision", "decision=maybe", "decision"],
    ["a resource that no event is about", "resource=logs", "resource"],
    ["an unknown parameter", "namespace=shop", "namespace"],
    ["a page of a file", "format=ndjson&cursor=abc", "cursor"]
  ])("refuses %s", ([, query, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`/api/v1/audit?${query}`, { key: "admin" })
      assert.strictEqual(problem.status, 400)
      assert.strictEqual(problem.field, field)
    })
  )

  it.effect("shows a scoped Admin the events of its own scope alone, and others none", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* audited("hub-and-prod", "/api/v1/workloads", { key: "prodViewer", headers: to("hub|prod") })
      const denied = "/detailedCostReport/getWorkloads"
      const idle = { idle: "show", groupBy: ["cluster"] }
      const groups = "/detailedCostReport/getAggregated"
      const shop = { key: "shopViewer", method: "POST" } as const
      yield* audited("idle-of-prod", groups, { ...shop, body: { ...idle, namespaces: ["shop"] }, headers: to("prod") })
      yield* audited("payments", denied, { ...shop, body: { namespaces: ["payments"] }, headers: to("prod") })
      const prodKey = { name: "of prod", rule: { role: "Viewer", targetClusters: ["prod"] } }
      yield* audited("prod-key", "/api/v1/apiKeys", { method: "POST", key: "admin", body: prodKey })
      const anyKey = { name: "of all", rule: { role: "Viewer" } }
      yield* audited("any-key", "/api/v1/apiKeys", { method: "POST", key: "admin", body: anyKey })

      const seenBy = Effect.fnUntraced(function* (key: KeyName) {
        const { events } = yield* list("?limit=5000", key)
        const wanted = new Set(["hub-and-prod", "idle-of-prod", "payments", "prod-key", "any-key"])
        return [...new Set(events.map(({ requestId }) => requestId.replace(/[.]\d+$/, "")))]
          .filter((id) => wanted.has(id))
          .toSorted()
      })
      assert.deepStrictEqual(yield* seenBy("prodAdmin"), ["idle-of-prod", "payments", "prod-key"])
      assert.deepStrictEqual(yield* seenBy("shopAdmin"), ["idle-of-prod"])
      assert.lengthOf(yield* seenBy("admin"), 5)
      for (const key of ["viewer", "operator"] as const) {
        assert.deepInclude(yield* deployment.problem("/api/v1/audit", { key }), { status: 403, code: "role_forbidden" })
      }
    })
  )

  it.effect("keeps one denial a minute of an anonymous address or IPv6 network of 64 bits singly", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const floodFrom = (addressOf: (index: number) => string) =>
        Effect.all(
          Array.from({ length: 60 }, (_, index) => {
            const headers = [["X-Forwarded-For", addressOf(index)]] as const
            return deployment.call("/api/v1/prices", { bearer: `qd_flood_${index}`, headers })
          }),
          { concurrency: 20, discard: true }
        )
      yield* floodFrom((index) => `2001:db8::${index + 1}`)
      yield* floodFrom((index) => (index % 2 === 0 ? "203.0.113.9" : "::ffff:203.0.113.9"))
      const { events } = yield* list("?limit=5000&resource=prices&decision=deny")
      assert.strictEqual(events.filter(({ count }) => count === undefined).length, 2)
    })
  )

  it.effect("is found whole while it is written, and a row that was changed is named", () =>
    Effect.gen(function* () {
      const { dataDirectory } = yield* Deployment
      const whole = yield* AuditVerifier.verify(dataDirectory)
      assert.strictEqual(whole._tag, "Whole")
      const file = new DatabaseSync(join(dataDirectory, "audit.sqlite"))
      const body = file.prepare("SELECT body FROM events WHERE number = 3").get()?.["body"] ?? ""
      const change = (text: string) => file.prepare("UPDATE events SET body = ? WHERE number = 3").run(text)
      change(String(body).replace("127.0.0.1", "192.0.2.1"))
      const broken = yield* AuditVerifier.verify(dataDirectory)
      change(String(body))
      file.close()
      assert.deepInclude(broken, { _tag: "Broken", number: 3 })
    })
  )
})
