/**
 * Taking three clusters back between two tests, against doing it through the Kubernetes API.
 */
import { ApiReset, type ClusterDriver, ControlPlane, Embedded, Fleet } from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim } from "../Claim.ts"
import { pairs, timed } from "../Measure.ts"
import type { Extent } from "../Suite.ts"

/** What a test leaves behind, in the whole fleet. */
const OBJECTS = 200

const DRIVERS: ReadonlyArray<{ readonly driver: ClusterDriver.ClusterDriver; readonly goalMs: number }> = [
  { driver: Embedded.driver, goalMs: 50 },
  { driver: ControlPlane.driver, goalMs: 1_000 }
]

/** What a test does: a third each is new, changed and deleted. */
const disturb = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Effect.forEach(
    Array.from({ length: OBJECTS }, (_, at) => at),
    Effect.fnUntraced(function* (at: number) {
      const { api } = fleet.clusters[at % fleet.clusters.length] ?? fleet.parent
      const named = { apiVersion: "v1", kind: "ConfigMap", namespace: "default" }
      switch (at % 3) {
        case 0:
          return yield* Effect.asVoid(api.create({ ...named, metadata: { name: `new-${at}`, namespace: "default" } }))
        case 1:
          return yield* Effect.asVoid(api.patch({ ...named, name: `kept-${at}` }, { data: { key: "changed" } }))
        default:
          return yield* api.delete({ ...named, name: `kept-${at}` })
      }
    }),
    { concurrency: 32, discard: true }
  )
})

const prepared = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Effect.forEach(
    Array.from({ length: OBJECTS }, (_, at) => at).filter((at) => at % 3 !== 0),
    (at) =>
      (fleet.clusters[at % fleet.clusters.length] ?? fleet.parent).api.create({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `kept-${at}`, namespace: "default" },
        data: { key: "value" }
      }),
    { concurrency: 32, discard: true }
  )
  yield* fleet.checkpoint
})

const one = (driver: ClusterDriver.ClusterDriver, times: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["prod", "stage"] })
      yield* prepared(fleet)
      const captured = yield* Effect.forEach(fleet.clusters, ({ api }) => ApiReset.capture(api))
      const byApi = Effect.forEach(
        fleet.clusters,
        ({ api }, at) => {
          const state = captured[at]
          return state === undefined ? Effect.void : ApiReset.restore(api, state)
        },
        { concurrency: "unbounded", discard: true }
      )
      const measured = <E>(reset: Effect.Effect<unknown, E>) =>
        Effect.andThen(
          disturb(fleet),
          Effect.map(timed(reset), ([ms]) => ms)
        )
      return yield* pairs(times, measured(fleet.reset), measured(Effect.andThen(byApi, Effect.void)))
    })
  )

export const resets = Effect.fnUntraced(function* ({ quick }: Extent) {
  const times = quick ? 2 : 5
  return yield* Effect.forEach(DRIVERS, ({ driver, goalMs }) =>
    Effect.gen(function* () {
      yield* Console.error(`resets with the ${driver.name} driver, ${times} times each way`)
      const { ours, peer } = yield* one(driver, times)
      return {
        claim: `reset of ${OBJECTS} objects over three clusters, ${driver.name}`,
        ours: { value: ours, unit: "ms" },
        peer: { name: "through the Kubernetes API", value: peer, unit: "ms" },
        goal: { _tag: "absolute", atMost: goalMs },
        note: `median of ${times}`
      } satisfies Claim
    })
  )
})
