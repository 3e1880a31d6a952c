/**
 * What the user must know of clusters that did not answer in full.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Option } from "effect"

/**
 * Tells, a line a cluster, whose rows are missing or old; nothing for clusters that answered well.
 *
 * **Example** `warning: cluster stage: timeout, its rows are missing: no answer within 3000 ms`
 */
export const lines = (coverages: ReadonlyArray<Coverage>): ReadonlyArray<string> => coverages.flatMap(linesOf)

/**
 * Says which clusters were asked when nothing was found, so that an empty table is no silent zero.
 */
export const nothingFound = (
  what: string,
  coverages: ReadonlyArray<Coverage>,
  target: Option.Option<string>
): string => {
  const asked = coverages.map(({ name, status }) => `${name} ${status}`).join(", ")
  const hint = Option.isNone(target) ? "; --cluster '*' asks every cluster of the key" : ""
  return `no ${what} match (asked: ${asked === "" ? "no cluster" : asked})${hint}`
}

const linesOf = (coverage: Coverage): ReadonlyArray<string> => {
  const { ageMs, error, missingKinds = [], name, status } = coverage
  if (!answered(coverage)) {
    return [
      `warning: cluster ${name}: ${status}, its rows are missing${error === undefined ? "" : `: ${error.message}`}`
    ]
  }
  return [
    ...(status === "stale" ? [`warning: cluster ${name}: stale, its rows are ${Math.round(ageMs / 1_000)} s old`] : []),
    ...(missingKinds.length > 0 ? [`warning: cluster ${name}: rows of ${missingKinds.join(", ")} are missing`] : [])
  ]
}
