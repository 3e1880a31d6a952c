/**
 * What a reader asked the explanation of.
 */
import type { CostTotals, WorkloadCost } from "../api/CostQueries.ts"

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
      /** What the figure means, where that is more than a sum. */
      readonly meaning?: string
      readonly sums: CostTotals
      /** What the workloads of the sum have in common; a value that is absent is one that they have not. */
      readonly group: Readonly<Record<string, string>>
      /** What no workload has is explained by its meaning alone. */
      readonly hasWorkloads: boolean
    }
