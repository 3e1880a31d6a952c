/**
 * Tests that get a fleet: `test` of vitest with a fixture `fleet`.
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

/** A fleet with names that the compiler knows. */
export interface FleetTestOptions<Parent extends string, Child extends string> extends NamedFleetOptions<
  Parent,
  Child
> {
  /**
   * How long a fleet lives (default `test`): as long as one test, or as one file. A file's fleet goes back to what
   * `prepare` left after every test, and clusters that a test killed come back; such tests run one after the other.
   */
  readonly per?: "test" | "file"
  /** Fills a fleet after its start: seeds, custom resource definitions, users' rights. */
  readonly prepare?: (fleet: StartedFleet<Parent | Child>) => Promise<void>
}

/**
 * Makes a `test` whose fixture `fleet` is started when a test asks for it, and ended after it.
 *
 * What a test leaves faulty is healed at its end. After a test that fails the ends of the clusters' logs are printed.
 *
 * **Errors** `StartOutlastsTest` when the test's time is over first: vitest counts the start to the test that asks for
 * the fleet first. A file's fleet starts on, and its next test finds it.
 */
export const fleetTest = <const Parent extends string, const Child extends string = never>(
  options: FleetTestOptions<Parent, Child>
): TestAPI<FleetFixtures<Parent | Child>> => {
  const { per = "test" } = options
  const define = () =>
    plain.extend<FleetFixtures<Parent | Child>>({
      heldFleet: [
        // vitest reads the names of what a fixture needs from this pattern.
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

/** Starts a fleet when it is asked for, and ends it if it was; a start that is under way is broken off. */
const startingOnce = <Parent extends string, Child extends string>(options: FleetTestOptions<Parent, Child>) => {
  const stop = new AbortController()
  let begun: Promise<HeldFleet> | undefined
  return {
    start: () => (begun ??= begin(options, stop.signal)),
    end: async () => {
      stop.abort()
      // Whoever asked for it has been told why it did not start.
      const held = await begun?.catch(() => undefined)
      await held?.end()
    }
  }
}

/** Starts a fleet and prepares it. */
const begin = async <Parent extends string, Child extends string>(
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
