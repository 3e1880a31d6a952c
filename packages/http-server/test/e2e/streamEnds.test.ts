/** How streams end: with their key, with the service, when too many are open, and when nobody reads them. */
import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, rawKey } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { slowReaders } from "./slowReaders.ts"
import { open, openReady, until, workloads } from "./StreamReader.ts"

const WATCH = "/api/v1/workloads/watch"

onOneDriver("streams that end", { children: ["prod"], faults: true }, (it) => {
  it.effect("with a key that is revoked, within 5 s", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "leaving", rule: { role: "Viewer" } })
      const reader = yield* openReady(workloads, WATCH, { bearer: raw })
      yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
      yield* until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
      assert.strictEqual(reader.endCode, "key_revoked")
      assert.strictEqual(reader.names.at(-1), "end")
    }).pipe(Effect.scoped)
  )

  it.effect("with a key that is narrowed, within 5 s", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const { apiKey, raw } = yield* createKey({ name: "narrowing", rule: { role: "Viewer" } })
      const reader = yield* openReady(workloads, WATCH, { bearer: raw })
      const rule = { role: "Viewer", targetNamespaces: [{ namespaceNames: ["shop"] }] }
      yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "PATCH", key: "admin", body: { rule } })
      yield* until("the end", reader, ({ isClosed }) => isClosed, "5 seconds")
      assert.strictEqual(reader.endCode, "key_narrowed")
      const again = yield* openReady(workloads, WATCH, { bearer: raw, lastEventId: reader.lastId ?? "" })
      assert.include(again.names, "reset")
    }).pipe(Effect.scoped)
  )

  it.effect("with a key that expires, within 5 s", () =>
    Effect.gen(function* () {
      const { createKey } = yield* Deployment
      const expire = new Date(Date.now() + 3_000).toISOString()
      const { raw } = yield* createKey({ name: "expiring", rule: { role: "Viewer" }, expire })
      const reader = yield* openReady(workloads, WATCH, { bearer: raw })
      yield* until("the end", reader, ({ isClosed }) => isClosed, "8 seconds")
      assert.strictEqual(reader.endCode, "key_expired")
    }).pipe(Effect.scoped)
  )

  it.effect("a sixth stream of a key is refused until one of the five ends", () =>
    Effect.gen(function* () {
      const { call, problem } = yield* Deployment
      const streams = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
        openReady(workloads, WATCH, { key: "prodViewer", target: "prod" })
      )
      const refused = yield* problem(WATCH, { key: "prodViewer", headers: [["X-Service-Cluster", "prod"]] })
      assert.deepInclude(refused, { status: 429, code: "too_many_streams" })
      assert.match(String(refused.reply.headers["retry-after"]), /^[1-9][0-9]*$/)
      const other = yield* open(workloads, WATCH, { key: "childrenViewer", target: "prod" })
      assert.strictEqual(other.status, 200)
      streams[0]?.close()
      yield* eventually(
        "there is room again",
        Effect.scoped(open(workloads, WATCH, { key: "prodViewer", target: "prod" })),
        ({ status }) => status === 200,
        { within: "5 seconds" }
      )
      assert.strictEqual((yield* call("/api/v1/whoami", { bearer: rawKey("prodViewer") })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("a reader that takes nothing of more than 1 MiB is cut, and the others are told all", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      const names = Array.from({ length: 60 }, (_, index) => `wide-${index}`)
      yield* Effect.forEach(names, (name) => api.create(deploymentNamed(name)), { concurrency: 8, discard: true })
      const reading = { target: "prod", key: "operator" } as const
      const slow = yield* openReady(workloads, WATCH, reading)
      const fast = yield* openReady(workloads, WATCH, reading)
      slow.pause()
      const before = yield* slowReaders
      /** Rows of some 16 kB, so that the buffers of the system are soon full. */
      const labelsOf = (round: number) =>
        Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`label-${index}`, `${"x".repeat(50)}-${round}`]))
      let round = 0
      yield* eventually(
        "the slow reader is cut",
        Effect.gen(function* () {
          round++
          const metadata = { labels: labelsOf(round) }
          const change = (name: string) =>
            api.patch({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name }, { metadata })
          yield* Effect.forEach(names, change, { concurrency: 8, discard: true })
          return yield* slowReaders
        }),
        (count) => count === before + 1,
        { within: "60 seconds", every: "1 millis" }
      )
      yield* until("the last change", fast, ({ rows }) =>
        [...rows.values()].every(
          ({ labels, name }) => !name.startsWith("wide") || labels["label-0"]?.endsWith(`-${round}`) === true
        )
      )
      assert.isFalse(fast.isClosed)
      slow.resume()
      yield* until("the slow reader sees that it was cut", slow, ({ isClosed }) => isClosed)
      assert.isUndefined(slow.endCode)
    }).pipe(Effect.scoped)
  )

  it.effect("a cluster that dies shows in its coverage within 3 s, and its rows stay", () =>
    Effect.gen(function* () {
      const prod = yield* (yield* Deployment).fleet.cluster("prod")
      yield* prod.api.create(deploymentNamed("staying"))
      const reader = yield* openReady(workloads, WATCH, { target: "prod", key: "admin" })
      assert.strictEqual(reader.coverage.get("prod")?.status, "ok")
      yield* prod.kill
      yield* until("the coverage", reader, ({ coverage }) => coverage.get("prod")?.status === "stale", "3 seconds")
      assert.isTrue([...reader.rows.values()].some(({ name }) => name === "staying"))
      assert.isEmpty(reader.gone)
      yield* prod.restart
      yield* until("it is well again", reader, ({ coverage }) => coverage.get("prod")?.status === "ok", "20 seconds")
      yield* prod.api.create(deploymentNamed("after"))
      yield* until("what came after", reader, ({ rows }) => [...rows.values()].some(({ name }) => name === "after"))
    }).pipe(Effect.scoped)
  )
})
