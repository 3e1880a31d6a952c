/** Many workloads changed by one call: a row for each, once for each `Idempotency-Key`. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import type { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { at } from "./actedOn.ts"
import {
  ask,
  bulk,
  clusterOf,
  fill,
  make,
  objectOf,
  once,
  refused,
  replicasOf,
  restartedAtOf,
  sent,
  versionOf
} from "./bulkCalls.ts"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decodeEvents = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))
const WITHIN = { within: "20 seconds" } as const

onOneDriver("many workloads at once", { faults: true, prepare: fill }, (it) => {
  it.effect("a dry run tells what would be of each and changes none; then each is changed, in the order asked", () =>
    Effect.gen(function* () {
      const targets = [
        yield* make("stage", "wide-c"),
        yield* make("hub", "wide-a"),
        yield* make("prod", "wide-b"),
        yield* make("prod", "wide-d", { namespace: "payments" })
      ]
      const before = yield* Effect.forEach(targets, objectOf)
      const tried = yield* bulk({ action: "scale", replicas: 4, targets, dryRun: true })
      assert.deepStrictEqual(
        tried.outcomes.map(({ resourceVersion, ...row }) => [row, resourceVersion]),
        targets.map((target, index) => [{ ...target, status: "dryRun" }, versionOf(before[index])])
      )
      assert.isFalse(tried.partial)
      assert.deepStrictEqual(yield* Effect.forEach(targets, objectOf), before)

      const done = yield* bulk({ action: "scale", replicas: 4, targets })
      const after = yield* Effect.forEach(targets, objectOf)
      assert.deepStrictEqual(
        done.outcomes.map(({ resourceVersion, ...row }) => [row, resourceVersion]),
        targets.map((target, index) => [{ ...target, status: "applied" }, versionOf(after[index])])
      )
      assert.deepStrictEqual(after.map(replicasOf), [4, 4, 4, 4])
    })
  )

  it.effect("a selector finds them in the addressed clusters, as far as the key reaches", () =>
    Effect.gen(function* () {
      const labels = { part: "selected" }
      const found = [
        yield* make("hub", "sel-a", { labels }),
        yield* make("prod", "sel-b", { labels }),
        yield* make("prod", "sel-c", { labels, namespace: "payments" })
      ]
      yield* make("stage", "sel-d", { labels })
      yield* make("hub", "sel-e")
      const body = { action: "restart", labelSelector: "part=selected", dryRun: true }
      const names = (result: BulkActionResult) => result.outcomes.map(({ cluster, name }) => `${cluster}/${name}`)
      assert.deepStrictEqual(names(yield* bulk(body)), ["hub/sel-a"])
      assert.deepStrictEqual(names(yield* bulk({ ...body, multiCluster: true, clusters: ["prod", "hub"] })), [
        "hub/sel-a",
        "prod/sel-c",
        "prod/sel-b"
      ])
      assert.deepStrictEqual(names(yield* bulk(body, { headers: to("prod") })), ["prod/sel-c", "prod/sel-b"])
      assert.deepStrictEqual(names(yield* bulk(body, { headers: to("*"), key: "shopOperator" })), [
        "hub/sel-a",
        "prod/sel-b",
        "stage/sel-d"
      ])
      const { dryRun: _, ...real } = body
      yield* bulk({ ...real, multiCluster: true, clusters: ["hub", "prod"] })
      for (const target of found) assert.isString(restartedAtOf(yield* objectOf(target)))
    })
  )

  it.effect("what a kind cannot and what is not there are rows, beside those that are done", () =>
    Effect.gen(function* () {
      const fine = yield* make("prod", "mixed")
      const set = yield* make("prod", "mixed", { kind: "DaemonSet" })
      const missing = { ...fine, name: "not-there" }
      const { outcomes, partial } = yield* bulk({ action: "scale", replicas: 2, targets: [set, missing, fine] })
      assert.deepStrictEqual(
        outcomes.map(({ code, kind, name, status }) => [kind, name, status, code]),
        [
          ["DaemonSet", "mixed", "refused", "action_unsupported"],
          ["Deployment", "not-there", "refused", "workload_not_found"],
          ["Deployment", "mixed", "applied", undefined]
        ]
      )
      assert.isFalse(partial)
    })
  )

  it.effect("a cluster that does not answer fails its rows, and is not waited for by the others", () =>
    Effect.gen(function* () {
      const deadA = yield* make("stage", "dead-a")
      const deadB = yield* make("stage", "dead-b")
      const alive = yield* make("prod", "alive")
      const stage = yield* clusterOf("stage")
      const { outcomes, partial } = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* stage.inject(Fault.cut)
          return yield* bulk({ action: "scale", replicas: 3, targets: [deadA, alive, deadB] })
        })
      )
      assert.isTrue(partial)
      assert.deepStrictEqual(
        outcomes.map(({ code, name, status }) => [name, status, code]),
        [
          ["dead-a", "failed", "cluster_unreachable"],
          ["alive", "applied", undefined],
          ["dead-b", "failed", "cluster_unreachable"]
        ]
      )
      for (const target of [deadA, deadB]) assert.strictEqual(replicasOf(yield* objectOf(target)), 1)
    })
  )

  it.effect.each<[KeyName, cluster: string, namespace: string, status: number, code: Code]>([
    ["viewer", "prod", "shop", 403, "role_forbidden"],
    ["shopOperator", "prod", "payments", 403, "namespace_forbidden"],
    ["teamOperator", "prod", "payments", 403, "namespace_forbidden"],
    ["prodOperator", "hub", "shop", 403, "cluster_forbidden"],
    ["operator", "nowhere", "shop", 404, "cluster_not_found"]
  ])(
    "%s with one target in %s, %s is refused as a whole, and nothing is sent",
    ([key, cluster, namespace, status, code]) =>
      Effect.gen(function* () {
        const before = yield* sent
        const target = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "any" }
        const problem = yield* refused(
          { action: "restart", targets: [target, { ...target, cluster, namespace }] },
          { key }
        )
        assert.deepInclude(problem, { status, code })
        assert.notProperty(problem, "outcomes")
        assert.strictEqual(yield* sent, before)
      })
  )

  const web = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "web" }
  it.effect.each<[string, unknown, string]>([
    ["no target", { action: "restart", targets: [] }, "targets"],
    [
      "501 targets",
      { action: "restart", targets: Array.from({ length: 501 }, (_, at) => ({ ...web, name: `w-${at}` })) },
      "targets"
    ],
    ["one twice", { action: "restart", targets: [web, web] }, "targets[1]"],
    ["neither targets nor selector", { action: "restart" }, "targets"],
    ["a selector of everything", { action: "restart", labelSelector: " " }, "labelSelector"],
    ["a wrong selector", { action: "restart", labelSelector: "a===b" }, "labelSelector"],
    ["targets and selector", { action: "restart", targets: [web], labelSelector: "a=b" }, "labelSelector"],
    ["targets and clusters", { action: "restart", targets: [web], clusters: ["prod"] }, "clusters"],
    ["scale without replicas", { action: "scale", targets: [web] }, "replicas"],
    ["restart with replicas", { action: "restart", replicas: 1, targets: [web] }, "replicas"],
    ["too many replicas", { action: "scale", replicas: 10_001, targets: [web] }, "replicas"],
    ["an unknown action", { action: "delete", targets: [web] }, "action"],
    ["a name with a path in it", { action: "restart", targets: [{ ...web, name: "web/status" }] }, "targets[0].name"],
    ["a name that leads elsewhere", { action: "restart", targets: [{ ...web, name: ".." }] }, "targets[0].name"],
    ["an unknown field", { action: "restart", targets: [{ ...web, uid: "1" }] }, "targets[0].uid"]
  ])("400 for %s", ([, body, field]) =>
    Effect.gen(function* () {
      const before = yield* sent
      assert.deepInclude(yield* refused(body), { status: 400, code: "invalid_body", field })
      assert.strictEqual(yield* sent, before)
    })
  )

  it.effect("the same Idempotency-Key is answered alike and does nothing more; another body under it is 422", () =>
    Effect.gen(function* () {
      const target = yield* make("prod", "once")
      const body = { action: "restart", targets: [target] }
      const first = yield* ask(body, once("release-1"))
      assert.strictEqual(first.status, 200, first.text)
      const after = yield* objectOf(target)
      const second = yield* ask(body, once("release-1"))
      assert.deepStrictEqual([second.status, second.text], [200, first.text])
      assert.deepStrictEqual(yield* objectOf(target), after)
      assert.deepInclude(yield* refused({ ...body, action: "pause" }, once("release-1")), {
        status: 422,
        code: "idempotency_mismatch",
        field: "Idempotency-Key"
      })
      assert.deepStrictEqual(yield* objectOf(target), after)
      // Each caller has its own.
      const other = yield* bulk(body, { ...once("release-1"), key: "admin" })
      assert.strictEqual(other.outcomes[0]?.status, "applied")
      assert.notStrictEqual(restartedAtOf(yield* objectOf(target)), undefined)
    })
  )

  it.effect("of several at once under one key, one is done", () =>
    Effect.gen(function* () {
      const target = yield* make("prod", "at-once")
      const body = { action: "scale", replicas: 5, targets: [target] }
      const before = Number(at(yield* objectOf(target), "metadata", "generation"))
      const replies = yield* Effect.forEach([1, 2, 3, 4], () => ask(body, once("at-once")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(replies.map(({ text }) => text)).size, 1)
      assert.strictEqual(Number(at(yield* objectOf(target), "metadata", "generation")), before + 1)
    })
  )

  it.effect("the audit has two events of it: what was asked before it is done, and its outcome", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const targets = [yield* make("prod", "audited-a"), yield* make("hub", "audited-b")]
      const { headers } = yield* ask({ action: "pause", targets })
      const requestId = String(headers["x-request-id"])
      const events = Effect.flatMap(
        deployment.call("/api/v1/audit?verb=operate&limit=50", { key: "admin" }),
        ({ text }) =>
          Effect.map(decodeEvents(text), (kept) => kept.events.filter((event) => event.requestId === requestId))
      )
      const [outcome, begun] = yield* eventually("both are kept", events, (found) => found.length === 2, WITHIN)
      assert.strictEqual(at(begun, "status"), 0)
      assert.strictEqual(at(outcome, "status"), 200)
      for (const event of [begun, outcome]) {
        assert.strictEqual(at(event, "target", "object"), "pause: 2 workloads")
        assert.deepStrictEqual(at(event, "target", "namespaces"), ["shop"])
        assert.deepStrictEqual(at(event, "target", "clusters"), ["prod", "hub"])
      }
    })
  )

  it.effect("by label, both events name what was found, so that a scoped Admin sees them", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* make("prod", "labelled-a", { labels: { part: "labelled" } })
      yield* make("prod", "labelled-b", { labels: { part: "labelled" } })
      const body = { action: "pause", labelSelector: "part=labelled", multiCluster: true, clusters: ["prod"] }
      const { headers } = yield* ask(body)
      const requestId = String(headers["x-request-id"])
      for (const key of ["prodAdmin", "shopAdmin"] as const) {
        const events = Effect.flatMap(deployment.call("/api/v1/audit?verb=operate&limit=50", { key }), ({ text }) =>
          Effect.map(decodeEvents(text), (kept) => kept.events.filter((event) => event.requestId === requestId))
        )
        const found = yield* eventually("both are seen", events, ({ length }) => length === 2, WITHIN)
        assert.deepStrictEqual(
          found.map((event) => [at(event, "status"), at(event, "target")]),
          [200, 0].map((status) => [
            status,
            { asked: "prod", clusters: ["prod"], namespaces: ["shop"], object: "pause: 2 workloads" }
          ])
        )
      }
    })
  )
})
