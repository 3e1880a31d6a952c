/** The progress of many actions, as server-sent events: each outcome as it is known, then how many there are of each. */
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually, Fault, type Fleet } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { Sse } from "effect/encoding"
import { at, prepare, workloadOf } from "./actedOn.ts"
import { type Call, Deployment, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const PATH = "/api/v1/workloads/actions"
const EVENTS = ["Accept", "text/event-stream"] as const
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))
const decodeAudit = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))

const ask = (body: unknown, call: Call = {}) =>
  Effect.flatMap(Deployment, (deployment) =>
    deployment.call(PATH, { method: "POST", key: "operator", body, headers: [EVENTS], ...call })
  )

/** What a text tells, event by event. */
const eventsOf = (text: string) => {
  const events: Array<readonly [string, unknown]> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") events.push([event.event, decode(event.data)])
  })
  parser.feed(text)
  return events
}

const make = Effect.fnUntraced(function* (cluster: string, name: string) {
  const { api } = yield* (yield* Deployment).fleet.cluster(cluster)
  yield* api.create(workloadOf("Deployment", name, "shop", {}))
  return { cluster, namespace: "shop", kind: "Deployment", name }
})

const generationOf = Effect.fnUntraced(function* ({
  cluster,
  name,
  namespace
}: Effect.Success<ReturnType<typeof make>>) {
  const { api } = yield* (yield* Deployment).fleet.cluster(cluster)
  return at(yield* api.get({ apiVersion: "apps/v1", kind: "Deployment", name, namespace }), "metadata", "generation")
})

const auditOf = (requestId: string) =>
  Effect.gen(function* () {
    const { text } = yield* (yield* Deployment).call("/api/v1/audit?verb=operate&limit=50", { key: "admin" })
    const { events } = yield* decodeAudit(text)
    return events.filter((event) => event.requestId === requestId).map(({ status }) => status)
  })

const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, prepare, { discard: true })

onOneDriver("the progress of many actions", { faults: true, prepare: fill }, (it) => {
  it.effect(
    "tells each outcome and then how many there are, also of a cluster that does not answer; audited as ever",
    () =>
      Effect.gen(function* () {
        const alive = yield* make("prod", "told-alive")
        const dead = yield* make("stage", "told-dead")
        const missing = { ...alive, name: "told-missing" }
        const stage = yield* (yield* Deployment).fleet.cluster("stage")
        const reply = yield* Effect.scoped(
          Effect.andThen(
            stage.inject(Fault.cut),
            ask({ action: "scale", replicas: 2, targets: [dead, alive, missing] })
          )
        )
        assert.strictEqual(reply.status, 200, reply.text)
        assert.strictEqual(reply.headers["content-type"], "text/event-stream")
        const events = eventsOf(reply.text)
        assert.deepStrictEqual(events.at(-1), ["end", { partial: true, applied: 1, dryRun: 0, refused: 1, failed: 1 }])
        const outcomes = events.slice(0, -1)
        assert.deepStrictEqual(new Set(outcomes.map(([name]) => name)), new Set(["outcome"]))
        assert.deepStrictEqual(
          new Map(outcomes.map(([, row]) => [at(row, "name"), at(row, "status")])),
          new Map([
            ["told-dead", "failed"],
            ["told-alive", "applied"],
            ["told-missing", "refused"]
          ])
        )
        const requestId = String(reply.headers["x-request-id"])
        const kept = yield* eventually("both events are kept", auditOf(requestId), ({ length }) => length === 2, {
          within: "20 seconds"
        })
        assert.deepStrictEqual(kept, [200, 0])
      })
  )

  it.effect("an outcome comes while another cluster is waited for, and a caller that leaves then stops nothing", () =>
    Effect.gen(function* () {
      const quick = yield* make("prod", "told-quick")
      const slow = yield* make("stage", "told-slow")
      const deployment = yield* Deployment
      const before = yield* generationOf(slow)
      const stage = yield* deployment.fleet.cluster("stage")
      const requestId = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* stage.inject(Fault.latency({ ms: 400 }))
          const response = yield* Effect.acquireRelease(
            Effect.promise((signal) =>
              fetch(`${deployment.url}${PATH}`, {
                method: "POST",
                signal,
                headers: {
                  authorization: `Bearer ${rawKey("operator")}`,
                  accept: "text/event-stream",
                  "content-type": "application/json"
                },
                body: JSON.stringify({ action: "scale", replicas: 6, targets: [slow, quick] })
              })
            ),
            ({ body }) => (body === null || body.locked ? Effect.void : Effect.promise(() => body.cancel()))
          )
          const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
          const first = yield* Effect.promise(async () => reader?.read())
          const events = eventsOf(first?.value ?? "")
          assert.deepStrictEqual(
            events.map(([name, row]) => [name, at(row, "name"), at(row, "status")]),
            [["outcome", "told-quick", "applied"]]
          )
          assert.strictEqual(yield* generationOf(slow), before)
          yield* Effect.promise(async () => reader?.cancel())
          const id = String(response.headers.get("x-request-id"))
          yield* eventually("its outcome is kept", auditOf(id), ({ length }) => length === 2, { within: "20 seconds" })
          return id
        })
      )
      assert.deepStrictEqual(yield* auditOf(requestId), [200, 0])
      assert.strictEqual(yield* generationOf(slow), Number(before) + 1)
    })
  )

  it.effect("a repeated Idempotency-Key sends the same outcomes, to either form, and does nothing more", () =>
    Effect.gen(function* () {
      const target = yield* make("prod", "told-once")
      const body = { action: "restart", targets: [target] }
      const key = ["Idempotency-Key", "told-1"] as const
      const first = eventsOf((yield* ask(body, { headers: [EVENTS, key] })).text)
      assert.strictEqual(at(first[0]?.[1], "status"), "applied")
      const generation = yield* generationOf(target)
      assert.deepStrictEqual(eventsOf((yield* ask(body, { headers: [EVENTS, key] })).text), first)
      const { text } = yield* ask(body, { headers: [key] })
      assert.deepStrictEqual(decode(text), { outcomes: [first[0]?.[1]], partial: false })
      assert.strictEqual(yield* generationOf(target), generation)
      const other = yield* ask({ ...body, action: "pause" }, { headers: [EVENTS, key] })
      assert.deepStrictEqual([other.status, at(decode(other.text), "code")], [422, "idempotency_mismatch"])
    })
  )

  it.effect("what refuses the whole call is a problem, and nothing is told", () =>
    Effect.gen(function* () {
      const targets = [{ cluster: "prod", namespace: "payments", kind: "Deployment", name: "any" }]
      const refused = yield* ask({ action: "restart", targets }, { key: "shopOperator" })
      assert.deepStrictEqual([refused.status, at(decode(refused.text), "code")], [403, "namespace_forbidden"])
    })
  )
})
