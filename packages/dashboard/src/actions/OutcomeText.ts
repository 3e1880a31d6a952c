/**
 * What became of a workload, in words.
 */
import type { ActionName } from "../api/ActionQueries.ts"
import type { Outcome } from "../api/BulkCall.ts"
import * as Quantity from "../format/Quantity.ts"
import type { Fate } from "./BulkRun.ts"

type Code = NonNullable<Outcome["code"]>

const REASONS: Readonly<Record<Exclude<Code, "action_unsupported">, string>> = {
  namespace_forbidden: "Your key does not reach its namespace.",
  workload_not_found: "It is not there, or belongs to another workload.",
  workload_changed: "Somebody else changed it at the same moment.",
  cluster_forbids: "Its cluster refuses: the service's credential may not, or a rule of admission is against it.",
  cluster_unreachable: "Its cluster does not answer. Nothing was changed.",
  cluster_throttled: "Its cluster asks for patience. Nothing was changed.",
  cluster_timeout: "Its cluster did not answer in time. Nothing was changed.",
  outcome_unknown: "The cluster's answer was lost. Look at it before you try again.",
  key_revoked: "The key was revoked before its turn.",
  key_expired: "The key expired before its turn.",
  session_ended: "The session ended before its turn.",
  invalid_key: "The key was not known any more when it was its turn."
}

const DONE: Readonly<Record<ActionName, string>> = {
  scale: "scaled",
  restart: "restarted",
  pause: "paused",
  resume: "resumed"
}

/** Says why nothing became of a workload, or nobody knows. */
export const reasonOf = (action: ActionName, { code, kind }: Pick<Outcome, "code" | "kind">): string | undefined => {
  if (code === undefined) return undefined
  return code === "action_unsupported" ? `A ${kind} cannot be ${DONE[action]}.` : REASONS[code]
}

/** What a row says of its workload, and the colour of its mark. */
interface Verdict {
  readonly word: string
  readonly color: string
}

export const FATES: Readonly<Record<Fate, Verdict>> = {
  applied: { word: "Applied", color: "teal" },
  refused: { word: "Refused", color: "orange" },
  failed: { word: "Failed", color: "red" },
  unknown: { word: "Unknown", color: "yellow" },
  underway: { word: "Under way", color: "blue" },
  notTold: { word: "Not reached", color: "gray" }
}

const ORDER = ["applied", "refused", "failed", "unknown", "underway", "notTold"] as const

/** Says how many there are of each fate. **Example** `3 applied, 1 failed` */
export const tallyText = (counts: Readonly<Record<Fate, number>>): string =>
  ORDER.filter((fate) => counts[fate] > 0)
    .map((fate) => `${Quantity.count(counts[fate])} ${FATES[fate].word.toLowerCase()}`)
    .join(", ")

/** What a dry run says of a workload. */
export const previewVerdict = ({ status }: Outcome): Verdict => {
  switch (status) {
    case "dryRun":
    case "applied":
      return { word: "Can be done", color: "teal" }
    case "refused":
      return { word: "Left out: refused", color: "orange" }
    case "failed":
      return { word: "Left out: no answer", color: "red" }
  }
}
