/**
 * Tests that use the one fleet of the whole run.
 *
 * **Example**
 *
 * ```ts
 * import type { setup } from "./fleet.setup.ts"
 * import { sharedFleetTest } from "@quarterdeck/harness/vitest/SharedFleetTest"
 *
 * const test = sharedFleetTest<typeof setup>()
 *
 * test("lists the deployments of a cluster", async ({ fleet, expect }) => {
 *   const { items } = await fleet.cluster("eu").list({ apiVersion: "apps/v1", kind: "Deployment" })
 *   expect(items).toHaveLength(3)
 * })
 * ```
 */
import { Effect, Exit, Scope } from "effect"
import { inject, test as plain, type TestAPI } from "vitest"
import * as ControlClient from "../fleet/ControlClient.ts"
import type { FleetConnection } from "../fleet/FleetConnection.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import { atTopOfFile } from "./FileFixtures.ts"
import * as FailureLogs from "./FailureLogs.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import { borrow } from "./BorrowedFleet.ts"
import { type FleetSetup, LOANS, PROVIDED } from "./ShareFleet.ts"
import { type FleetFixtures, testFleet } from "./TestFleet.ts"

/** The names of the clusters of a global setup. */
export type NamesOf<Setup extends FleetSetup<string>> = Exclude<Setup["~names"], undefined>

/**
 * Makes a `test` whose fixture `fleet` is the shared one, with the same methods as a fleet of the test's own.
 *
 * Files run at the same time and share the clusters, so tests keep to namespaces of their own, or the run sets
 * `fileParallelism: false` and tests call `fleet.reset()`. A fault lasts until it is healed, its test ends, or its worker
 * dies. Ending the fleet is the setup's: disposing of it here does nothing.
 */
export const sharedFleetTest = <Setup extends FleetSetup<string>>(): TestAPI<FleetFixtures<NamesOf<Setup>>> =>
  atTopOfFile("sharedFleetTest()", () =>
    plain.extend<FleetFixtures<NamesOf<Setup>>>({
      heldFleet: [
        // vitest reads the names of what a fixture needs from this pattern.
        async ({}, use) => {
          const scope = Scope.makeUnsafe()
          try {
            const running = await Effect.runPromise(ControlClient.connect(handle()).pipe(Scope.provide(scope)))
            const held = { running, end: () => Promise.resolve() }
            await use(() => Promise.resolve(held))
          } finally {
            await Effect.runPromise(Scope.close(scope, Exit.void))
          }
        },
        { scope: "file" }
      ],
      fleet: async ({ heldFleet, task }, use) => {
        const held = await heldFleet()
        const { fleet, heal } = testFleet<NamesOf<Setup>>(held)
        try {
          await use(fleet)
          await Effect.runPromise(FailureLogs.show(task, held.running))
        } finally {
          await heal()
        }
      }
    })
  )

/**
 * Borrows a fleet that `lendFleets` of the run's global setup lends, by its name there, until the scope closes.
 *
 * Nobody else has it meanwhile; who comes second waits, so give `beforeAll` or the layer of a suite time for that. For tests
 * with Effect.
 *
 * **Errors** those of the fleet's start; `InvalidFleet` when none is lent by that name.
 */
export const borrowedFleet = (name: string): Effect.Effect<RunningFleet, HarnessError, Scope.Scope> =>
  Effect.suspend(() => borrow(inject(LOANS), name))

/** What the run's setup has told its workers. */
const handle = (): FleetConnection => {
  const found: FleetConnection | undefined = inject(PROVIDED)
  if (found !== undefined) return found
  throw new HarnessError({ reason: new InvalidFleet({ problem: NO_FLEET }) })
}

const NO_FLEET =
  "no shared fleet: name the file with shareFleet's setup in globalSetup of the vitest configuration: "
  + 'test: { globalSetup: "./fleet.setup.ts" }'
