/**
 * Notes about the coverage of a cost report.
 */
import { answered } from "@quarterdeck/cluster-fanout/Coverage"
import type { Bucket } from "@quarterdeck/cost/Aggregate"
import type { CostCoverage, PreviousCosts, SeenHours } from "@quarterdeck/cost/CostRow"
import type { Option } from "effect"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as CostText from "./CostText.ts"

/** Shorter gaps are not reported: they may be the time since the last sample of the current hour. **Units** hours. */
const TOLERANCE = 0.1
/** Maximum steps that a line names. */
const NAMED_STEPS = 3

/**
 * Returns warnings about clusters that do not answer now, or whose costs cover only a part of the window.
 *
 * **Example** `warning: cluster prod: covered 6 d of 7 d; what ran in the other 1 d is not counted`
 */
export const lines = (clusters: ReadonlyArray<CostCoverage>, nowMs: number): ReadonlyArray<string> =>
  CoverageNotes.fold(clusters.flatMap((coverage) => [...stateOf(coverage, nowMs), ...gapOf(coverage)]))

type Note = CoverageNotes.Note

const stateOf = (coverage: CostCoverage, nowMs: number): ReadonlyArray<Note> => {
  const { count, missingKinds = [], name: cluster, status } = coverage
  const reported = (whose: string) =>
    count > 0 ? `${whose} stored costs are shown` : `none of ${whose} costs are shown`
  const cause = coverage.error === undefined ? "" : `: ${CoverageNotes.causeOf(coverage)}`
  if (status === "retired") {
    const endMs = nowMs - coverage.ageMs
    return [
      {
        cluster,
        text: (whose) => `no longer registered, ${whose} costs end on ${new Date(endMs).toISOString().slice(0, 10)}`
      }
    ]
  }
  if (!answered(coverage)) return [{ cluster, text: (whose) => `${status}, ${reported(whose)}${cause}` }]
  return [
    ...(status === "stale"
      ? [{ cluster, text: (whose: string) => `does not answer now (stale), ${reported(whose)}${cause}` }]
      : []),
    ...(missingKinds.length > 0
      ? [
          {
            cluster,
            text: (whose: string) => `${whose} ${missingKinds.join(", ")} cannot be read now, ${reported(whose)}`
          }
        ]
      : [])
  ]
}

/**
 * Returns warnings about steps of which a cluster's costs cover only a part.
 *
 * **Example** `warning: cluster prod: some steps are not covered in full: 2026-03-01 00:00 (18 h of 1 d) and 2 more`
 */
export const steps = (buckets: ReadonlyArray<Bucket>): ReadonlyArray<string> => {
  const names = [...new Set(buckets.flatMap(({ clusters }) => clusters.map(({ name }) => name)))]
  const notes = names.flatMap((name): ReadonlyArray<Note> => {
    const gaps = buckets.flatMap(({ clusters, start }) =>
      clusters
        .filter((hours) => hours.name === name && missingOf(hours) >= TOLERANCE)
        .map((hours) => `${CostText.minute(start)} (${coveredOf(hours)})`)
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
  // Rounded to two units, both lengths may print as the same text.
  const text =
    CostText.span(hoursCovered) === window
      ? `covered all but ${gap} of ${window}; what ran then is not counted`
      : `covered ${coveredOf(coverage)}; what ran in the other ${gap} is not counted`
  return [{ cluster, text: () => text }]
}

/**
 * Returns true if the costs of any cluster cover a part of the window.
 *
 * Also true without clusters: then the report is empty because it covers no cluster, not because hours are missing.
 */
export const isSeen = (clusters: ReadonlyArray<SeenHours>): boolean =>
  clusters.length === 0 || clusters.some(({ hoursCovered }) => hoursCovered > 0)

/** Explains an empty report: no hour of the window is covered, or no costs match. */
export const nothingFound = (clusters: ReadonlyArray<CostCoverage>, target: Option.Option<string>): string => {
  if (isSeen(clusters)) return CoverageNotes.nothingFound("costs", clusters, target)
  return `costs are ${CostText.NOT_KNOWN}: no hour of this window was seen (asked: ${CoverageNotes.statusesOf(clusters)})`
}

/**
 * Returns warnings about clusters whose costs are not comparable with those of the window before.
 *
 * **Example** `warning: cluster stage: observed for 3 d now and 0 min before, so its costs are not compared`
 */
export const notCompared = (
  previous: PreviousCosts | undefined,
  clusters: ReadonlyArray<SeenHours>
): ReadonlyArray<string> =>
  CoverageNotes.fold(
    (previous?.clusters ?? []).flatMap(({ comparable, hoursCovered, name }): ReadonlyArray<Note> => {
      if (comparable) return []
      const now = clusters.find((cluster) => cluster.name === name)?.hoursCovered ?? 0
      const [present, past] = [CostText.span(now), CostText.span(hoursCovered)]
      return [
        {
          cluster: name,
          text: (whose) => `observed for ${present} now and ${past} before, so ${whose} costs are not compared`
        }
      ]
    })
  )

/** Notes that a limit has truncated the report. */
export const rest = (what: string, shown: number): string =>
  `note: only the first ${shown} ${what} are shown; --all shows all`
