/**
 * Three clusters as one fleet, against the same three started one after the other.
 */
import { type ClusterDriver, ControlPlane, Embedded, Fleet, type HarnessError } from "@quarterdeck/harness"
import { K3s } from "@quarterdeck/harness/k3s"
import { Console, Effect, type Scope } from "effect"
import type { Claim } from "../Claim.ts"
import { pairs, timed } from "../Measure.ts"
import type { Extent } from "../Suite.ts"

const NAMES = ["hub", "prod", "stage"] as const

/** The goals are in milliseconds, for three clusters; containers take too long for a quick run. */
const DRIVERS: ReadonlyArray<{
  readonly driver: ClusterDriver.ClusterDriver
  readonly goalMs: number
  readonly isQuick: boolean
}> = [
  { driver: Embedded.driver, goalMs: 300, isQuick: true },
  { driver: ControlPlane.driver, goalMs: 4_000, isQuick: true },
  { driver: K3s.driver, goalMs: 10_000, isQuick: false }
]

/** Starts clusters and gives the milliseconds until all are ready; their end is not counted. */
const startMs = <E>(start: Effect.Effect<unknown, E, Scope.Scope>): Effect.Effect<number, E> =>
  Effect.scoped(Effect.map(timed(start), ([ms]) => ms))

const together = (driver: ClusterDriver.ClusterDriver) =>
  startMs(Fleet.make({ driver, parent: NAMES[0], children: NAMES.slice(1) }))

const oneByOne = (driver: ClusterDriver.ClusterDriver) =>
  startMs(Effect.forEach(NAMES, (parent) => Fleet.make({ driver, parent })))

export const starts = Effect.fnUntraced(function* ({
  quick
}: Extent): Effect.fn.Return<ReadonlyArray<Claim>, HarnessError.HarnessError> {
  const times = quick ? 1 : 5
  const drivers = DRIVERS.filter(({ isQuick }) => isQuick || !quick)
  return yield* Effect.forEach(drivers, ({ driver, goalMs }) =>
    Effect.gen(function* () {
      yield* Console.error(`three clusters with the ${driver.name} driver, ${times} times each way`)
      // The first start pays for what stays: compiled code, files in the page cache.
      yield* together(driver)
      const { ours, peer } = yield* pairs(times, together(driver), oneByOne(driver))
      return {
        claim: `three clusters ready, ${driver.name}`,
        ours: { value: ours, unit: "ms" },
        peer: { name: "one after the other", value: peer, unit: "ms" },
        goal: { _tag: "absolute", atMost: goalMs },
        note: `median of ${times}`
      } satisfies Claim
    })
  )
})
