/**
 * The vitest function `test` with a fixture `fleet`.
 *
 * **Example**
 *
 * ```ts
 * import { Embedded } from "@quarterdeck/harness"
 * import { fleetTest } from "@quarterdeck/harness/vitest/FleetTest"
 *
 * const test = fleetTest({ driver: Embedded.driver, parent: "hub", children: ["eu", "us"] })
 *
 * test("says that a cluster is gone", async ({ fleet, expect }) => {
 *   await fleet.cluster("eu").kill()
 *   expect(await clustersOf(fleet.kubeconfig)).toEqual({ hub: "ok", eu: "gone", us: "ok" })
 * })
 * ```
 */
import { Effect, Exit, Scope } from "effect"
import { test as plain, type TestAPI } from "vitest"
import { Fleet, type FleetOptions, type NamedFleetOptions } from "../fleet/Fleet.ts"
import type { StartedFleet } from "../fleet/StartedFleet.ts"
import { atTopOfFile } from "./FileFixtures.ts"
import * as FailureLogs from "./FailureLogs.ts"
import * as StartTime from "./StartTime.ts"
import { type FleetFixtures, type HeldFleet, restore, testFleet } from "./TestFleet.ts"

/** Options of a fleet whose cluster names the compiler knows. */
export interface FleetTestOptions<Parent extends string, Child extends string> extends NamedFleetOptions<
  Parent,
  Child
> {
  /**
   * Lifetime of a fleet (default `test`): one test, or one file. A fleet with the lifetime `file` is reset after every
   * test to its state after `prepare`, and clusters that a test killed are restarted. Such tests run one after the
   * other.
   */
  readonly per?: "test" | "file"
  /** Fills a fleet after its start: seeds, custom resource definitions, permissions. */
  readonly prepare?: (fleet: StartedFleet<Parent | Child>) => Promise<void>
}

/**
 * Creates a `test` whose fixture `fleet` starts when a test uses it and stops after the test.
 *
 * Faults that a test leaves are healed at its end. If a test fails, the last lines of the clusters' logs are printed.
 *
 * **Errors** `StartOutlastsTest` if the test's time limit ends first: vitest counts the start towards the first test
 * that uses the fleet. With the lifetime `file` the start continues, and the file's next test waits for it.
 */
export const fleetTest = <const Parent extends string, const Child extends string = never>(
  options: FleetTestOptions<Parent, Child>
): TestAPI<FleetFixtures<Parent | Child>> => {
  const { per = "test" } = options
  const define = () =>
    plain.extend<FleetFixtures<Parent | Child>>({
      heldFleet: [
        // vitest reads from this pattern which other fixtures the fixture needs: none.
        async ({}, use) => {
          const { end, start } = startingOnce(options)
          try {
            await use(start)
          } finally {
            await end()
          }
        },
        { scope: per }
      ],
      fleet: async ({ heldFleet, task }, use) => {
        const { held, tookMs } = await StartTime.within(task.timeout, heldFleet)
        const { fleet, heal } = testFleet<Parent | Child>(held)
        try {
          await use(fleet)
          await Effect.runPromise(StartTime.show(task, tookMs))
          await Effect.runPromise(FailureLogs.show(task, held.running))
        } finally {
          await heal()
        }
        if (per === "file") await Effect.runPromise(restore(held.running))
      }
    })
  return atTopOfFile('fleetTest({ per: "file" })', define)
}

/** Starts a fleet on first use and stops it at the end. A start that is still in progress at the end is aborted. */
const startingOnce = <Parent extends string, Child extends string>(options: FleetTestOptions<Parent, Child>) => {
  const stop = new AbortController()
  let starting: Promise<HeldFleet> | undefined
  return {
    start: () => (starting ??= startPrepared(options, stop.signal)),
    end: async () => {
      stop.abort()
      // The test that requested the fleet has already failed with the error of the start.
      const held = await starting?.catch(() => undefined)
      await held?.end()
    }
  }
}

const startPrepared = async <Parent extends string, Child extends string>(
  options: FleetTestOptions<Parent, Child>,
  signal: AbortSignal
): Promise<HeldFleet> => {
  const held = await start(options, signal)
  try {
    const { fleet, heal } = testFleet<Parent | Child>(held)
    try {
      await options.prepare?.(fleet)
    } finally {
      await heal()
    }
    if (options.per === "file") await Effect.runPromise(held.running.checkpoint)
    return held
  } catch (cause) {
    await held.end()
    throw cause
  }
}

const start = async (options: FleetOptions, signal: AbortSignal): Promise<HeldFleet> => {
  const scope = Scope.makeUnsafe()
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    return { running: await Effect.runPromise(Fleet.make(options).pipe(Scope.provide(scope)), { signal }), end }
  } catch (cause) {
    await end()
    throw cause
  }
}
