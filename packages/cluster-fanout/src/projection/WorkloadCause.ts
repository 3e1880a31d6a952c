/**
 * Reads from a controller's status why its workload is failed or degraded.
 */
import { condition, type Fields, text } from "./Field.ts"
import * as PodTrouble from "./PodTrouble.ts"
import * as RowLimit from "./RowLimit.ts"
import type { WorkloadRow } from "./Row.ts"

/** Reason of a row and the instant at which it began, where known. */
export type Cause = Pick<WorkloadRow, "reason" | "since">

/** Reason of a workload with fewer available replicas than desired. **Source** Kubernetes, the Available condition. */
const UNAVAILABLE = "MinimumReplicasUnavailable"
/** Reason of a Job with failed pods. */
const PODS_FAILED = "PodsFailed"

const GENERAL: ReadonlySet<string | undefined> = new Set([UNAVAILABLE, PODS_FAILED])

/** Returns whether a row's reason says no more than that replicas are missing or have failed. */
export const isGeneral = ({ reason }: Cause): boolean => GENERAL.has(reason)

/** Makes a cause. **Shape** without `since` if the instant is empty. */
export const make = (reason: string, since: string): Cause => ({
  reason: RowLimit.word(reason),
  ...(since === "" ? {} : { since })
})

export const unavailable: Cause = make(UNAVAILABLE, "")

/** Explains a degraded Deployment: its missed deadline, its failing ReplicaSet, or its missing replicas. */
export const ofDeployment = (status: Fields): Cause => {
  const progressing = condition(status, "Progressing")
  if (progressing?.["reason"] === "ProgressDeadlineExceeded") return ofCondition(progressing, UNAVAILABLE)
  return ofReplicaFailure(status) ?? ofCondition(condition(status, "Available"), UNAVAILABLE)
}

/** Explains a degraded ReplicaSet. */
export const ofReplicaSet = (status: Fields): Cause => ofReplicaFailure(status) ?? unavailable

/** Explains a failed Job, or one with failed pods that still runs. */
export const ofJob = (status: Fields, isFailed: boolean): Cause =>
  isFailed ? ofCondition(condition(status, "Failed"), PODS_FAILED) : make(PODS_FAILED, "")

const ofReplicaFailure = (status: Fields): Cause | undefined => {
  const failure = condition(status, "ReplicaFailure")
  return failure?.["status"] === "True" ? ofCondition(failure, UNAVAILABLE) : undefined
}

const ofCondition = (found: Fields | undefined, otherwise: string): Cause =>
  make(text(found?.["reason"]) || otherwise, PodTrouble.instant(text(found?.["lastTransitionTime"])))

/**
 * Returns the worst of some causes: its reason, and the earliest instant at which that reason began.
 *
 * **Shape** empty if none has a reason.
 */
export const worstOf = (causes: Iterable<Cause>): Cause => {
  let worst: Cause = {}
  for (const { reason, since = "" } of causes) {
    if (reason === undefined) continue
    const compared = worst.reason === undefined ? -1 : PodTrouble.compareReasons(reason, worst.reason)
    const isEarlier = since !== "" && (worst.since === undefined || since < worst.since)
    if (compared < 0 || (compared === 0 && isEarlier)) worst = make(reason, since)
  }
  return worst
}
