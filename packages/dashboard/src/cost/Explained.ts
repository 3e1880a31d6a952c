import type { CostTotals, WorkloadCost } from "../api/CostQueries.ts"

/** The figure that an explanation is about. */
export type Explained =
  | {
      readonly _tag: "Workload"
      readonly cluster: WorkloadCost["cluster"]
      readonly id: string
      readonly name: string
    }
  | {
      readonly _tag: "Sum"
      readonly title: string
      /** Explanation of the figure, if it is more than a sum. */
      readonly meaning?: string
      readonly sums: CostTotals
      /** Values that all workloads of the sum share. An empty value means that they lack the label. */
      readonly group: Readonly<Record<string, string>>
      /** False for costs without a workload, which only `meaning` explains. */
      readonly hasWorkloads: boolean
    }
