/**
 * Finds the problem of a pod that is not ready, and its reason as the cluster reports it.
 */
import { condition, type Fields, fields, list, text } from "./Field.ts"
import type { Interner } from "./Interner.ts"
import * as RowLimit from "./RowLimit.ts"
import { compareText } from "./RowOrder.ts"

/**
 * A problem of a pod.
 *
 * **Shape** `blocked`: the pod needs intervention, or a container has just failed. `unready`: it runs and is not ready.
 * `failed`: it has ended. `since` is RFC 3339, empty if the cluster does not report it.
 */
export interface PodTrouble {
  readonly level: "blocked" | "unready" | "failed"
  readonly reason: string
  readonly since: string
}

/** Fields of a pod that are already known. **Shape** `word` is the STATUS column of `kubectl get pods`. */
interface Known {
  readonly isReady: boolean
  readonly phase: string
  readonly word: string
}

const UNSCHEDULABLE = "Unschedulable"
const NOT_READY = "ContainersNotReady"

/** Reasons of pods that need intervention or have just failed, the worst first. */
const WAITING = [
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  UNSCHEDULABLE,
  "OOMKilled",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError"
]

const RANKS: ReadonlyMap<string, number> = new Map(WAITING.map((reason, rank) => [reason, rank]))

/** Returns how bad a reason is: 0 is the worst. Reasons without a rank of their own share the last one. */
export const rankOf = (reason: string): number => RANKS.get(reason) ?? WAITING.length

/** Compares two reasons, the worse first. */
export const compareReasons = (left: string, right: string): number =>
  rankOf(left) - rankOf(right) || compareText(left, right)

/** Reads the problem of a pod. **Shape** `undefined` if the pod is ready, succeeded or is starting normally. */
export const fromPod = (
  status: Fields,
  { isReady, phase, word }: Known,
  interner: Interner
): PodTrouble | undefined => {
  if (isReady || phase === "Succeeded") return undefined
  const of = (level: PodTrouble["level"], reason: string, conditionType: string): PodTrouble => ({
    level,
    reason: interner.text(RowLimit.word(reason)),
    since: since(condition(status, conditionType))
  })
  if (phase === "Failed") return of("failed", word, "Ready")
  const scheduled = condition(status, "PodScheduled")
  if (scheduled?.["status"] === "False" && scheduled["reason"] === UNSCHEDULABLE) {
    return of("blocked", UNSCHEDULABLE, "PodScheduled")
  }
  const blocked = worstOfContainers(status)
  if (blocked !== undefined) return of("blocked", blocked, "Ready")
  return phase === "Pending"
    ? undefined
    : of("unready", filled(condition(status, "Ready")?.["reason"]) ?? NOT_READY, "Ready")
}

const worstOfContainers = (status: Fields): string | undefined => {
  let worst: string | undefined
  for (const field of ["containerStatuses", "initContainerStatuses"]) {
    for (const container of list(status[field])) {
      const reason = reasonOf(fields(fields(container)["state"]))
      if (reason !== undefined && (worst === undefined || compareReasons(reason, worst) < 0)) worst = reason
    }
  }
  return worst
}

/** Returns the reason of a container that needs intervention, or has just failed. */
const reasonOf = ({ terminated, waiting }: Fields): string | undefined => {
  if (terminated !== undefined) {
    const { exitCode, reason } = fields(terminated)
    return exitCode === 0 ? undefined : (filled(reason) ?? "Error")
  }
  const reason = filled(fields(waiting)["reason"])
  return reason !== undefined && RANKS.has(reason) ? reason : undefined
}

/** Returns the instant since which a condition has not been met; empty if it is met, missing or without an instant. */
const since = (unmet: Fields | undefined): string => {
  const at = unmet?.["status"] === "True" ? undefined : text(unmet?.["lastTransitionTime"])
  return instant(at)
}

/** Returns an instant as the cluster wrote it; empty for a text that is no instant. */
export const instant = (at: string | undefined): string =>
  at === undefined || Number.isNaN(Date.parse(at)) ? "" : RowLimit.word(at)

const filled = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
