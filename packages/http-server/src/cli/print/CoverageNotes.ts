/**
 * Warnings about clusters whose answers are missing, stale or incomplete.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Option } from "effect"

/**
 * A warning about one cluster.
 *
 * **Shape** `text` follows the cluster's name. Notes whose texts differ only in `ageMs` are merged into one line.
 */
export interface Note {
  readonly cluster: string
  readonly ageMs?: number
  readonly text: (whose: "its" | "their", age: string) => string
}

/** The parts of a coverage that notes need. Cost reports also have the status `retired`. */
type Told = Pick<Coverage, "ageMs" | "missingKinds" | "error"> & {
  readonly name: string
  readonly status: Coverage["status"] | "retired"
}

/** Maximum clusters that a line names. */
const NAMED = 5

/**
 * Returns warnings about clusters whose rows are missing or stale. Equal warnings of several clusters share a line.
 *
 * **Example** `warning: clusters stage, test: timeout, their rows are missing: no answer within 3000 ms`
 */
export const lines = (coverages: ReadonlyArray<Told>): ReadonlyArray<string> => fold(coverages.flatMap(notesOf))

/** Merges equal notes and prints each as one warning, in the order of their first cluster. */
export const fold = (notes: ReadonlyArray<Note>): ReadonlyArray<string> => {
  const alike = Map.groupBy(notes, ({ text }) => text("its", ""))
  return [...alike.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const oldest = `${Math.round(Math.max(...group.map(({ ageMs = 0 }) => ageMs)) / 1_000)} s`
    if (group.length === 1) return [`warning: cluster ${first.cluster}: ${first.text("its", oldest)}`]
    const names = group.map(({ cluster }) => cluster)
    const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : ""
    return [`warning: clusters ${names.slice(0, NAMED).join(", ")}${rest}: ${first.text("their", `up to ${oldest}`)}`]
  })
}

/**
 * Makes the message for an empty list, with the addressed clusters and their status.
 */
export const nothingFound = (what: string, coverages: ReadonlyArray<Told>, target: Option.Option<string>): string => {
  const hint = Option.isNone(target) ? "; --cluster '*' asks every cluster of the key" : ""
  return `no ${what} match (asked: ${statusesOf(coverages)})${hint}`
}

/** Lists the clusters of a request with their status. **Example** `hub ok, prod timeout` */
export const statusesOf = (coverages: ReadonlyArray<Pick<Told, "name" | "status">>): string =>
  coverages.length === 0 ? "no cluster" : coverages.map(({ name, status }) => `${name} ${status}`).join(", ")

/** Returns the reason for a cluster's status. **Shape** empty if the cluster answered in full. */
export const reasonOf = (coverage: Told): string => {
  const { ageMs, missingKinds = [], status } = coverage
  return [
    ...(status === "stale" ? [`rows are ${Math.round(ageMs / 1_000)} s old`] : []),
    ...(coverage.error === undefined ? [] : [causeOf(coverage)]),
    ...(answered(coverage) && missingKinds.length > 0 ? [`cannot read ${missingKinds.join(", ")}`] : [])
  ].join("; ")
}

/** Picks one coverage for each cluster of several pages: the first with missing rows, else the last. */
export const worstOf = (pages: ReadonlyArray<ReadonlyArray<Coverage>>): ReadonlyArray<Coverage> => {
  const byName = new Map<string, Coverage>()
  for (const coverage of pages.flat()) {
    const earlier = byName.get(coverage.name)
    if (earlier === undefined || isWhole(earlier)) byName.set(coverage.name, coverage)
  }
  return [...byName.values()]
}

/** Returns a cluster's error without the cluster's name, which callers print themselves; empty without an error. */
export const causeOf = ({ error, name }: Pick<Told, "error" | "name">): string => {
  const message = error?.message ?? ""
  return message.replace(`cluster ${name}: `, "").replace(`cluster ${name} `, "")
}

const isWhole = (coverage: Told): boolean => answered(coverage) && (coverage.missingKinds?.length ?? 0) === 0

const notesOf = (coverage: Told): ReadonlyArray<Note> => {
  const { ageMs, missingKinds = [], name: cluster, status } = coverage
  const cause = coverage.error === undefined ? "" : `: ${causeOf(coverage)}`
  if (!answered(coverage)) return [{ cluster, text: (whose) => `${status}, ${whose} rows are missing${cause}` }]
  return [
    ...(status === "stale"
      ? [{ cluster, ageMs, text: (whose: string, age: string) => `stale, ${whose} rows are ${age} old${cause}` }]
      : []),
    ...(missingKinds.length > 0 ? [{ cluster, text: () => `rows of ${missingKinds.join(", ")} are missing` }] : [])
  ]
}
