/**
 * Saves reports as files, with every row.
 */
import { type CostParameters, type CostWindow, readAllGroups, windowParameters } from "../api/CostQueries.ts"
import { requestFile } from "../api/File.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"

/** The clusters and the period of a report. */
export interface Scope {
  readonly target: ClusterTarget.ClusterTarget
  readonly window: CostWindow
}

/** Saves costs by group as CSV. **Errors** rejects with `ApiFailure`. */
export const saveGroups = (scope: Scope, parameters: CostParameters): Promise<void> =>
  saveReport("getAggregated", "csv", scope, parameters)

/** Saves the costs of workloads, as CSV or with the columns of FOCUS. **Errors** rejects with `ApiFailure`. */
export const saveWorkloads = (
  format: "csv" | "focus",
  scope: Scope,
  { labelSelector, namespaces, workloadTypes }: Omit<CostParameters, "groupBy">
): Promise<void> =>
  saveReport("getWorkloads", format, scope, {
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(workloadTypes === undefined ? {} : { workloadTypes }),
    ...(labelSelector === undefined ? {} : { labelSelector })
  })

/** Saves costs by group as JSON, all pages in one report. **Errors** rejects with `ApiFailure`. */
export const saveJson = async ({ target, window }: Scope, parameters: CostParameters): Promise<void> => {
  const report = await readAllGroups(target, window, parameters)
  const day = report.window.end.slice(0, 10)
  save(new Blob([JSON.stringify(report, undefined, 2)], { type: "application/json" }), `grouped-costs-${day}.json`)
}

const saveReport = async (
  report: "getAggregated" | "getWorkloads",
  format: "csv" | "focus",
  { target, window }: Scope,
  body: object
): Promise<void> => {
  const query = new URLSearchParams({ ...windowParameters(window), format })
  const { blob, name } = await requestFile({
    path: `/detailedCostReport/${report}?${query.toString()}`,
    headers: ClusterTarget.headersOf(target),
    body
  })
  save(blob, name)
}

const save = (blob: Blob, name: string): void => {
  const address = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
