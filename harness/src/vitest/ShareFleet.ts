/**
 * One fleet for a whole run of vitest: a global setup starts it, and every worker uses it.
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

/** Under which name workers find the fleet. */
export const PROVIDED = "@quarterdeck/harness/fleet"

/** Under which name workers find where fleets are lent. */
export const LOANS = "@quarterdeck/harness/loans"

declare module "vitest" {
  interface ProvidedContext {
    "@quarterdeck/harness/fleet": FleetConnection.FleetConnection
    "@quarterdeck/harness/loans": FleetLoans.Loans
  }
}

/** A global setup of vitest that remembers in its type which clusters there are. */
export interface FleetSetup<Name extends string> {
  (project: Pick<TestProject, "provide">): Promise<() => Promise<void>>
  /** Only for the compiler; it is never there. */
  readonly "~names"?: Name
}

/**
 * Makes the `setup` of a global setup file.
 *
 * The fleet starts before the first test file and ends after the last, also in watch mode. Its state after
 * `prepare` is the checkpoint that `reset` goes back to. Workers reach it by `sharedFleetTest`.
 *
 * **Limits** a control port on 127.0.0.1 with a token of its own; nothing is written to disk.
 */
export const shareFleet =
  <const Parent extends string, const Child extends string = never>(
    options: Omit<FleetTestOptions<Parent, Child>, "per">
  ): FleetSetup<Parent | Child> =>
  (project) =>
    lasting(shared(options), (handle) => project.provide(PROVIDED, handle))

/**
 * Makes the `setup` of a global setup file that lends fleets to suites, one after the other; see `borrowedFleet`.
 *
 * A fleet starts when a suite first asks for it, and ends when nobody has asked for a minute: a run that needs none starts none.
 * What a suite wrote, killed or made faulty is put back before the next one has it.
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

/** Makes something that lasts as long as the run, tells of it, and gives what ends it. */
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
