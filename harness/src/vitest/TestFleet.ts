/** A fleet as a test of vitest sees it: names that are known to the compiler, and faults that end with the test. */
import { Effect, Exit, Scope } from "effect"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { HarnessError } from "../machine/HarnessError.ts"
import { byName, type RunningFleet } from "../fleet/RunningFleet.ts"
import { type StartedFleet, startedFrom } from "../fleet/StartedFleet.ts"

/** A running fleet with what ends it. */
export interface HeldFleet {
  readonly running: RunningFleet
  readonly end: () => Promise<void>
}

/** What a test is given. */
export interface FleetFixtures<Name extends string> {
  readonly fleet: StartedFleet<Name>
  /** Starts what `fleet` stands on, once; tests have no need of it. */
  readonly heldFleet: () => Promise<HeldFleet>
}

/** A fleet for one test, and the end of that test. */
export interface TestFleetOfOne<Name extends string> {
  readonly fleet: StartedFleet<Name>
  /** Heals what the test left faulty. */
  readonly heal: () => Promise<void>
}

/** Wraps a fleet for one test. */
export const testFleet = <Name extends string>({ end, running }: HeldFleet): TestFleetOfOne<Name> => {
  const test = Scope.makeUnsafe()
  const parent = healing(running.parent, test)
  const children = running.children.map((cluster) => healing(cluster, test))
  const clusters = [parent, ...children]
  const fleet: RunningFleet = {
    ...running,
    parent,
    children,
    clusters,
    cluster: byName(clusters)
  }
  return { fleet: startedFrom<Name>(fleet, end), heal: () => Effect.runPromise(Scope.close(test, Exit.void)) }
}

/** The same cluster, with faults that end with the test at the latest. */
const healing = (cluster: FleetCluster, test: Scope.Scope): FleetCluster => ({
  ...cluster,
  inject: Effect.fnUntraced(function* (fault) {
    const held = yield* Scope.fork(test)
    yield* Effect.addFinalizer((exit) => Scope.close(held, exit))
    yield* Scope.provide(cluster.inject(fault), held)
  })
})

/** Brings back the clusters that do not answer, then takes every one back to its last checkpoint. */
export const restore = Effect.fnUntraced(function* (fleet: RunningFleet): Effect.fn.Return<void, HarnessError> {
  yield* Effect.forEach(
    fleet.clusters,
    (cluster) => Effect.flatMap(answers(cluster), (does) => (does ? Effect.void : cluster.restart)),
    { concurrency: "unbounded", discard: true }
  )
  yield* fleet.reset
})

const PATIENCE = "3 seconds"

const answers = (cluster: FleetCluster): Effect.Effect<boolean> =>
  cluster.api.request({ method: "GET", path: "/readyz" }).pipe(
    Effect.timeout(PATIENCE),
    Effect.map(({ status }) => status === 200),
    Effect.orElseSucceed(() => false)
  )
