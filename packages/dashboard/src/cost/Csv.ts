/**
 * Saves reports as files of comma-separated values, with every row.
 */
import { type CostParameters, type CostWindow, windowParameters } from "../api/CostQueries.ts"
import { requestFile } from "../api/File.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"

/** Saves costs by group. **Errors** rejects with `ApiFailure`. */
export const saveGroups = (
  target: ClusterTarget.ClusterTarget,
  window: CostWindow,
  parameters: CostParameters
): Promise<void> => save("getAggregated", target, window, parameters)

/** Saves the costs of workloads. **Errors** rejects with `ApiFailure`. */
export const saveWorkloads = (target: ClusterTarget.ClusterTarget, window: CostWindow): Promise<void> =>
  save("getWorkloads", target, window, {})

const save = async (
  report: "getAggregated" | "getWorkloads",
  target: ClusterTarget.ClusterTarget,
  window: CostWindow,
  body: object
): Promise<void> => {
  const query = new URLSearchParams({ ...windowParameters(window), format: "csv" })
  const { blob, name } = await requestFile({
    path: `/detailedCostReport/${report}?${query.toString()}`,
    headers: ClusterTarget.headersOf(target),
    body
  })
  const address = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
