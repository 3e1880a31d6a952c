/** Drivers by the names that people type. */
import { Effect } from "effect"
import type { ClusterDriver } from "../drivers/ClusterDriver.ts"
import * as Drivers from "../drivers/Drivers.ts"
import * as Embedded from "../drivers/embedded/Embedded.ts"
import * as Existing from "../drivers/existing/Existing.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import type { DriverName } from "./DriverName.ts"

/** How many requests the clusters have had, by their names, where only the driver can tell. */
export type Requests = ReadonlyMap<string, Effect.Effect<number>>

export interface Named {
  readonly driver: ClusterDriver
  readonly requests: Requests
}

/** With what the namespaces begin that are made in clusters of somebody else. */
const NAMESPACE_PREFIX = "harness"

/**
 * Gets a driver. `kubeconfig` names the clusters that run already; other drivers have no use for it.
 *
 * **Errors** `InvalidFleet` for a name that this release has no driver for.
 */
export const get = (name: DriverName, kubeconfig: string | undefined): Effect.Effect<Named, HarnessError> => {
  if (name === "embedded") return Effect.succeed(counting())
  if (name === "existing" && kubeconfig !== undefined) {
    const driver = Existing.make({ kubeconfig, namespacePrefix: NAMESPACE_PREFIX })
    return Effect.succeed({ driver, requests: new Map() })
  }
  const driver = Drivers.all.find((candidate) => candidate.name === name)
  return driver === undefined
    ? Effect.fail(new HarnessError({ reason: new InvalidFleet({ problem: `there is no driver ${name}` }) }))
    : Effect.succeed({ driver, requests: new Map() })
}

/** A server in this process serves no metrics of itself, but counts. */
const counting = (): Named => {
  const requests = new Map<string, Effect.Effect<number>>()
  const start: ClusterDriver["start"] = (options) =>
    Effect.tap(Embedded.driver.start(options), ({ counters }) =>
      Effect.sync(() => {
        requests.set(
          options.name,
          Effect.map(counters, (counted) => [...counted.requests.values()].reduce((sum, count) => sum + count, 0))
        )
      })
    )
  return { driver: { ...Embedded.driver, start }, requests }
}
