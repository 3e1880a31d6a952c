/** What the audit tells of an action: before it, and with its outcome. */
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at, make, objectOf, prepare, refusedAct } from "./actedOn.ts"
import { type Call, Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList), { onExcessProperty: "error" })

/** Makes a call under an id of its own, and gives what it left: so many events, the oldest first. */
const audited = Effect.fnUntraced(function* (requestId: string, count: number, path: string, call: Call) {
  const deployment = yield* Deployment
  yield* deployment.call(path, { method: "POST", ...call, headers: [["X-Request-Id", requestId]] })
  const events = deployment.call("/api/v1/audit?limit=5000", { key: "admin" }).pipe(
    Effect.flatMap(({ text }) => decode(text)),
    Effect.map((list) => list.events.filter((event) => event.requestId === requestId).toReversed())
  )
  const found = yield* eventually(`${requestId} is in the audit`, events, (some) => some.length >= count)
  return found.map(({ after, before, code, decision, resource, status, target, verb }) => ({
    ...{ code, decision, resource, status, target, verb },
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after })
  }))
})

const about = { asked: "prod", namespaces: ["shop"], object: "Deployment/audited" }
const PATH = "/api/v1/workloads/prod/shop/Deployment/audited/scale"
const operate = { resource: "workloads", verb: "operate" } as const

onOneDriver(
  "the audit of actions",
  { children: ["prod"], prepare: (fleet) => Effect.flatMap(fleet.cluster("prod"), prepare) },
  (it) => {
    it.effect("names the workload before it is changed, and again with the outcome", () =>
      Effect.gen(function* () {
        yield* make("Deployment", "audited")
        const done = yield* audited("scaled", 2, PATH, { key: "operator", body: { replicas: 3 } })
        const allowed = { ...operate, code: undefined, decision: "allow" } as const
        assert.deepStrictEqual(done, [
          { ...allowed, status: 0, target: { ...about, clusters: ["prod"] } },
          {
            ...allowed,
            status: 200,
            target: { ...about, clusters: ["prod"] },
            before: { replicas: 1 },
            after: { replicas: 3 }
          }
        ])
        const stale = yield* audited("stale", 2, PATH, {
          key: "operator",
          body: { replicas: 4, resourceVersion: "1" }
        })
        assert.deepInclude(stale[1], { code: "workload_changed", decision: "allow", status: 409 })
      })
    )

    it.effect("names a key, its role and its scope in the outcome of its creation, and finds it by its name", () =>
      Effect.gen(function* () {
        const { call } = yield* Deployment
        const rule = { role: "Viewer", targetClusters: ["prod"] }
        const [begun, made] = yield* audited("made", 2, "/api/v1/apiKeys", {
          key: "admin",
          body: { name: "found by name", description: "not in the audit", rule }
        })
        assert.isUndefined(begun?.after)
        assert.deepStrictEqual(made?.after, { name: "found by name", role: "Viewer", targetClusters: ["prod"] })
        const { text } = yield* call("/api/v1/audit?object=found%20BY&actor=cfg_", { key: "admin" })
        assert.deepStrictEqual(
          (yield* decode(text)).events.map(({ requestId }) => requestId),
          ["made"]
        )
      })
    )

    it.effect("tells of a refusal once, with the workload that it was for", () =>
      Effect.gen(function* () {
        const refused = yield* audited("refused", 1, PATH, { key: "prodViewer", body: { replicas: 3 } })
        assert.deepStrictEqual(refused, [
          {
            ...operate,
            code: "role_forbidden",
            decision: "deny",
            status: 403,
            target: { ...about, clusters: [] }
          }
        ])
      })
    )

    it.effect("takes a dry run for a read", () =>
      Effect.gen(function* () {
        const path = "/api/v1/workloads/prod/payments/Deployment/audited/scale"
        const call = { key: "shopOperator", body: { replicas: 3, dryRun: true } } as const
        const [tried, ...more] = yield* audited("tried", 1, path, call)
        assert.deepInclude(tried, { verb: "read", status: 403, code: "namespace_forbidden" })
        assert.lengthOf(more, 0)
      })
    )

    it.effect("that cannot be written lets nothing be done", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const path = yield* make("Deployment", "unaudited")
        const held = Effect.acquireRelease(
          Effect.sync(() => {
            const file = new DatabaseSync(join(deployment.dataDirectory, "audit.sqlite"), { timeout: 5_000 })
            file.exec("BEGIN EXCLUSIVE")
            return file
          }),
          (file) => Effect.sync(() => file.close())
        )
        const problem = yield* Effect.scoped(Effect.andThen(held, refusedAct(`${path}/scale`, { replicas: 3 })))
        assert.deepInclude(problem, { status: 503, code: "audit_unavailable" })
        const now = yield* objectOf("Deployment", "unaudited")
        assert.strictEqual(at(now, "spec", "replicas"), 1)
      })
    )

    it.effect("leaves out a text that no name can be, which may be a secret", () =>
      Effect.gen(function* () {
        const path = "/api/v1/workloads/prod/shop/Deployment/qd_Secret/scale"
        const events = yield* audited("secret", 2, path, { key: "operator", body: { replicas: 3 } })
        assert.notInclude(JSON.stringify(events), "qd_Secret")
      })
    )
  }
)
