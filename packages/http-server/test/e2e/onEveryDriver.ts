/**
 * Registers a suite once for each driver that this run uses.
 */
import { describe, layer, type Vitest } from "@effect/vitest"
import { type ClusterDriver, Drivers } from "@quarterdeck/harness"
import { Effect } from "effect"
import { Deployment, type DeploymentOptions } from "./Deployment.ts"

/** Starting three real control planes, and stopping them, on a busy machine. */
const START_TIMEOUT = "120 seconds"

const { run } = await Effect.runPromise(Drivers.selected)

export const onEveryDriver = (
  name: string,
  options: Omit<DeploymentOptions, "driver">,
  suite: (it: Vitest.MethodsNonLive<Deployment>, driver: ClusterDriver.ClusterDriver) => void
): void => {
  describe.each(run)(`${name} on $name`, (driver) => {
    layer(Deployment.layer({ ...options, driver }), { timeout: START_TIMEOUT, excludeTestServices: true })((it) =>
      suite(it, driver)
    )
  })
}
