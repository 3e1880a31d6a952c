import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AuditLog, AuditSettings } from "../../src/audit/AuditLog.ts"
import { AuditStore, AuditStoreError } from "../../src/audit/AuditStore.ts"
import type { AuditFacts } from "../../src/AuditEvent.ts"
import { factsAt } from "./facts.ts"
import { directoryWithKey, passUntil, storeIn } from "./world.ts"

const denial = (index: number, fields: Partial<AuditFacts> = {}) =>
  factsAt(index, { decision: "deny", status: 401, code: "invalid_key", actor: { kind: "anonymous" }, ...fields })

const eventsOf = Effect.flatMap(AuditStore, (store) => store.list({ query: {}, limit: 1_000 })).pipe(
  Effect.map((kept) => kept.map(({ event }) => event).toReversed())
)

/** Runs over a store that may be made to fail. */
const withLog = <A, E>(
  body: Effect.Effect<A, E, AuditLog | AuditStore>,
  { isBroken = () => false, reads = "denied" as const }: { isBroken?: () => boolean; reads?: "denied" | "all" } = {}
) =>
  Effect.flatMap(directoryWithKey, (directory) => {
    const failure = new AuditStoreError({ operation: "append", problem: "the disk is full" })
    const store = Layer.effect(
      AuditStore,
      Effect.map(AuditStore, (inner) =>
        AuditStore.of({
          ...inner,
          append: (events) => Effect.suspend(() => (isBroken() ? Effect.fail(failure) : inner.append(events)))
        })
      )
    ).pipe(Layer.provideMerge(storeIn(directory)))
    const log = Layer.fresh(AuditLog.layer({ directory })).pipe(
      Layer.provideMerge(store),
      Layer.provide(Layer.succeed(AuditSettings, { reads, retentionDays: 400 }))
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

  it.effect("keeps ten denials of an address in a second, and the others as one with their count", () =>
    withLog(
      Effect.gen(function* () {
        const log = yield* AuditLog
        for (let index = 0; index < 25; index++) yield* log.deny(denial(index))
        yield* log.deny(denial(100, { address: "192.0.2.2" }))
        assert.lengthOf(yield* eventsOf, 11)
        const events = yield* passUntil(eventsOf, (all) => all.length > 11)
        assert.deepStrictEqual(
          events.filter(({ count }) => count !== undefined).map(({ code, count }) => [code, count]),
          [["invalid_key", 15]]
        )
        yield* log.deny(denial(2_000))
        assert.lengthOf(yield* eventsOf, 13)
      })
    )
  )

  it.effect("keeps no read unless it is told to", () =>
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
      assert.lengthOf(yield* Effect.provide(eventsOf, storeIn(directory)), 11)
    })
  )
})
