/** Interprets the rejection of a watch, and the error that ends one. */
import { Option } from "effect"
import { decodeStatus, fromAnswer } from "./AnswerProblem.ts"
import type { ClusterError } from "./ClusterError.ts"

/**
 * Returns whether the content types were rejected. A proxy that supports only JSON may reject the whole list of types.
 */
export const isNotAcceptable = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterAnswerInvalid" && reason.status === 406

/**
 * Returns whether a watch-list may be unsupported. If the watch itself was rejected, the list that follows fails with
 * the reason.
 */
export const refusesWatchList = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterForbids"
  || (reason._tag === "ClusterAnswerInvalid" && (reason.status === 400 || reason.status === 422))

/** Returns the reason of an error event of a watch. */
export const reasonOf = (
  status: unknown,
  action: { verb: string; resource: string },
  nowMs: number
): ClusterError["reason"] => {
  const decodedStatus = Option.getOrUndefined(decodeStatus(status))
  return fromAnswer({
    isWrite: false,
    status: decodedStatus?.code ?? 500,
    headers: {},
    // Leave out the message: an event has no known credential by which to mask it.
    body: JSON.stringify({
      kind: "Status",
      reason: decodedStatus?.reason ?? "Unknown",
      details: decodedStatus?.details
    }),
    ...action,
    secrets: [],
    nowMs
  })
}
