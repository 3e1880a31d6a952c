/** Chooses on which drivers a suite runs that asks an API server alone. */
import type { ClusterDriver } from "../../src/drivers/ClusterDriver.ts"

/**
 * Of the drivers of a run the embedded one, and one whose API servers are real, control-plane before others: all real ones
 * are the same program, whether in a container or not.
 */
export const bothKinds = (run: ReadonlyArray<ClusterDriver>): ReadonlyArray<ClusterDriver> => {
  const reals = run.filter(({ name }) => name !== "embedded")
  const real = reals.find(({ name }) => name === "control-plane") ?? reals[0]
  return run.filter((driver) => driver.name === "embedded" || driver === real)
}
