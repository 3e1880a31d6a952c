/**
 * What the user must know of a report of costs beside its figures.
 *
 * @since 0.1.0
 */
import { answered } from "@quarterdeck/cluster-fanout/Coverage"
import type { CostCoverage } from "@quarterdeck/cost/CostRow"
import * as CostText from "./CostText.ts"

/** What the open hour lacks between two samples is no gap. **Units** hours. */
const TOLERANCE = 0.1

/**
 * Tells, a line a cluster, which does not answer now and of which some of the window is not known.
 *
 * **Example** `warning: cluster prod: covered 6 d of 7 d; what ran in the other 1 d is not counted`
 *
 * @since 0.1.0
 */
export const lines = (clusters: ReadonlyArray<CostCoverage>): ReadonlyArray<string> =>
  clusters.flatMap((coverage) => [...stateOf(coverage), ...gapOf(coverage)])

const stateOf = (coverage: CostCoverage): ReadonlyArray<string> => {
  const { count, error, missingKinds = [], name, status } = coverage
  const told = count > 0 ? "its costs are those that were kept" : "none of its costs are told"
  if (!answered(coverage)) {
    return [`warning: cluster ${name}: ${status}, ${told}${error === undefined ? "" : `: ${error.message}`}`]
  }
  return missingKinds.length > 0
    ? [`warning: cluster ${name}: its ${missingKinds.join(", ")} cannot be read at the moment, ${told}`]
    : []
}

const gapOf = ({ hoursCovered, hoursInWindow, name }: CostCoverage): ReadonlyArray<string> => {
  const missing = hoursInWindow - hoursCovered
  if (missing < TOLERANCE) return []
  const covered = `covered ${CostText.span(hoursCovered)} of ${CostText.span(hoursInWindow)}`
  return [`warning: cluster ${name}: ${covered}; what ran in the other ${CostText.span(missing)} is not counted`]
}

/** Says that a limit has cut a report. */
export const rest = (what: string, shown: number): string =>
  `note: there are more ${what} than the ${shown} that are shown; --all prints them all`
