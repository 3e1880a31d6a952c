/** A fleet as a vitest test uses it: its cluster names are typed, and its faults end with the test. */
import { Effect, Exit, Scope } from "effect"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { HarnessError } from "../machine/HarnessError.ts"
import { byName, type RunningFleet } from "../fleet/RunningFleet.ts"
import { type StartedFleet, startedFrom } from "../fleet/StartedFleet.ts"

/** A running fleet and the function that stops it. */
export interface HeldFleet {
  readonly running: RunningFleet
  readonly end: () => Promise<void>
}

export interface FleetFixtures<Name extends string> {
  readonly fleet: StartedFleet<Name>
  /** Starts the fleet behind `fleet`, once. Tests do not call it. */
  readonly heldFleet: () => Promise<HeldFleet>
}

/** A fleet for one test, and the function that runs at the end of the test. */
export interface TestFleetOfOne<Name extends string> {
  readonly fleet: StartedFleet<Name>
  /** Heals the faults that the test left. */
  readonly heal: () => Promise<void>
}

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

/** Returns the same cluster with faults that end no later than the test. */
const healing = (cluster: FleetCluster, test: Scope.Scope): FleetCluster => ({
  ...cluster,
  inject: Effect.fnUntraced(function* (fault) {
    const faultScope = yield* Scope.fork(test)
    yield* Effect.addFinalizer((exit) => Scope.close(faultScope, exit))
    yield* Scope.provide(cluster.inject(fault), faultScope)
  })
})

/** Restarts the clusters that do not respond, then resets every cluster to its last checkpoint. */
export const restore = Effect.fnUntraced(function* (fleet: RunningFleet): Effect.fn.Return<void, HarnessError> {
  yield* Effect.forEach(
    fleet.clusters,
    (cluster) => Effect.flatMap(isReady(cluster), (ready) => (ready ? Effect.void : cluster.restart)),
    { concurrency: "unbounded", discard: true }
  )
  yield* fleet.reset
})

const READY_TIMEOUT = "3 seconds"

const isReady = (cluster: FleetCluster): Effect.Effect<boolean> =>
  cluster.api.request({ method: "GET", path: "/readyz" }).pipe(
    Effect.timeout(READY_TIMEOUT),
    Effect.map(({ status }) => status === 200),
    Effect.orElseSucceed(() => false)
  )
