import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { client, CONFIG_MAPS, createConfigMap, faulty, outcome, type PlainClient } from "./Fixture.ts"

/** A cluster, a client with an open watch, and that watch. */
const watched = Effect.gen(function* () {
  const { cluster, faults } = yield* faulty()
  const through = yield* client(faults)
  yield* createConfigMap(through, "a")
  const watching = yield* through.watch(`${CONFIG_MAPS}?watch=true`)
  yield* eventually("the watch is told", Effect.sync(watching.events), (events) => events.includes("ADDED a"))
  return { cluster, faults, through, watching }
})

const version = (through: PlainClient) => outcome(() => through.ask("/version"))

/** How long it takes, and what comes of it. */
const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const value = yield* effect
    return { value, ms: (yield* Clock.currentTimeMillis) - started }
  })

describe("cut", () => {
  it.live("resets what is open and what comes; healed, all connect again", () =>
    Effect.gen(function* () {
      const { faults, through, watching } = yield* watched
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.cut)
          yield* eventually("the watch is reset", Effect.sync(watching.ended), (ended) => ended === "ECONNRESET")
          assert.strictEqual(yield* version(through), "ECONNRESET")
        })
      )
      assert.strictEqual(yield* version(through), 200)
    }).pipe(Effect.scoped)
  )
})

describe("a black hole", () => {
  it.live("swallows nothing: healed, events and answers that waited come", () =>
    Effect.gen(function* () {
      const { cluster, faults, through, watching } = yield* watched
      const direct = yield* client(cluster)
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.blackHole)
          const before = yield* faults.counters
          yield* createConfigMap(direct, "b")
          const asked = yield* Effect.forkDetach(version(through), { startImmediately: true })
          const fresh = yield* Effect.forkDetach(version(yield* client(faults)), { startImmediately: true })
          yield* eventually(
            "a new connection is accepted",
            faults.counters,
            ({ connectionsAccepted }) => connectionsAccepted > before.connectionsAccepted
          )
          const after = yield* faults.counters
          assert.strictEqual(after.bytesToClient, before.bytesToClient)
          assert.isUndefined(asked.pollUnsafe())
          assert.isUndefined(fresh.pollUnsafe())
          assert.isUndefined(watching.ended())
          return asked
        })
      )
      assert.strictEqual(yield* Fiber.join(waiting), 200)
      yield* eventually("the event comes", Effect.sync(watching.events), (events) => events.includes("ADDED b"))
    }).pipe(Effect.scoped)
  )
})

describe("half-open connections", () => {
  it.live("stay open at the client while the cluster has lost them; healed, they are reset", () =>
    Effect.gen(function* () {
      const { cluster, faults, through, watching } = yield* watched
      const asked = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.halfOpen)
          yield* eventually("the cluster has none", cluster.counters, ({ connectionsOpen }) => connectionsOpen === 0)
          const asked = yield* Effect.forkDetach(version(through), { startImmediately: true })
          const { connectionsOpen } = yield* faults.counters
          assert.isAbove(connectionsOpen, 0)
          assert.isUndefined(watching.ended())
          assert.isUndefined(asked.pollUnsafe())
          return asked
        })
      )
      yield* eventually("the watch is reset", Effect.sync(watching.ended), (ended) => ended === "ECONNRESET")
      // The call lost its connection too, or comes on a new one if it had none yet.
      assert.include([200, "ECONNRESET"], yield* Fiber.join(asked))
      assert.strictEqual(yield* version(through), 200)
    }).pipe(Effect.scoped)
  )
})

describe("latency", () => {
  it.live("delays each direction; two of them add up; healed, what is under way comes at once", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      const through = yield* client(faults, 1)
      yield* version(through)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.latency({ ms: 60 }))
          yield* faults.inject(Fault.latency({ ms: 40, jitterMs: 5 }))
          const { ms, value } = yield* timed(version(through))
          assert.strictEqual(value, 200)
          assert.isAtLeast(ms, 198)
        })
      )
      const stuck = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.latency({ ms: 3_600_000 }))
          const before = yield* faults.counters
          const asked = yield* Effect.forkDetach(version(through), { startImmediately: true })
          assert.strictEqual((yield* faults.counters).bytesToCluster, before.bytesToCluster)
          return asked
        })
      )
      assert.strictEqual(yield* Fiber.join(stuck), 200)
    }).pipe(Effect.scoped)
  )
})

describe("a rate", () => {
  const BODY = 40_000

  const loaded = Effect.gen(function* () {
    const { cluster, faults } = yield* faulty()
    yield* createConfigMap(yield* client(cluster), "large", BODY)
    const through = yield* client(faults, 2)
    yield* Effect.all([version(through), version(through)], { concurrency: "unbounded" })
    return { faults, read: outcome(() => through.ask(CONFIG_MAPS)) }
  })

  it.live("of the whole bandwidth is shared by all connections", () =>
    Effect.gen(function* () {
      const { faults, read } = yield* loaded
      yield* faults.inject(Fault.bandwidth({ bytesPerSecond: 200_000 }))
      const { ms, value } = yield* timed(Effect.all([read, read], { concurrency: "unbounded" }))
      assert.deepStrictEqual(value, [200, 200])
      assert.isAtLeast(ms, (2 * BODY * 1_000) / 200_000 - 20)
    }).pipe(Effect.scoped)
  )

  it.live("of a slow drip is each connection's own, and ends when healed", () =>
    Effect.gen(function* () {
      const { faults, read } = yield* loaded
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.slowDrip({ bytesPerSecond: 200_000 }))
          const { ms, value } = yield* timed(Effect.all([read, read], { concurrency: "unbounded" }))
          assert.deepStrictEqual(value, [200, 200])
          assert.isAtLeast(ms, (BODY * 1_000) / 200_000 - 20)
        })
      )
      const dripping = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.slowDrip({ bytesPerSecond: 20, pieceBytes: 1 }))
          const before = yield* faults.counters
          const asked = yield* Effect.forkDetach(read, { startImmediately: true })
          yield* eventually(
            "it drips",
            faults.counters,
            ({ bytesToClient }) => bytesToClient >= before.bytesToClient + 3
          )
          assert.isBelow((yield* faults.counters).bytesToClient, before.bytesToClient + BODY)
          return asked
        })
      )
      assert.strictEqual(yield* Fiber.join(dripping), 200)
    }).pipe(Effect.scoped)
  )
})
