/**
 * Texts for the outcomes of a bulk action.
 */
import type { ActionName } from "../api/ActionQueries.ts"
import type { Outcome } from "../api/BulkCall.ts"
import * as Quantity from "../format/Quantity.ts"
import type { Fate } from "./BulkRun.ts"

type Code = NonNullable<Outcome["code"]>

const REASONS: Readonly<Record<Exclude<Code, "action_unsupported">, string>> = {
  namespace_forbidden: "Its namespace is outside your key's scope.",
  workload_not_found: "It does not exist, or belongs to another workload.",
  workload_changed: "It was changed by someone else at the same moment.",
  cluster_forbids:
    "Its cluster refused: the server's credential lacks the permission, or an admission rule forbids the change.",
  cluster_unreachable: "Its cluster does not answer. Nothing was changed.",
  cluster_throttled: "Its cluster throttled the request. Nothing was changed.",
  cluster_timeout: "Its cluster did not answer in time. Nothing was changed.",
  outcome_unknown: "The cluster's answer was lost. Check the workload before you try again.",
  key_revoked: "The key was revoked before this workload's turn.",
  key_expired: "The key expired before this workload's turn.",
  session_ended: "The session ended before this workload's turn.",
  invalid_key: "The key was removed before this workload's turn."
}

const DONE: Readonly<Record<ActionName, string>> = {
  scale: "scaled",
  restart: "restarted",
  pause: "paused",
  resume: "resumed"
}

/** Returns the reason why a workload was not changed, or why its outcome is unknown. */
export const reasonOf = (action: ActionName, { code, kind }: Pick<Outcome, "code" | "kind">): string | undefined => {
  if (code === undefined) return undefined
  return code === "action_unsupported" ? `A ${kind} cannot be ${DONE[action]}.` : REASONS[code]
}

/** Label and colour of an outcome. */
interface Verdict {
  readonly word: string
  readonly color: string
}

export const FATES: Readonly<Record<Fate, Verdict>> = {
  applied: { word: "Applied", color: "teal" },
  refused: { word: "Refused", color: "orange" },
  failed: { word: "Failed", color: "red" },
  unknown: { word: "Unknown", color: "yellow" },
  underway: { word: "Running", color: "blue" },
  unreported: { word: "Not reported", color: "gray" }
}

const ORDER = ["applied", "refused", "failed", "unknown", "underway", "unreported"] as const

/** Prints the number of workloads of each fate. **Example** `3 applied, 1 failed` */
export const tallyText = (counts: Readonly<Record<Fate, number>>): string =>
  ORDER.filter((fate) => counts[fate] > 0)
    .map((fate) => `${Quantity.count(counts[fate])} ${FATES[fate].word.toLowerCase()}`)
    .join(", ")

/** Returns the label and colour of a workload's outcome in the dry run. */
export const previewVerdict = ({ status }: Outcome): Verdict => {
  switch (status) {
    case "dryRun":
    case "applied":
      return { word: "Ready", color: "teal" }
    case "refused":
      return { word: "Skipped: refused", color: "orange" }
    case "failed":
      return { word: "Skipped: no answer", color: "red" }
  }
}
