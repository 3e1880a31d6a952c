import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { LiveLimits } from "../../src/cache/LiveLists.ts"
import { Namespaces } from "../../src/list/Namespaces.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { deployment } from "../fixture/KubeObjects.ts"
import { all, list, onFleet, pageOf, timed, workloadsOf } from "../fixture/Service.ts"

const NAMES = Array.from({ length: 12 }, (_, index) => `c${index}`)

const LIMITS = { asked: 4, lanes: 16, quietMs: 100, stallMs: 500, stalled: 16 }

const fill = (fleet: FakeFleet) => {
  for (const server of fleet.servers.values()) {
    server.put("Deployment", deployment("web"))
    server.duringList = Effect.sleep("100 millis")
  }
}

const live = (timeoutMs: number, ...names: ReadonlyArray<string>) =>
  workloadsOf(all(...names), { page: { consistency: "live", timeoutMs } })

/** Notes how many lists arrive at the same time, until interrupted. */
const mostArriving = (fleet: FakeFleet) => {
  const seen = { most: 0 }
  const servers = [...fleet.servers.values()]
  for (const server of servers) {
    server.duringList = Effect.andThen(
      Effect.sync(() => {
        seen.most = Math.max(
          seen.most,
          servers.reduce((sum, { arriving }) => sum + arriving, 0)
        )
      }),
      server.duringList
    )
  }
  return seen
}

describe("LiveLists", () => {
  it.effect("takes in so many lists at a time, whatever is asked of how many clusters", () =>
    onFleet(NAMES, fill, (fleet) =>
      Effect.gen(function* () {
        const seen = mostArriving(fleet)
        const { clusters, items } = yield* timed(list(live(30_000, ...NAMES)))
        assert.isTrue(clusters.every(({ status }) => status === "ok"))
        assert.strictEqual(items.length, NAMES.length)
        assert.strictEqual(seen.most, 5)
      })
    ).pipe(Effect.provideService(LiveLimits, { ...LIMITS, lanes: 5 }))
  )

  it.effect("answers for the clusters that it came to by the deadline, and a small question beside a large one", () =>
    onFleet(NAMES, fill, () =>
      Effect.gen(function* () {
        const large = yield* Effect.forkChild(list(live(2_000, ...NAMES)), { startImmediately: true })
        const small = yield* timed(list(live(2_000, "c11")))
        assert.strictEqual(small.clusters[0]?.status, "ok")
        const { clusters } = yield* timed(Fiber.join(large))
        const statuses = clusters.map(({ status }) => status)
        const answered = statuses.indexOf("timeout")
        assert.isAtLeast(answered, 3)
        assert.isBelow(answered, NAMES.length - 1)
        // In the order asked, but for the last, which had been read for the small question.
        assert.isTrue(statuses.slice(answered, -1).every((status) => status === "timeout"))
        assert.strictEqual(statuses.at(-1), "ok")
      })
    ).pipe(Effect.provideService(LiveLimits, { ...LIMITS, lanes: 2 }))
  )

  it.effect("is held up by no cluster that does not answer", () =>
    onFleet(NAMES, fill, (fleet) =>
      Effect.gen(function* () {
        const hanging = NAMES.slice(0, 4)
        for (const name of hanging) fleet.server(name).trouble = "hanging"
        const { clusters } = yield* timed(list(live(3_000, ...hanging, "c11")))
        assert.strictEqual(clusters.at(-1)?.status, "ok")
      })
    ).pipe(Effect.provideService(LiveLimits, { ...LIMITS, lanes: 2 }))
  )

  it.effect("is held up by no cluster that stops in the middle of its answer, and has it when it goes on", () =>
    onFleet(NAMES, fill, (fleet) =>
      Effect.gen(function* () {
        const stalling = NAMES.slice(0, 4)
        for (const name of stalling) fleet.server(name).midList = Effect.sleep("5 seconds")
        const seen = mostArriving(fleet)
        const all = yield* Effect.forkChild(list(live(20_000, ...stalling)), { startImmediately: true })
        const other = yield* timed(list(live(3_000, "c11")))
        assert.strictEqual(other.clusters[0]?.status, "ok")
        const { clusters } = yield* timed(Fiber.join(all))
        assert.deepStrictEqual(
          clusters.map(({ status }) => status),
          stalling.map(() => "ok")
        )
        assert.isAtMost(seen.most, 2)
      })
    ).pipe(Effect.provideService(LiveLimits, { ...LIMITS, lanes: 2 }))
  )

  it.effect("keeps so many answers that stopped in the middle, and ends the one that stopped first as timeout", () =>
    onFleet(NAMES, fill, (fleet) =>
      Effect.gen(function* () {
        for (const name of NAMES) fleet.server(name).midList = Effect.sleep("20 seconds")
        const namespaces = yield* Namespaces
        const { clusters } = yield* timed(
          namespaces.list({
            target: all(...NAMES),
            namespaces: everyNamespace,
            filter: {},
            page: pageOf("name", { consistency: "live", timeoutMs: 29_000 }),
            cursorBinding: "key-1"
          })
        )
        const statuses = clusters.map(({ status }) => status)
        assert.deepStrictEqual(statuses, [...Array<string>(NAMES.length - 3).fill("timeout"), "ok", "ok", "ok"])
      })
    ).pipe(Effect.provideService(LiveLimits, { ...LIMITS, stalled: 3 }))
  )
})
