import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { AuditLog, AuditSettings } from "../../src/audit/AuditLog.ts"
import { AuditStore, AuditStoreError } from "../../src/audit/AuditStore.ts"
import type { AuditFacts } from "../../src/AuditEvent.ts"
import { factsAt } from "./facts.ts"
import { directoryWithKey, passUntil, storeIn } from "./world.ts"

const denial = (index: number, fields: Partial<AuditFacts> = {}) =>
  factsAt(index, { decision: "deny", status: 401, code: "invalid_key", actor: { kind: "anonymous" }, ...fields })

const eventsOf = Effect.flatMap(AuditStore, (store) => store.list({ query: {}, limit: 1_000 })).pipe(
  Effect.map(({ kept }) => kept.map(({ event }) => event).toReversed())
)

/** Runs a test over a store that can be made to fail. */
const withLog = <A, E>(
  body: Effect.Effect<A, E, AuditLog | AuditStore>,
  {
    isBroken = () => false,
    maxBytes = 10 * 1_024 ** 3,
    reads = "denied" as const
  }: { isBroken?: () => boolean; maxBytes?: number; reads?: "denied" | "all" } = {}
) =>
  Effect.flatMap(directoryWithKey, (directory) => {
    const failure = new AuditStoreError({ operation: "append", problem: "the disk is full" })
    const store = Layer.effect(
      AuditStore,
      Effect.map(AuditStore, (inner) =>
        AuditStore.of({
          ...inner,
          append: (events, options) =>
            Effect.suspend(() => (isBroken() ? Effect.fail(failure) : inner.append(events, options)))
        })
      )
    ).pipe(Layer.provideMerge(storeIn(directory)))
    const log = Layer.fresh(AuditLog.layer({ directory })).pipe(
      Layer.provideMerge(store),
      Layer.provide(Layer.succeed(AuditSettings, { reads, retentionDays: 400, maxBytes }))
    )
    return Effect.provide(body, log)
  })

describe("the log of the audit", () => {
  it.effect("chains what is written at the same time", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        const writes = Array.from({ length: 50 }, (_, index) => log.write(factsAt(index)))
        yield* Effect.all(writes, { concurrency: "unbounded" })
        const events = yield* eventsOf
        assert.lengthOf(events, 50)
        const byNumber = events.toSorted((one, other) => Number(one.id) - Number(other.id))
        for (const [index, event] of byNumber.entries()) {
          assert.strictEqual(event.id, String(index + 1))
          assert.strictEqual(event.previousHash, byNumber[index - 1]?.hash ?? "0".repeat(64))
        }
      })
    )
  )

  it.effect("keeps one denial of an address in a minute, and the others as one with their count", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        for (let index = 0; index < 25; index++) yield* log.deny(denial(index))
        yield* log.deny(denial(100, { address: "192.0.2.2" }))
        assert.lengthOf(yield* eventsOf, 2)
        const events = yield* passUntil(eventsOf, (all) => all.length > 2)
        assert.deepStrictEqual(
          events.filter(({ count }) => count !== undefined).map(({ code, count }) => [code, count]),
          [["invalid_key", 24]]
        )
        yield* log.deny(denial(60_000))
        assert.lengthOf(yield* eventsOf, 4)
      })
    )
  )

  it.effect("counts denials beyond half of its size without writing them, and mutations still pass", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        const store = yield* AuditStore
        for (let minute = 0; minute < 200; minute++) yield* log.deny(denial(minute * 60_000))
        const { deniedBytes } = yield* store.usage
        assert.isAbove(deniedBytes, 50_000)
        assert.isBelow(deniedBytes, 52_000)
        const dropped = yield* Metric.snapshot
        const found = dropped.find(
          ({ attributes, id }) => id === "quarterdeck_audit_dropped_events_total" && attributes?.["decision"] === "deny"
        )
        assert.isTrue(found?.type === "Counter" && Number(found.state.count) > 0)
        yield* log.write(factsAt(1))
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
      { maxBytes: 100_000 }
    )
  )

  it.effect("refuses mutations beyond the other half, but writes revocations", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        const writes = Effect.forEach(Array(200).keys(), (index) => log.write(factsAt(index)), { discard: true })
        const refused = yield* Effect.flip(writes)
        assert.isTrue(refused.isFull)
        assert.match(
          refused.problem,
          /^the share of audit\.maxBytes for events other than denials is full: \d+ of 50000 bytes$/
        )
        const refusedDelete = yield* Effect.flip(log.write(factsAt(1, { verb: "delete", requestId: "refused" })))
        assert.isTrue(refusedDelete.isFull)
        const revocation = { isRevocation: true }
        yield* log.write(factsAt(1, { verb: "delete", requestId: "revoked", status: 0 }), revocation)
        yield* log.note(factsAt(1, { verb: "delete", requestId: "revoked", status: 200 }), revocation)
        assert.deepStrictEqual(
          (yield* eventsOf).slice(-2).map(({ requestId, status }) => [requestId, status]),
          [
            ["revoked", 0],
            ["revoked", 200]
          ]
        )
        yield* log.deny(denial(1))
      }),
      { maxBytes: 100_000 }
    )
  )

  it.effect("records no read unless the settings request it", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        yield* log.read(factsAt(1, { verb: "read" }))
        for (let index = 0; index < 25; index++) yield* log.deny(denial(index))
        const events = yield* passUntil(eventsOf, (all) => all.some(({ count }) => count !== undefined))
        assert.isTrue(events.every(({ decision }) => decision === "deny"))
      })
    )
  )

  it.effect("keeps the reads of one key, route, target and minute as one", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        const read = (ms: number, cluster: string) =>
          log.read(factsAt(ms, { verb: "read", status: 200, target: { asked: cluster, clusters: [cluster] } }))
        for (const ms of [1, 2, 3]) yield* read(ms, "prod")
        yield* read(4, "stage")
        assert.lengthOf(yield* eventsOf, 0)
        const reads = yield* passUntil(eventsOf, (all) => all.length > 0)
        assert.deepStrictEqual(
          reads.map(({ count, target }) => [target.asked, count]),
          [
            ["prod", 3],
            ["stage", 1]
          ]
        )
      }),
      { reads: "all" }
    )
  )

  it.effect("says that an event is not there, and keeps what is done already until it is", () => {
    let broken = true
    return withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        assert.strictEqual((yield* Effect.flip(log.write(factsAt(1)))).problem, "the disk is full")
        yield* log.note(factsAt(2))
        yield* log.deny(denial(3))
        assert.lengthOf(yield* eventsOf, 0)
        broken = false
        const events = yield* passUntil(eventsOf, (all) => all.length > 0)
        assert.deepStrictEqual(
          events.map(({ requestId }) => requestId),
          ["r-2", "r-3"]
        )
      }),
      { isBroken: () => broken }
    )
  })

  it.effect("writes what is folded as it stops", () =>
    Effect.gen(function* () {
      const directory = yield* directoryWithKey
      const store = storeIn(directory)
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let index = 0; index < 12; index++) yield* log.deny(denial(index))
      }).pipe(Effect.provide(Layer.fresh(AuditLog.layer({ directory })).pipe(Layer.provide(store))))
      assert.lengthOf(yield* Effect.provide(eventsOf, storeIn(directory)), 2)
    })
  )
})
