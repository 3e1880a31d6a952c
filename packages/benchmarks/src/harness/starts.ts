/**
 * Starting three clusters as one fleet, compared with starting them one after the other.
 */
import { type ClusterDriver, ControlPlane, Embedded, Fleet } from "@quarterdeck/harness"
import { K3s } from "@quarterdeck/harness/k3s"
import { Console, Effect, type Scope } from "effect"
import type { Claim } from "../claim/Claim.ts"
import { pairs, type Timed, timed } from "../claim/Measure.ts"
import type { Extent, Part } from "../claim/Suite.ts"
import { lackOf } from "./lack.ts"

const NAMES = ["hub", "prod", "stage"] as const

/** The goals for three clusters, in milliseconds. Containers take too long for a quick run. */
const DRIVERS: ReadonlyArray<{
  readonly driver: ClusterDriver.ClusterDriver
  readonly goalMs: number
  readonly isQuick: boolean
}> = [
  { driver: Embedded.driver, goalMs: 300, isQuick: true },
  { driver: ControlPlane.driver, goalMs: 4_000, isQuick: true },
  { driver: K3s.driver, goalMs: 10_000, isQuick: false }
]

/** Starts clusters and returns the time until all are ready. Does not count stopping them. */
const startMs = <E>(start: Effect.Effect<unknown, E, Scope.Scope>): Effect.Effect<Timed<unknown>, E> =>
  Effect.scoped(timed(start))

const together = (driver: ClusterDriver.ClusterDriver) =>
  startMs(Fleet.make({ driver, parent: NAMES[0], children: NAMES.slice(1) }))

const oneByOne = (driver: ClusterDriver.ClusterDriver) =>
  startMs(Effect.forEach(NAMES, (parent) => Fleet.make({ driver, parent })))

const measure = Effect.fnUntraced(function* ({ driver, goalMs }: (typeof DRIVERS)[number], { quick }: Extent) {
  // The first start also pays for compiled code and the page cache.
  const turns = { warm: 1, times: quick ? 1 : 5 }
  yield* Console.error(`three clusters with the ${driver.name} driver, ${turns.times} times each way`)
  const { ours, peer } = yield* pairs(turns, { ours: () => together(driver), peer: () => oneByOne(driver) })
  const claim: Claim = {
    claim: `three clusters ready, ${driver.name}`,
    ours: { value: ours, unit: "ms" },
    peer: { name: "one after the other", value: peer, unit: "ms" },
    goal: { _tag: "absolute", atMost: goalMs },
    note: `median of ${turns.times}, after one of each`
  }
  return [claim]
})

export const starts = ({ quick }: Extent): ReadonlyArray<Part> =>
  DRIVERS.filter(({ isQuick }) => isQuick || !quick).map((entry) => ({
    name: `starts, ${entry.driver.name}`,
    lacks: lackOf(entry.driver),
    measure: (extent) => measure(entry, extent)
  }))
