import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as FairLanes from "../../src/cache/FairLanes.ts"
import { settles } from "../fixture/Settling.ts"

/** Waits for a lane and holds it for the life of the scope. */
const enter = (lanes: FairLanes.FairLanes, turn: FairLanes.Turn) =>
  Effect.suspend(() => {
    let admit = () => {}
    const joined = Effect.acquireRelease(
      Effect.sync(() => lanes.join(turn, () => admit())),
      (ticket) => ticket.leave
    )
    return Effect.flatMap(joined, (ticket) =>
      Effect.callback<void>((resume) => {
        admit = () => resume(Effect.void)
        if (ticket.isAdmitted()) admit()
      })
    )
  })

/** Work for lanes: it reports its start and lasts for the given time. */
const watched = (lanes: FairLanes.FairLanes) => {
  const begun: Array<string> = []
  const state = { now: 0, most: 0 }
  const work = (turn: FairLanes.Turn, millis: number) =>
    Effect.gen(function* () {
      yield* enter(lanes, turn)
      begun.push(`${turn.request}/${turn.place}`)
      state.most = Math.max(state.most, ++state.now)
      yield* Effect.ensuring(
        Effect.sleep(millis),
        Effect.sync(() => state.now--)
      )
    }).pipe(Effect.scoped)
  return { begun, state, work }
}

describe("FairLanes", () => {
  it.effect("serves requests in turn, and each request's work in order", () =>
    Effect.gen(function* () {
      const { begun, work } = watched(FairLanes.make(1))
      const turns = [...[0, 3, 1, 2].map((place) => ({ request: 1, place })), { request: 2, place: 0 }]
      yield* Effect.forEach(turns, (turn) => Effect.forkChild(work(turn, 10), { startImmediately: true }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(begun, ["1/0", "1/1", "2/0", "1/2", "1/3"])
    })
  )

  it.effect("has a lane again from a leaver that is interrupted", () =>
    Effect.gen(function* () {
      const lanes = FairLanes.make(1)
      const turn = { request: 1, place: 0 }
      for (let round = 0; round < 3; round++) {
        const ticket = lanes.join(turn, () => {})
        assert.isTrue(ticket.isAdmitted())
        const leaving = yield* Effect.forkChild(ticket.leave, { startImmediately: true })
        yield* Fiber.interrupt(leaving)
        yield* ticket.leave
      }
      assert.isTrue(lanes.join(turn, () => {}).isAdmitted())
    })
  )

  it.effect.prop(
    "never admits more waiters than lanes, and admits every waiter, even if others give up",
    [
      Schema.Array(
        Schema.Struct({
          request: Schema.Literals([1, 2, 3]),
          place: Schema.Literals([0, 1, 2]),
          millis: Schema.Literals([0, 5, 20]),
          patience: Schema.Literals([1, 10, 100_000])
        })
      ),
      Schema.Literals([1, 2, 5])
    ],
    ([all, count]) =>
      Effect.gen(function* () {
        const lanes = FairLanes.make(count)
        const { begun, state, work } = watched(lanes)
        const fibers = yield* Effect.forEach(all, ({ millis, patience, ...turn }) =>
          Effect.forkChild(Effect.timeoutOption(work(turn, millis), patience), { startImmediately: true })
        )
        yield* TestClock.adjust("10 minutes")
        for (const fiber of fibers) yield* Fiber.join(fiber)
        assert.isAtMost(state.most, count)
        assert.isAtLeast(begun.length, all.filter(({ patience }) => patience > 100).length)
        // Every lane is free again.
        const scope = yield* Scope.make()
        for (let lane = 0; lane < count; lane++) yield* Scope.provide(enter(lanes, { request: 9, place: 0 }), scope)
        yield* Scope.close(scope, Exit.void)
      })
  )

  it.effect("admits no waiter whose request ends in the same moment", () =>
    Effect.gen(function* () {
      const { begun, work } = watched(FairLanes.make(1))
      const late = yield* Effect.forEach([0, 1, 2], (place) =>
        Effect.forkChild(work({ request: 1, place }, 60_000), { startImmediately: true })
      )
      yield* Effect.forkChild(work({ request: 2, place: 0 }, 10), { startImmediately: true })
      yield* Fiber.interruptAll(late)
      yield* settles("the other request has its turn", () => begun.length > 1)
      assert.deepStrictEqual(begun, ["1/0", "2/0"])
    })
  )
})
