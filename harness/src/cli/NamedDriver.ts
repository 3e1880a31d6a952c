/** Drivers by their names on the command line. */
import { Effect } from "effect"
import type { ClusterDriver } from "../drivers/ClusterDriver.ts"
import * as Drivers from "../drivers/Drivers.ts"
import * as Embedded from "../drivers/embedded/Embedded.ts"
import * as Existing from "../drivers/existing/Existing.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import type { DriverName } from "./DriverName.ts"

/** Request counters by cluster name, for clusters whose driver counts requests. */
export type Requests = ReadonlyMap<string, Effect.Effect<number>>

export interface Named {
  readonly driver: ClusterDriver
  readonly requests: Requests
}

/** Prefix of the namespaces that the harness creates in existing clusters. */
const NAMESPACE_PREFIX = "harness"

/**
 * Returns a driver. `kubeconfig` names the existing clusters; other drivers ignore it.
 *
 * **Errors** `InvalidFleet` for an unknown name.
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

/**
 * Returns the embedded driver. It counts requests itself, because embedded servers do not count them in their metrics.
 */
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
