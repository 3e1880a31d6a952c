/**
 * Registers suites for the drivers that this run uses.
 */
import { describe, layer, type Vitest } from "@effect/vitest"
import { type ClusterDriver, Drivers } from "@quarterdeck/harness"
import { borrowedFleet } from "@quarterdeck/harness/vitest/SharedFleetTest"
import { Effect } from "effect"
import { Deployment, type DeploymentOptions } from "./Deployment.ts"

/** Starting three real control planes, and stopping them, on a busy machine. */
const START_TIMEOUT = "120 seconds"
/** And waiting until every other suite has had them. */
const TURN_TIMEOUT = "15 minutes"

const { run } = await Effect.runPromise(Drivers.selected)

type Suite = (it: Vitest.MethodsNonLive<Deployment>, driver: ClusterDriver.ClusterDriver) => void
type SuiteOptions = Omit<DeploymentOptions, "driver" | "clusters">

/** An embedded cluster starts as fast as one is put back, and suites need not wait for each other's. */
const isWorthBorrowing = ({ name }: ClusterDriver.ClusterDriver) => name !== "embedded"

const registerOn = (
  drivers: ReadonlyArray<ClusterDriver.ClusterDriver>,
  name: string,
  options: SuiteOptions,
  suite: Suite
): void => {
  describe.each(drivers)(`${name} on $name`, (driver) => {
    const isBorrowed = isWorthBorrowing(driver)
    const clusters = isBorrowed ? { clusters: borrowedFleet(driver.name) } : {}
    layer(Deployment.layer({ ...options, ...clusters, driver }), {
      timeout: isBorrowed ? TURN_TIMEOUT : START_TIMEOUT,
      excludeTestServices: true
    })((it) => suite(it, driver))
  })
}

/**
 * Registers a suite once for each driver that this run uses: what it shows depends on where clusters run, how they are
 * reached, and what goes on in them.
 *
 * Clusters that take seconds to start are borrowed from the run, which puts them back for the next suite.
 */
export const onEveryDriver = (name: string, options: SuiteOptions, suite: Suite): void =>
  registerOn(run, name, options, suite)

/**
 * Registers a suite for the embedded driver and for one whose API servers are real: what it shows depends on what an API
 * server answers, and all real ones are the same program.
 */
export const onBothKinds = (name: string, options: SuiteOptions, suite: Suite): void => {
  const [real] = run.filter(({ name }) => name === "control-plane").concat(run.filter(isWorthBorrowing))
  registerOn(
    [...run.filter((driver) => !isWorthBorrowing(driver)), ...(real === undefined ? [] : [real])],
    name,
    options,
    suite
  )
}

/**
 * Registers a suite once, for the driver that starts soonest: what it shows the service decides before it asks a cluster,
 * or from its own files.
 */
export const onOneDriver = (name: string, options: SuiteOptions, suite: Suite): void => {
  const [driver] = run.filter(({ name }) => name === "embedded").concat(run)
  if (driver === undefined) return
  describe(`${name} on ${driver.name}`, () => {
    layer(Deployment.layer({ ...options, driver }), { timeout: START_TIMEOUT, excludeTestServices: true })((it) =>
      suite(it, driver)
    )
  })
}
