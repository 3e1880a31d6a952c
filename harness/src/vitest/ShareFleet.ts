/**
 * One fleet for a whole vitest run: a global setup starts it, and every worker uses it.
 *
 * **Example**
 *
 * ```ts
 * // fleet.setup.ts; vitest.config.ts says: test: { globalSetup: "./fleet.setup.ts" }
 * import { ControlPlane } from "@quarterdeck/harness"
 * import { shareFleet } from "@quarterdeck/harness/vitest/ShareFleet"
 *
 * export const setup = shareFleet({ driver: ControlPlane.driver, parent: "hub", children: ["eu", "us"] })
 * ```
 */
import { Effect, Exit, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as ControlServer from "../fleet/ControlServer.ts"
import * as FleetConnection from "../fleet/FleetConnection.ts"
import { Fleet, type FleetOptions } from "../fleet/Fleet.ts"
import * as FleetLoans from "./FleetLoans.ts"
import type { FleetTestOptions } from "./FleetTest.ts"
import { testFleet } from "./TestFleet.ts"

/** Key under which workers find the connection to the shared fleet. */
export const PROVIDED = "@quarterdeck/harness/fleet"

/** Key under which workers find the server that lends fleets. */
export const LOANS = "@quarterdeck/harness/loans"

declare module "vitest" {
  interface ProvidedContext {
    "@quarterdeck/harness/fleet": FleetConnection.FleetConnection
    "@quarterdeck/harness/loans": FleetLoans.Loans
  }
}

/** A vitest global setup whose type holds the names of the clusters. */
export interface FleetSetup<Name extends string> {
  (project: Pick<TestProject, "provide">): Promise<() => Promise<void>>
  /** Used only by the type checker; never set. */
  readonly "~names"?: Name
}

/**
 * Creates the `setup` of a global setup file.
 *
 * The fleet starts before the first test file and stops after the last, also in watch mode. `reset` restores its state
 * after `prepare`. Workers use it through `sharedFleetTest`.
 *
 * **Limits** a control port on 127.0.0.1 with its own token. Writes nothing to disk.
 */
export const shareFleet =
  <const Parent extends string, const Child extends string = never>(
    options: Omit<FleetTestOptions<Parent, Child>, "per">
  ): FleetSetup<Parent | Child> =>
  (project) =>
    lasting(shared(options), (handle) => project.provide(PROVIDED, handle))

/**
 * Creates the `setup` of a global setup file that lends fleets to suites, one suite at a time. See `borrowedFleet`.
 *
 * A fleet starts when a suite first borrows it, and stops after a minute without a borrower. Between two suites it is
 * reset: objects are restored, killed clusters restarted, faults healed.
 *
 * **Example**
 *
 * ```ts
 * // fleets.setup.ts
 * const clusters = { parent: "hub", children: ["eu", "us"], faults: true }
 * export const setup = lendFleets({ real: { ...clusters, driver: ControlPlane.driver } })
 * ```
 */
export const lendFleets =
  (fleets: Readonly<Record<string, FleetOptions>>) =>
  (project: Pick<TestProject, "provide">): Promise<() => Promise<void>> =>
    lasting(FleetLoans.serve(fleets), (loans) => project.provide(LOANS, loans))

/** Acquires a resource, passes it to `provide` and returns the function that releases it. */
const lasting = async <A>(
  make: Effect.Effect<A, unknown, Scope.Scope>,
  provide: (made: A) => void
): Promise<() => Promise<void>> => {
  const scope = Scope.makeUnsafe()
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    provide(await Effect.runPromise(Scope.provide(make, scope)))
    return end
  } catch (cause) {
    await end()
    throw cause
  }
}

const shared = Effect.fnUntraced(function* <Parent extends string, Child extends string>(
  options: Omit<FleetTestOptions<Parent, Child>, "per">
) {
  const { addresses, driver } = FleetConnection.recordAddresses(options.driver)
  const fleet = yield* Fleet.make({ ...options, driver })
  const { prepare } = options
  if (prepare !== undefined) {
    const { fleet: prepared, heal } = testFleet<Parent | Child>({ running: fleet, end: () => Promise.resolve() })
    yield* Effect.ensuring(
      Effect.promise(() => prepare(prepared)),
      Effect.promise(heal)
    )
  }
  yield* fleet.checkpoint
  const control = yield* ControlServer.start(fleet)
  return yield* FleetConnection.of(fleet, { control, addresses, users: (options.users ?? []).map(({ name }) => name) })
})
