/** Says what the refusal of a watch, or the error that ends one, stands for. */
import { Option } from "effect"
import { decodeStatus, fromAnswer } from "./AnswerProblem.ts"
import type { ClusterError } from "./ClusterError.ts"

/** A proxy that knows JSON alone may not look at what else would do. */
export const isNotAcceptable = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterAnswerInvalid" && reason.status === 406

/** Whether it was the watch-list or the watch that was refused, the list that follows tells: it fails in its own words. */
export const refusesWatchList = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterForbids"
  || (reason._tag === "ClusterAnswerInvalid" && (reason.status === 400 || reason.status === 422))

/** Names the reason of an error that came as an event of a watch. */
export const reasonOf = (
  status: unknown,
  action: { verb: string; resource: string },
  nowMs: number
): ClusterError["reason"] => {
  const told = Option.getOrUndefined(decodeStatus(status))
  return fromAnswer({
    isWrite: false,
    status: told?.code ?? 500,
    headers: {},
    // Its message is left out: an event has no credential to mask it by.
    body: JSON.stringify({ kind: "Status", reason: told?.reason ?? "Unknown", details: told?.details }),
    ...action,
    secrets: [],
    nowMs
  })
}
