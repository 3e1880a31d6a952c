/**
 * Words, colours and reasons for the coverage of a cluster.
 */
import type { Coverage } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"

type Status = Coverage["status"]

/** State of a cluster's rows. `missing`: no rows. `incomplete`: some kinds are missing. `left`: no longer registered. */
export type Health = "ok" | "stale" | "incomplete" | "missing" | "left"

const WORDS: Readonly<Record<Status, string>> = {
  ok: "answered",
  stale: "stale",
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
  if ((missingKinds?.length ?? 0) > 0) return "incomplete"
  return status
}

/** Returns how many clusters answered, as a sentence. */
export const summaryOf = (coverages: ReadonlyArray<Coverage>): string => {
  if (coverages.length === 0) return "No registered cluster is in your key's scope"
  const answered = coverages.filter((coverage) => healthOf(coverage) !== "missing").length
  return `${Quantity.count(answered)} of ${Quantity.counted(coverages.length, "cluster")} answered`
}

/** Returns the reason why a cluster's rows are missing, incomplete or stale. */
export const reasonOf = (coverage: Coverage): string | undefined => {
  if (coverage.status === "retired") return LEFT
  const kinds = coverage.missingKinds ?? []
  const missing = kinds.length === 0 ? undefined : `Its ${kinds.join(", ")} cannot be read.`
  return coverage.error?.message ?? missing ?? (coverage.status === "stale" ? STALE : undefined)
}

const LEFT = "This cluster is no longer registered. Its costs are kept."
const STALE = "The cluster does not answer at the moment. Its rows are from its last answer."

export const COLORS: Readonly<Record<Health, string>> = {
  ok: "teal",
  stale: "yellow",
  incomplete: "yellow",
  missing: "red",
  left: "gray"
}
