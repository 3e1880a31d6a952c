/**
 * Registers suites for the drivers that this run uses.
 */
import { describe, layer, type Vitest } from "@effect/vitest"
import { type ClusterDriver, Drivers } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, type DeploymentOptions } from "./Deployment.ts"

/** Starting three real control planes, and stopping them, on a busy machine. */
const START_TIMEOUT = "120 seconds"

const { run } = await Effect.runPromise(Drivers.selected)

type Suite = (it: Vitest.MethodsNonLive<Deployment>, driver: ClusterDriver.ClusterDriver) => void

const on =
  (drivers: ReadonlyArray<ClusterDriver.ClusterDriver>) =>
  (name: string, options: Omit<DeploymentOptions, "driver">, suite: Suite): void => {
    describe.each(drivers)(`${name} on $name`, (driver) => {
      layer(Deployment.layer({ ...options, driver }), { timeout: START_TIMEOUT, excludeTestServices: true })((it) =>
        suite(it, driver)
      )
    })
  }

/** Registers a suite once for each driver that this run uses: what it shows depends on what clusters answer. */
export const onEveryDriver = on(run)

/**
 * Registers a suite once, for the driver that starts soonest: what it shows the service decides before it asks a cluster,
 * or from its own files.
 */
export const onOneDriver = on(
  run
    .filter(({ name }) => name === "embedded")
    .concat(run)
    .slice(0, 1)
)
