/**
 * What the user must know of a report of costs beside its figures.
 */
import { answered } from "@quarterdeck/cluster-fanout/Coverage"
import type { Bucket } from "@quarterdeck/cost/Aggregate"
import type { CostCoverage, SeenHours } from "@quarterdeck/cost/CostRow"
import type { Option } from "effect"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as CostText from "./CostText.ts"

/** What the open hour lacks between two samples is no gap. **Units** hours. */
const TOLERANCE = 0.1
/** Steps that a line names. */
const NAMED_STEPS = 3

/**
 * Tells, a line for all clusters that it holds for, which do not answer now and of which some of the window is not known.
 *
 * **Example** `warning: cluster prod: covered 6 d of 7 d; what ran in the other 1 d is not counted`
 */
export const lines = (clusters: ReadonlyArray<CostCoverage>, nowMs: number): ReadonlyArray<string> =>
  CoverageNotes.fold(clusters.flatMap((coverage) => [...stateOf(coverage, nowMs), ...gapOf(coverage)]))

type Note = CoverageNotes.Note

const stateOf = (coverage: CostCoverage, nowMs: number): ReadonlyArray<Note> => {
  const { count, missingKinds = [], name: cluster, status } = coverage
  const told = (whose: string) =>
    count > 0 ? `${whose} costs are those that were kept` : `none of ${whose} costs are told`
  const cause = coverage.error === undefined ? "" : `: ${CoverageNotes.causeOf(coverage)}`
  if (status === "retired") {
    const endMs = nowMs - coverage.ageMs
    return [{ cluster, text: (whose) => `left, ${whose} costs end on ${new Date(endMs).toISOString().slice(0, 10)}` }]
  }
  if (!answered(coverage)) return [{ cluster, text: (whose) => `${status}, ${told(whose)}${cause}` }]
  return [
    ...(status === "stale"
      ? [{ cluster, text: (whose: string) => `no answer at the moment (stale), ${told(whose)}${cause}` }]
      : []),
    ...(missingKinds.length > 0
      ? [
          {
            cluster,
            text: (whose: string) => `${whose} ${missingKinds.join(", ")} cannot be read at the moment, ${told(whose)}`
          }
        ]
      : [])
  ]
}

/**
 * Tells, a line for all clusters that it holds for, which steps are cheaper by what is not known.
 *
 * **Example** `warning: cluster prod: some steps are not covered in full: 2026-03-01 00:00 (18 h of 1 d) and 2 more`
 */
export const steps = (buckets: ReadonlyArray<Bucket>): ReadonlyArray<string> => {
  const names = [...new Set(buckets.flatMap(({ clusters }) => clusters.map(({ name }) => name)))]
  const notes = names.flatMap((name): ReadonlyArray<Note> => {
    const gaps = buckets.flatMap(({ clusters, start }) =>
      clusters
        .filter((one) => one.name === name && missingOf(one) >= TOLERANCE)
        .map((one) => `${CostText.minute(start)} (${coveredOf(one)})`)
    )
    const more = gaps.length > NAMED_STEPS ? ` and ${gaps.length - NAMED_STEPS} more` : ""
    const named = gaps.slice(0, NAMED_STEPS).join(", ")
    if (gaps.length === 0) return []
    return [{ cluster: name, text: () => `some steps are not covered in full: ${named}${more}` }]
  })
  return CoverageNotes.fold(notes)
}

const missingOf = ({ hoursCovered, hoursInWindow }: SeenHours): number => hoursInWindow - hoursCovered

const coveredOf = ({ hoursCovered, hoursInWindow }: SeenHours): string =>
  `${CostText.span(hoursCovered)} of ${CostText.span(hoursInWindow)}`

const gapOf = (coverage: CostCoverage): ReadonlyArray<Note> => {
  const missing = missingOf(coverage)
  if (missing < TOLERANCE) return []
  const { hoursCovered, hoursInWindow, name: cluster } = coverage
  const [gap, window] = [CostText.span(missing), CostText.span(hoursInWindow)]
  // In two units each a small gap would not show.
  const text =
    CostText.span(hoursCovered) === window
      ? `covered all but ${gap} of ${window}; what ran then is not counted`
      : `covered ${coveredOf(coverage)}; what ran in the other ${gap} is not counted`
  return [{ cluster, text: () => text }]
}

/** Tells whether any hour was seen. **Shape** without a cluster nothing can be seen, and a report is empty for that reason. */
export const isSeen = (clusters: ReadonlyArray<SeenHours>): boolean =>
  clusters.length === 0 || clusters.some(({ hoursCovered }) => hoursCovered > 0)

/** Says why a report is empty: no hour of its window was seen, or no costs match. */
export const nothingFound = (clusters: ReadonlyArray<CostCoverage>, target: Option.Option<string>): string => {
  if (isSeen(clusters)) return CoverageNotes.nothingFound("costs", clusters, target)
  return `costs are ${CostText.NOT_KNOWN}: no hour of this window was seen (asked: ${CoverageNotes.statusesOf(clusters)})`
}

/** Says that a limit has cut a report. */
export const rest = (what: string, shown: number): string =>
  `note: there are more ${what} than the ${shown} that are shown; --all prints them all`
