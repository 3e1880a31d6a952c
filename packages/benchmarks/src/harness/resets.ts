/**
 * Resetting three clusters between two tests, compared with a reset through the Kubernetes API.
 */
import {
  type ApiError,
  ApiReset,
  type ClusterDriver,
  ControlPlane,
  Embedded,
  Fleet,
  type HarnessError
} from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import { pairs, timed, type Turns } from "../claim/Measure.ts"
import type { Extent, Part } from "../claim/Suite.ts"
import * as FleetState from "./fleetState.ts"
import { lackOf } from "./lack.ts"

/** Number of objects that a test changes, in the whole fleet. */
const OBJECTS = 200

const DRIVERS: ReadonlyArray<{ readonly driver: ClusterDriver.ClusterDriver; readonly goalMs: number }> = [
  { driver: Embedded.driver, goalMs: 50 },
  { driver: ControlPlane.driver, goalMs: 1_000 }
]

/** Simulates a test: creates, changes and deletes a third of the objects each. */
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

/** A method of resetting a fleet. */
export type Reset<E> = (fleet: Fleet["Service"]) => Effect.Effect<Effect.Effect<unknown, E>, E>

/** The reset of the harness. */
const ours: Reset<HarnessError.HarnessError> = (fleet) => Effect.succeed(fleet.reset)

/** A reset through the API, which restores the objects it has read before. */
const byApi: Reset<ApiError.ApiError> = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  const captured = yield* Effect.forEach(fleet.clusters, ({ api }) =>
    Effect.map(ApiReset.capture(api), (state) => ({ api, state }))
  )
  return Effect.forEach(captured, ({ api, state }) => ApiReset.restore(api, state), {
    concurrency: "unbounded",
    discard: true
  })
})

/** The durations of both methods, and the largest number of objects that differ after a reset of either. */
export const measure = <E>(
  driver: ClusterDriver.ClusterDriver,
  turns: Turns,
  ways: { readonly ours: Reset<E>; readonly peer: Reset<E> }
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["prod", "stage"] })
      yield* prepared(fleet)
      const before = yield* FleetState.read(fleet)
      const timedWay = (reset: Effect.Effect<unknown, E>) =>
        Effect.gen(function* () {
          yield* disturb(fleet)
          const [ms] = yield* timed(reset)
          return [ms, FleetState.differing(before, yield* FleetState.read(fleet))] as const
        })
      const [own, other] = [timedWay(yield* ways.ours(fleet)), timedWay(yield* ways.peer(fleet))]
      return yield* pairs(turns, { ours: () => own, peer: () => other, difference: Math.max })
    })
  )

const claimsOf = Effect.fnUntraced(function* ({ driver, goalMs }: (typeof DRIVERS)[number], { quick }: Extent) {
  const turns = { warm: 1, times: quick ? 2 : 5 }
  yield* Console.error(`resets with the ${driver.name} driver, ${turns.times} times each way`)
  const pair = yield* measure<HarnessError.HarnessError | ApiError.ApiError>(driver, turns, { ours, peer: byApi })
  return [
    {
      claim: `reset of ${OBJECTS} objects over three clusters, ${driver.name}`,
      ours: { value: pair.ours, unit: "ms" },
      peer: { name: "through the Kubernetes API", value: pair.peer, unit: "ms" },
      goal: { _tag: "absolute", atMost: goalMs },
      note: `median of ${turns.times}, after one of each`
    },
    {
      claim: `objects that differ after a reset, ${driver.name}`,
      ours: { value: pair.difference, unit: "count" },
      goal: { _tag: "absolute", atMost: 0 },
      note: "the most after any reset, both ways, of twelve kinds listed again by a client that resets nothing"
    }
  ] satisfies ReadonlyArray<Claim>
})

export const resets: ReadonlyArray<Part> = DRIVERS.map((entry) => ({
  name: `resets, ${entry.driver.name}`,
  lacks: lackOf(entry.driver),
  measure: (extent) => claimsOf(entry, extent)
}))
