/** Many workloads changed by one call: what else happens while it goes on, or between two of them. */
import { assert } from "@effect/vitest"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect, Fiber } from "effect"
import { bulk, clusterOf, fill, make, objectOf, once, refused, restartedAtOf, sent } from "./bulkCalls.ts"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

onOneDriver("many workloads that take their time", { faults: true, prepare: fill }, (it) => {
  it.effect(
    "clusters that take their time for changes are read meanwhile, by keys whose labels must be proven too",
    () =>
      Effect.gen(function* () {
        const { workloads } = yield* Deployment
        const targets = yield* Effect.forEach(Array.from({ length: 12 }).keys(), (at) => make("prod", `slow-${at}`))
        const prod = yield* clusterOf("prod")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* prod.inject(Fault.slowReply({ match: { verbs: ["patch"] }, bodyAfterMs: 3_000 }))
            const changing = yield* Effect.forkChild(bulk({ action: "restart", targets }))
            yield* eventually("changes are under way", sent, (count) => count >= 4)
            for (const key of ["viewer", "teamViewer"] as const) {
              const list = yield* workloads("?consistency=live&name=slow-&timeoutMs=2000", { key, headers: to("prod") })
              assert.deepStrictEqual([list.partial, list.workloads.length], [false, 12])
            }
            assert.isUndefined(changing.pollUnsafe())
            assert.isTrue((yield* Fiber.join(changing)).outcomes.every(({ status }) => status === "applied"))
          })
        )
      })
  )

  it.effect("a key that is revoked in the middle changes nothing more", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const targets = yield* Effect.forEach(Array.from({ length: 12 }).keys(), (at) => make("prod", `ends-${at}`))
      const { apiKey, raw } = yield* createKey({ name: "ends", rule: { role: "Operator" } })
      const prod = yield* clusterOf("prod")
      const before = yield* sent
      const { outcomes } = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* prod.inject(Fault.slowReply({ match: { verbs: ["patch"] }, bodyAfterMs: 1_000 }))
          const changing = yield* Effect.forkChild(bulk({ action: "restart", targets }, { bearer: raw }))
          yield* eventually("changes are under way", sent, (count) => count > before)
          const revoked = yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
          assert.isBelow(revoked.status, 300)
          return yield* Fiber.join(changing)
        })
      )
      const left = outcomes.filter(({ code }) => code === "key_revoked")
      assert.isAtLeast(left.length, 4)
      assert.isTrue(left.every(({ status }) => status === "refused"))
      for (const { name } of left) {
        assert.isUndefined(
          restartedAtOf(yield* objectOf({ cluster: "prod", namespace: "shop", kind: "Deployment", name }))
        )
      }
    })
  )

  it.effect("a key that was narrowed is not told what labels selected before", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const labels = { part: "narrowed" }
      yield* make("prod", "told", { labels })
      yield* make("prod", "hidden", { labels, namespace: "payments" })
      const { apiKey, raw } = yield* createKey({ name: "narrowed", rule: { role: "Operator" } })
      const body = { action: "restart", labelSelector: "part=narrowed", multiCluster: true, clusters: ["prod"] }
      const asking: Call = { ...once("narrowed"), bearer: raw }
      assert.lengthOf((yield* bulk(body, asking)).outcomes, 2)
      assert.lengthOf((yield* bulk(body, asking)).outcomes, 2)
      const rule = { role: "Operator", targetNamespaces: [{ namespaceNames: ["shop"] }] }
      const path = `/api/v1/apiKeys/${apiKey.id}`
      assert.strictEqual((yield* call(path, { method: "PATCH", key: "admin", body: { rule } })).status, 200)
      assert.deepInclude(yield* refused(body, asking), { status: 422, code: "idempotency_mismatch" })
      const names = (yield* bulk(body, { ...once("anew"), bearer: raw })).outcomes.map(({ name }) => name)
      assert.deepStrictEqual(names, ["told"])
    })
  )
})
