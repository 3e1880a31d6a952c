import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { type Connect, follow, type Followed, type Loss } from "../src/api/FollowedFeed.ts"

const eventOf = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const gone = (name: string) => eventOf("gone", { id: name, cluster: "hub", kind: "Pod", namespace: "shop", name })

/** What each connection tells, `every` so many milliseconds where it goes on, and how it ends. */
interface Connection {
  readonly text?: string
  readonly every?: number
  readonly loss?: Loss
}

/** Follows over one connection after the other, the last again and again. */
const following = Effect.fnUntraced(function* (...connections: ReadonlyArray<Connection>) {
  const beginnings: Array<number> = []
  const reports: Array<Followed> = []
  const open = yield* Ref.make(0)
  const connect: Connect = (feed, onReceived) =>
    Effect.gen(function* () {
      beginnings.push(yield* Clock.currentTimeMillis)
      const { every, loss, text = "" } = connections[Math.min(beginnings.length, connections.length) - 1] ?? {}
      const take = feed.reader()
      const hear = Effect.map(Clock.currentTimeMillis, (nowMs) => {
        take(text, nowMs)
        onReceived(nowMs)
      })
      if (text !== "") yield* hear
      if (loss !== undefined) return yield* Effect.fail(loss)
      return yield* every === undefined ? Effect.never : Effect.forever(Effect.delay(hear, every))
    }).pipe((connection) =>
      Effect.acquireUseRelease(
        Ref.update(open, (count) => count + 1),
        () => connection,
        () => Ref.update(open, (count) => count - 1)
      )
    )
  yield* Effect.forkScoped(
    follow(connect, (followed) => {
      reports.push(followed)
    })
  )
  return { beginnings, reports, open, states: () => reports.map(({ state }) => state) }
})

const READY = eventOf("ready", {})

describe("a stream that is followed", () => {
  it.effect("is live once every row was told, and shows what comes close to each other together", () =>
    Effect.gen(function* () {
      const { states, reports } = yield* following({ text: `${gone("a")}${gone("b")}${READY}` })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(states(), ["live"])
      assert.strictEqual(reports[0]?.snapshot?.gone.size, 2)
    })
  )

  it.effect("is not live before that", () =>
    Effect.gen(function* () {
      const { states } = yield* following({ text: gone("a") })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(states(), [])
    })
  )

  it.effect("keeps what it told when it is lost, and is not live again before the next connection is whole", () =>
    Effect.gen(function* () {
      const { states, reports } = yield* following(
        { text: `${gone("a")}${READY}` },
        { text: eventOf("reset", {}) + gone("b"), every: 15_000 }
      )
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(states(), ["live", "connecting"])
      assert.deepStrictEqual([...(reports[1]?.snapshot?.gone ?? [])], ["hub/shop/Pod/a/a"])
    })
  )

  it.effect("is opened again when it falls silent, and closes the connection before", () =>
    Effect.gen(function* () {
      const { beginnings, open, states, reports } = yield* following(
        { text: `${gone("a")}${READY}` },
        { text: ":\n\n" }
      )
      yield* TestClock.adjust("44 seconds")
      assert.deepStrictEqual(states(), ["live"])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(states(), ["live", "connecting"])
      assert.strictEqual(reports[1]?.snapshot?.gone.size, 1)
      assert.strictEqual(beginnings.length, 2)
      assert.strictEqual(yield* Ref.get(open), 1)
    })
  )

  it.effect("stays open while the server says anything", () =>
    Effect.gen(function* () {
      const { beginnings } = yield* following({ text: ":\n\n", every: 15_000 })
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(beginnings, [0])
    })
  )

  it.effect("is asked for less and less often while it is lost, and at least four times a minute", () =>
    Effect.gen(function* () {
      const { beginnings } = yield* following({ loss: {} })
      yield* TestClock.adjust("5 minutes")
      const waits = beginnings.slice(1).map((at, before) => at - (beginnings[before] ?? 0))
      for (const [place, wait] of waits.entries()) {
        const most = Math.min(1_000 * 2 ** place, 15_000)
        assert.isTrue(wait >= most / 2 && wait <= most, `${place}: ${wait}`)
      }
      assert.isAtLeast(waits.length, 20)
    })
  )

  it.effect("is not asked for sooner than the server says, and says that it is busy", () =>
    Effect.gen(function* () {
      const { beginnings, states } = yield* following({ loss: { status: 429, retryAfterMs: 20_000 } })
      yield* TestClock.adjust("61 seconds")
      assert.deepStrictEqual(beginnings, [0, 20_000, 40_000, 60_000])
      assert.deepStrictEqual(new Set(states()), new Set(["busy"]))
    })
  )

  it.effect("is not asked for again where the server refuses what is asked", () =>
    Effect.gen(function* () {
      const { beginnings } = yield* following({ loss: { status: 400 } })
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(beginnings, [0])
    })
  )
})
