/**
 * Filters a report by the labels that workloads had.
 */
import { LabelSelector } from "@quarterdeck/cluster-fanout"
import { Result } from "effect"
import type { CostFilter } from "./CostQuery.ts"
import { InvalidCostQuery } from "./ReportError.ts"
import type { Series } from "../hour/Series.ts"

/** Returns true if a workload had matching labels in the hour. */
export type Matches = (series: Pick<Series, "labels">) => boolean

/**
 * Parses the label selector of a filter.
 *
 * **Shape** `undefined` if there is none. **Errors** `InvalidCostQuery` with the position of the syntax error.
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
