/**
 * Narrows a report to workloads that had some labels.
 */
import { LabelSelector } from "@quarterdeck/cluster-fanout"
import { Result } from "effect"
import type { CostFilter } from "./CostQuery.ts"
import { InvalidCostQuery } from "./ReportError.ts"
import type { Series } from "../hour/Series.ts"

/** Tells whether a workload had the labels in an hour. */
export type Matches = (series: Pick<Series, "labels">) => boolean

/**
 * Reads the label selector of a filter.
 *
 * **Shape** `undefined` where there is none. **Errors** `InvalidCostQuery` with the place of the fault.
 */
export const fromFilter = ({
  labelSelector
}: Pick<CostFilter, "labelSelector">): Result.Result<Matches | undefined, InvalidCostQuery> => {
  if (labelSelector === undefined) return Result.succeed(undefined)
  return Result.mapBoth(LabelSelector.parse(labelSelector), {
    onSuccess:
      (selector): Matches =>
      ({ labels }) =>
        LabelSelector.matches(selector, labels),
    onFailure: ({ message }) => new InvalidCostQuery({ field: "labelSelector", problem: message })
  })
}
