/**
 * What a cluster's part of an answer means to a reader.
 */
import type { Coverage } from "../api/Shapes.ts"

type Status = Coverage["status"]

/** How much of a cluster's rows is shown: none of a `missing` one; an `incomplete` one lacks some kind; one that `left` has its past. */
export type Health = "ok" | "stale" | "incomplete" | "missing" | "left"

const WORDS: Readonly<Record<Status, string>> = {
  ok: "answered",
  stale: "stale",
  timeout: "timed out",
  unreachable: "unreachable",
  unauthorized: "refuses the credential",
  forbidden: "forbids it",
  throttled: "throttled",
  unsupported: "unsupported",
  error: "failed",
  retired: "left"
}

export const wordOf = ({ missingKinds, status }: Coverage): string =>
  status === "ok" && (missingKinds?.length ?? 0) > 0 ? "incomplete" : WORDS[status]

export const healthOf = ({ missingKinds, status }: Coverage): Health => {
  if (status === "retired") return "left"
  if (status !== "ok" && status !== "stale") return "missing"
  if ((missingKinds?.length ?? 0) > 0) return "incomplete"
  return status
}

/** Says why a cluster's rows are missing, or are not what they might be. */
export const reasonOf = (coverage: Coverage): string | undefined => {
  if (coverage.status === "retired") return LEFT
  const kinds = coverage.missingKinds ?? []
  const missing = kinds.length === 0 ? undefined : `Its ${kinds.join(", ")} cannot be read.`
  return coverage.error?.message ?? missing ?? (coverage.status === "stale" ? STALE : undefined)
}

const LEFT = "No registered cluster has this name any more. Its costs are kept."
const STALE = "It does not answer at the moment: its rows are those of the last time that it did."

export const COLORS: Readonly<Record<Health, string>> = {
  ok: "teal",
  stale: "yellow",
  incomplete: "yellow",
  missing: "red",
  left: "gray"
}
