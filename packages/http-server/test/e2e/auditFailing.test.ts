import { assert } from "@effect/vitest"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { AuditVerifier } from "@quarterdeck/keys"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Call, Deployment, type KeyName, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const SESSION = "/api/v1/session"
const WITHIN = { within: "30 seconds" } as const
const decodeReadiness = Schema.decodeUnknownEffect(Schema.fromJsonString(Readiness), { onExcessProperty: "error" })

/** Holds the audit's file, as a program that hangs in a write would, and gives it back. */
const whileHeld = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { dataDirectory } = yield* Deployment
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        const file = new DatabaseSync(join(dataDirectory, "audit.sqlite"), { timeout: 5_000 })
        file.exec("BEGIN EXCLUSIVE")
        return file
      }),
      () => effect,
      (file) => Effect.sync(() => file.close())
    )
  })

const ready = Effect.fnUntraced(function* (key: KeyName) {
  const { status, text } = yield* (yield* Deployment).call("/readyz", { key })
  return { ...(yield* decodeReadiness(text)), code: status }
})

/** The value of a metric. **Shape** `line` names it with its labels. */
const metric = (line: string) =>
  Effect.gen(function* () {
    const { text } = yield* (yield* Deployment).call("/metrics", { key: "admin" })
    const found = text.split("\n").find((one) => one.startsWith(`${line} `))
    return found === undefined ? undefined : Number(found.slice(line.length))
  })

/** All that the calls of a test could change. */
const state = Effect.gen(function* () {
  const { apiKeys, prices } = yield* Deployment
  const keys = (yield* apiKeys("?limit=5000", { key: "admin" })).apiKeys
  return {
    keys: keys.map(({ expiresAt, id, name, rule, status }) => [id, name, status, expiresAt, rule]),
    prices: yield* prices({ key: "admin" })
  }
})

const signIn = Effect.gen(function* () {
  const { call, url } = yield* Deployment
  return yield* call(SESSION, {
    method: "POST",
    key: null,
    headers: [["Origin", url]],
    body: { key: rawKey("viewer") }
  })
})

onOneDriver("an audit that cannot be written", { children: [] }, (it) => {
  it.effect("refuses every change, does nothing of it, and goes on once it can be written", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey } = yield* deployment.createKey({ name: "kept", rule: { role: "Viewer" } })
      const path = `/api/v1/apiKeys/${apiKey.id}`
      const [cookie = ""] = (yield* signIn).headers["set-cookie"] ?? []
      const session = [
        ["Cookie", cookie.slice(0, cookie.indexOf(";"))],
        ["Origin", deployment.url]
      ] as const
      const before = yield* state
      const calls: ReadonlyArray<readonly [path: string, call: Call]> = [
        ["/api/v1/apiKeys", { key: "admin", method: "POST", body: { name: "made", rule: { role: "Viewer" } } }],
        [
          path,
          { key: "admin", method: "PATCH", body: { name: "renamed", rule: { role: "Viewer", targetClusters: ["a"] } } }
        ],
        [`${path}/rotate`, { key: "admin", method: "POST", body: {} }],
        [path, { key: "admin", method: "DELETE" }],
        ["/api/v1/prices", { key: "admin", method: "PUT", body: { ...before.prices, rate: 3 } }],
        [
          SESSION,
          { key: null, method: "POST", headers: [["Origin", deployment.url]], body: { key: rawKey("viewer") } }
        ],
        [SESSION, { key: null, method: "DELETE", headers: session }],
        [`${SESSION}?all=true`, { key: null, method: "DELETE", headers: session }]
      ]
      const [refused, failures] = yield* whileHeld(
        Effect.gen(function* () {
          const problems = yield* Effect.forEach(calls, ([route, call]) => deployment.problem(route, call), {
            concurrency: "unbounded"
          })
          // Reads are no business of the audit's.
          assert.deepStrictEqual(yield* state, before)
          assert.strictEqual((yield* deployment.call(SESSION, { key: null, headers: session })).status, 200)
          return [problems, yield* metric("quarterdeck_audit_failures_total")] as const
        })
      )
      for (const [index, problem] of refused.entries()) {
        assert.deepInclude(problem, { status: 503, code: "audit_unavailable" }, calls[index]?.[0])
        assert.isUndefined(problem.reply.headers["set-cookie"])
      }
      assert.isAtLeast(failures ?? 0, calls.length)
      assert.deepStrictEqual(yield* state, before)
      assert.strictEqual((yield* deployment.call(SESSION, { key: null, headers: session })).status, 200)
      yield* deployment.createKey({ name: "made after", rule: { role: "Viewer" } })
    })
  )

  it.effect("makes the service unready meanwhile, of which strangers learn the verdict alone", () =>
    Effect.gen(function* () {
      assert.deepInclude((yield* ready("admin")).checks, { audit: "ok" })
      yield* whileHeld(
        Effect.gen(function* () {
          const told = yield* eventually("it is unready", ready("admin"), ({ code }) => code === 503, WITHIN)
          assert.strictEqual(told.status, "unavailable")
          assert.deepInclude(told.checks, { audit: "unavailable", keyStore: "ok", costStore: "ok" })
          for (const key of ["viewer", "prodAdmin"] as const) {
            const { checks, code, details, status } = yield* ready(key)
            assert.deepStrictEqual([code, status, checks, details], [503, "unavailable", undefined, undefined])
          }
        })
      )
      const after = yield* eventually("it is ready", ready("admin"), ({ code }) => code === 200, WITHIN)
      assert.deepInclude(after.checks, { audit: "ok" })
    })
  )

  it.effect("keeps what was denied meanwhile until it can be written, as the metrics tell", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const denied = 'quarterdeck_audit_events_total{decision="deny"}'
      const before = (yield* metric(denied)) ?? 0
      yield* whileHeld(
        Effect.andThen(
          deployment.call("/api/v1/apiKeys", { key: "viewer" }),
          eventually("it waits", metric("quarterdeck_audit_pending_events"), (waiting) => (waiting ?? 0) > 0, WITHIN)
        )
      )
      yield* eventually("it is written", metric(denied), (count) => (count ?? 0) > before, WITHIN)
      assert.strictEqual(yield* metric("quarterdeck_audit_pending_events"), 0)
      const allowed = 'quarterdeck_audit_events_total{decision="allow"}'
      const written = (yield* metric(allowed)) ?? 0
      yield* deployment.createKey({ name: "counted", rule: { role: "Viewer" } })
      // Before it is done, and with its outcome.
      yield* eventually("both are counted", metric(allowed), (count) => count === written + 2, WITHIN)
      assert.strictEqual(yield* metric("quarterdeck_audit_alarm"), 0)
      const { dataDirectory } = deployment
      assert.strictEqual((yield* AuditVerifier.verify(dataDirectory))._tag, "Whole")
    })
  )
})
