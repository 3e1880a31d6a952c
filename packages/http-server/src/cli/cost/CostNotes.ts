/**
 * What the user must know of a report of costs beside its figures.
 */
import { answered } from "@quarterdeck/cluster-fanout/Coverage"
import type { Bucket } from "@quarterdeck/cost/Aggregate"
import type { CostCoverage, SeenHours } from "@quarterdeck/cost/CostRow"
import * as CostText from "./CostText.ts"

/** What the open hour lacks between two samples is no gap. **Units** hours. */
const TOLERANCE = 0.1
/** Steps that a line names. */
const NAMED_STEPS = 3

/**
 * Tells, a line a cluster, which does not answer now and of which some of the window is not known.
 *
 * **Example** `warning: cluster prod: covered 6 d of 7 d; what ran in the other 1 d is not counted`
 */
export const lines = (clusters: ReadonlyArray<CostCoverage>): ReadonlyArray<string> =>
  clusters.flatMap((coverage) => [...stateOf(coverage), ...gapOf(coverage)])

const stateOf = (coverage: CostCoverage): ReadonlyArray<string> => {
  const { count, error, missingKinds = [], name, status } = coverage
  const told = count > 0 ? "its costs are those that were kept" : "none of its costs are told"
  if (!answered(coverage)) {
    return [`warning: cluster ${name}: ${status}, ${told}${error === undefined ? "" : `: ${error.message}`}`]
  }
  return [
    ...(status === "stale" ? [`warning: cluster ${name}: does not answer at the moment (stale), ${told}`] : []),
    ...(missingKinds.length > 0
      ? [`warning: cluster ${name}: its ${missingKinds.join(", ")} cannot be read at the moment, ${told}`]
      : [])
  ]
}

/**
 * Tells, a line a cluster, which steps are cheaper by what is not known.
 *
 * **Example** `warning: cluster prod: some steps are not covered in full: 2026-03-01 00:00 (18 h of 1 d) and 2 more`
 */
export const steps = (buckets: ReadonlyArray<Bucket>): ReadonlyArray<string> => {
  const names = [...new Set(buckets.flatMap(({ clusters }) => clusters.map(({ name }) => name)))]
  return names.flatMap((name) => {
    const gaps = buckets.flatMap(({ clusters, start }) =>
      clusters
        .filter((one) => one.name === name && missingOf(one) >= TOLERANCE)
        .map((one) => `${CostText.minute(start)} (${coveredOf(one)})`)
    )
    const more = gaps.length > NAMED_STEPS ? ` and ${gaps.length - NAMED_STEPS} more` : ""
    const named = gaps.slice(0, NAMED_STEPS).join(", ")
    return gaps.length === 0 ? [] : [`warning: cluster ${name}: some steps are not covered in full: ${named}${more}`]
  })
}

const missingOf = ({ hoursCovered, hoursInWindow }: SeenHours): number => hoursInWindow - hoursCovered

const coveredOf = ({ hoursCovered, hoursInWindow }: SeenHours): string =>
  `${CostText.span(hoursCovered)} of ${CostText.span(hoursInWindow)}`

const gapOf = (coverage: CostCoverage): ReadonlyArray<string> => {
  const missing = missingOf(coverage)
  if (missing < TOLERANCE) return []
  const { hoursCovered, hoursInWindow, name } = coverage
  const [gap, window] = [CostText.span(missing), CostText.span(hoursInWindow)]
  // In two units each a small gap would not show.
  return CostText.span(hoursCovered) === window
    ? [`warning: cluster ${name}: covered all but ${gap} of ${window}; what ran then is not counted`]
    : [`warning: cluster ${name}: covered ${coveredOf(coverage)}; what ran in the other ${gap} is not counted`]
}

/** Says that a limit has cut a report. */
export const rest = (what: string, shown: number): string =>
  `note: there are more ${what} than the ${shown} that are shown; --all prints them all`
