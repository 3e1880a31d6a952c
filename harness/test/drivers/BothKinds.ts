/** Chooses on which drivers a suite runs that asks an API server alone; `onBothKinds` of the service's end-to-end suites does so too. */
import type { ClusterDriver } from "../../src/drivers/ClusterDriver.ts"

/**
 * Of the drivers of a run the embedded one, and one whose API servers are real, if possible the preferred one: all real ones
 * are the same program, whether in a container or not.
 */
export const bothKinds = (
  run: ReadonlyArray<ClusterDriver>,
  preferred: "control-plane" | "k3s" = "control-plane"
): ReadonlyArray<ClusterDriver> => {
  const reals = run.filter(({ name }) => name !== "embedded")
  const real = reals.find(({ name }) => name === preferred) ?? reals[0]
  return run.filter((driver) => driver.name === "embedded" || driver === real)
}
