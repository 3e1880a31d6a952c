/**
 * Words, colours and reasons for the coverage of a cluster.
 */
import type { Coverage } from "../api/Shapes.ts"
import { sinceTextOf } from "../format/SinceText.ts"
import * as Quantity from "../format/Quantity.ts"

type Status = Coverage["status"]

/** State of a cluster's rows. `missing`: no rows. `incomplete`: some kinds are missing. `left`: no longer registered. */
export type Health = "ok" | "stale" | "incomplete" | "missing" | "left"

/** Plural noun of the rows that a page shows. */
export type Rows = "workloads" | "pods" | "events" | "namespaces" | "figures" | "costs"

const WORDS: Readonly<Record<Status, string>> = {
  ok: "reachable",
  stale: "no answer",
  timeout: "timed out",
  unreachable: "unreachable",
  unauthorized: "credential refused",
  forbidden: "access forbidden",
  throttled: "throttled",
  unsupported: "unsupported",
  error: "failed",
  retired: "removed"
}

export const wordOf = ({ missingKinds, status }: Coverage): string =>
  status === "ok" && (missingKinds?.length ?? 0) > 0 ? "incomplete" : WORDS[status]

export const healthOf = ({ missingKinds, status }: Coverage): Health => {
  if (status === "retired") return "left"
  if (status !== "ok" && status !== "stale") return "missing"
  if (status === "stale") return "stale"
  return (missingKinds?.length ?? 0) > 0 ? "incomplete" : "ok"
}

/** Returns true if a cluster answers. The rows of any other cluster are from its last answer, or missing. */
export const answers = (coverage: Coverage): boolean => {
  const health = healthOf(coverage)
  return health !== "missing" && health !== "stale"
}

/** Returns how many clusters answer, as a sentence without its full stop. */
export const summaryOf = (coverages: ReadonlyArray<Coverage>): string => {
  if (coverages.length === 0) return "No registered cluster is in your key's scope"
  const answering = coverages.filter(answers).length
  const verb = coverages.length === 1 && answering === 1 ? "answers" : "answer"
  return `${Quantity.count(answering)} of ${Quantity.counted(coverages.length, "cluster")} ${verb}`
}

/** Note on the rows of a cluster that no longer answers. */
const KEPT: Readonly<Record<Rows, string>> = {
  workloads: "Its workloads are as last known.",
  pods: "Its pods are as last known.",
  events: "Its events are as last known.",
  namespaces: "Its namespaces are as last known.",
  figures: "Its figures are as last known.",
  costs: "Its costs end then."
}

/**
 * Returns why a cluster's rows are missing, incomplete or old, and what that means for the page.
 *
 * **Shape** `undefined` if the rows are complete and current.
 */
export const troubleOf = (coverage: Coverage, rows: Rows, nowMs: number): string | undefined => {
  const { ageMs, error, missingKinds = [] } = coverage
  switch (healthOf(coverage)) {
    case "ok":
      return undefined
    case "left":
      return "This cluster is no longer registered. Its costs are kept."
    case "incomplete":
      return `Its ${missingKinds.join(", ")} cannot be read.`
    case "stale":
      return `no answer since ${sinceTextOf(nowMs - ageMs, nowMs)}. ${KEPT[rows]}`
    case "missing":
      return `${error?.message ?? wordOf(coverage)}. Its ${rows} are missing.`
  }
}

/** Prints the clusters whose rows a live list keeps current. **Shape** `undefined` if it does so for all clusters. */
export const liveFor = (coverages: ReadonlyArray<Coverage>): string | undefined => {
  const live = coverages.filter(answers).map(({ name }) => name)
  if (live.length === coverages.length) return undefined
  if (live.length === 0) return "no cluster"
  return live.length > NAMED ? `${live.length} of ${coverages.length} clusters` : names.format(live)
}

/** Maximum number of clusters that are named. */
const NAMED = 3
const names = new Intl.ListFormat("en")

export const COLORS: Readonly<Record<Health, string>> = {
  ok: "teal",
  stale: "red",
  incomplete: "yellow",
  missing: "red",
  left: "gray"
}
