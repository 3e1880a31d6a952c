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
 * Creates a `test` whose fixture `fleet` is the shared fleet, with the same methods as a test's own fleet.
 *
 * Test files run in parallel on the same clusters. Use separate namespaces, or set `fileParallelism: false` and call
 * `fleet.reset()`. A fault lasts until it is healed, its test ends, or its worker dies. Disposing of the fleet here
 * does nothing: the global setup stops it.
 */
export const sharedFleetTest = <Setup extends FleetSetup<string>>(): TestAPI<FleetFixtures<NamesOf<Setup>>> =>
  atTopOfFile("sharedFleetTest()", () =>
    plain.extend<FleetFixtures<NamesOf<Setup>>>({
      heldFleet: [
        // vitest reads from this pattern which other fixtures the fixture needs: none.
        async ({}, use) => {
          const scope = Scope.makeUnsafe()
          try {
            const running = await Effect.runPromise(ControlClient.connect(providedFleet()).pipe(Scope.provide(scope)))
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
 * Borrows a fleet from `lendFleets` of the run's global setup, by name, until the scope closes. For tests with Effect.
 *
 * Only one borrower has the fleet at a time; others wait. Set the timeout of `beforeAll` or of the suite's layer
 * accordingly.
 *
 * **Errors** those of the fleet's start; `InvalidFleet` if no fleet of that name is lent.
 */
export const borrowedFleet = (name: string): Effect.Effect<RunningFleet, HarnessError, Scope.Scope> =>
  Effect.suspend(() => borrow(inject(LOANS), name))

/** Returns the connection that the run's global setup provided. */
const providedFleet = (): FleetConnection => {
  const found: FleetConnection | undefined = inject(PROVIDED)
  if (found !== undefined) return found
  throw new HarnessError({ reason: new InvalidFleet({ problem: NO_FLEET }) })
}

const NO_FLEET =
  "no shared fleet: name the file with shareFleet's setup in globalSetup of the vitest configuration: "
  + 'test: { globalSetup: "./fleet.setup.ts" }'
