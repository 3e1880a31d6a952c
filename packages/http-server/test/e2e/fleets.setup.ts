/** The clusters that the suites of `onEveryDriver` borrow, one suite after the other; none starts before one is asked for. */
import { Drivers } from "@quarterdeck/harness"
import { lendFleets } from "@quarterdeck/harness/vitest/ShareFleet"
import { CLUSTERS } from "./clusters.ts"

export const setup = lendFleets(
  Object.fromEntries(Drivers.all.map((driver) => [driver.name, { ...CLUSTERS, driver, faults: true }]))
)
