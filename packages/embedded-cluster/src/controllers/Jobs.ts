/**
 * Runs jobs: `parallelism` pods at a time, until enough succeeded or too many failed.
 *
 * **Limits** a failed pod is replaced immediately, without the real controller's backoff. Pod failure policies and
 * success policies are ignored.
 *
 * **Source** Kubernetes, `pkg/controller/job`.
 */
import { arrayAt, at, type Json, type JsonObject, numberAt, put, textAt } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { change, nonZero, remove, withCondition, writeStatus } from "./ControllerWrites.ts"
import * as JobPods from "./JobPods.ts"
import { claim, podsOf } from "./OwnedPods.ts"
import { conditionOf, isActive, objectOf, type Pod, podOf, sum, timeOf } from "./Views.ts"

/** Reason and message of a finished job's condition. */
interface Verdict {
  readonly reason: string
  readonly message: string
}

interface Work {
  readonly turn: Turn
  readonly stored: Stored
  readonly object: JsonObject
  readonly pods: ReadonlyArray<Pod>
  readonly counted: JobPods.Counted
}

export const jobs: Controller = {
  name: "job",
  watches: [
    { resource: Resources.jobs, keys: ownKey },
    podsOf(Resources.jobs),
    // Removes the tracking finalizer of a pod whose job is finished or deleted, since it would keep the pod.
    {
      resource: Resources.pods,
      keys: ({ after }) =>
        after !== undefined && podOf(after).finalizers.includes(JobPods.TRACKED) ? [`${POD}${after.key}`] : []
    }
  ],
  reconcile: (turn, key) => {
    if (key.startsWith(POD)) {
      untrackIfOrphaned(turn, key.slice(POD.length))
      return
    }
    const stored = existing(turn, Resources.jobs, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    const pods = claim(turn, Resources.jobs, stored)
    const counted = JobPods.count(object, pods)
    const work: Work = { turn, stored, object, pods, counted }
    if (isOver(object)) {
      expire(work)
    } else if (at(object, "metadata", "deletionTimestamp") === undefined) {
      advance(work)
    }
    for (const pod of counted.finished) untrack(turn, pod.stored)
  }
}

/** Prefix of the queue keys of pods. No namespace starts with it. */
const POD = "pod:"

const untrackIfOrphaned = (turn: Turn, key: string): void => {
  const stored = existing(turn, Resources.pods, key)
  if (stored === undefined) return
  const { owner } = podOf(stored)
  const job = owner === undefined ? undefined : turn.kernel.store.byUid(owner.uid)?.[1]
  if (job === undefined || isOver(objectOf(job)) || at(objectOf(job), "metadata", "deletionTimestamp") !== undefined)
    untrack(turn, stored)
}

const untrack = (turn: Turn, stored: Stored): void => {
  const now = turn.kernel.store.get(Resources.pods, stored.key)
  if (now?.uid !== stored.uid) return
  change(turn, Resources.pods, now, (object) => {
    const rest = arrayAt(object, "metadata", "finalizers").filter((one) => one !== JobPods.TRACKED)
    return put(object, ["metadata", "finalizers"], rest.length === 0 ? undefined : rest)
  })
}

export const isOver = (job: JsonObject): boolean =>
  ["Complete", "Failed"].some((type) => textAt(conditionOf(job, type), "status") === "True")

const advance = (work: Work): void => {
  const { counted, object, pods, turn } = work
  const suspended = at(object, "spec", "suspend") === true
  const active = pods.filter(isActive)
  const failure = failureOf(work, active)
  if (failure !== undefined) {
    finish(work, active, "Failed", failure)
    return
  }
  if (JobPods.isComplete(object, counted, active.length)) {
    finish(work, active, "Complete", {
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods"
    })
    return
  }
  if (suspended) {
    for (const pod of active) remove(turn, Resources.pods, pod.stored)
    updateStatus(work, suspension(turn, object, "True"), { active: 0, startTime: undefined })
    return
  }
  const startTime = textAt(object, "status", "startTime") || timestamp(turn.kernel.nowMs())
  const made = JobPods.fill(turn, work.stored, counted, active)
  const known = conditionOf(object, "Suspended")
  const conditions = known === undefined ? arrayAt(object, "status", "conditions") : suspension(turn, object, "False")
  updateStatus(work, conditions, { active: active.length + made, startTime })
  const limit = numberAt(object, "spec", "activeDeadlineSeconds")
  if (limit !== undefined) turn.after(timeOf(startTime) + limit * 1_000 - turn.kernel.nowMs())
}

const suspension = (turn: Turn, object: JsonObject, status: "True" | "False"): ReadonlyArray<Json> =>
  withCondition(turn, arrayAt(object, "status", "conditions"), {
    type: "Suspended",
    status,
    reason: status === "True" ? "JobSuspended" : "JobResumed",
    message: status === "True" ? "Job suspended" : "Job resumed"
  })

const failureOf = ({ counted, object, turn }: Work, active: ReadonlyArray<Pod>): Verdict | undefined => {
  const limit = numberAt(object, "spec", "backoffLimit") ?? 6
  const restarts =
    textAt(object, "spec", "template", "spec", "restartPolicy") === "OnFailure"
      ? sum(active.map((pod) => pod.restarts))
      : 0
  if (counted.failed > limit || (restarts > 0 && restarts >= limit))
    return { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" }
  const deadline = numberAt(object, "spec", "activeDeadlineSeconds")
  const started = timeOf(textAt(object, "status", "startTime"))
  return deadline !== undefined && started > 0 && turn.kernel.nowMs() >= started + deadline * 1_000
    ? { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" }
    : undefined
}

/** Finishes a job: sets `SuccessCriteriaMet` or `FailureTarget` at once, and `type` once the last pod is gone. */
const finish = (work: Work, active: ReadonlyArray<Pod>, type: "Complete" | "Failed", verdict: Verdict): void => {
  const { object, pods, turn } = work
  for (const pod of active) remove(turn, Resources.pods, pod.stored)
  const early = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget"
  const decided = withCondition(turn, arrayAt(object, "status", "conditions"), {
    type: early,
    status: "True",
    ...verdict
  })
  const unfinished = pods.filter((pod) => pod.phase !== "Succeeded" && pod.phase !== "Failed")
  const gone = unfinished.every((pod) => turn.kernel.store.get(Resources.pods, pod.stored.key)?.uid !== pod.stored.uid)
  const startTime = textAt(object, "status", "startTime") || undefined
  if (!gone) {
    updateStatus(work, decided, { active: 0, startTime })
    return
  }
  const conditions = withCondition(turn, decided, { type, status: "True", ...verdict })
  const completionTime = type === "Complete" ? timestamp(turn.kernel.nowMs()) : undefined
  updateStatus(work, conditions, { active: 0, startTime, completionTime })
  turn.again()
}

interface Progress {
  readonly active: number
  readonly startTime: string | undefined
  readonly completionTime?: string | undefined
}

const updateStatus = (work: Work, conditions: ReadonlyArray<Json>, progress: Progress): void => {
  const { counted, object, pods, stored, turn } = work
  const { completionTime, startTime } = progress
  const indexes = JobPods.completedIndexes(object, counted)
  writeStatus(turn, Resources.jobs, turn.kernel.store.get(Resources.jobs, stored.key) ?? stored, {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...nonZero({ active: progress.active, succeeded: counted.succeeded, failed: counted.failed }),
    ...(indexes === undefined || indexes === "" ? {} : { completedIndexes: indexes }),
    terminating: pods.filter((pod) => pod.ending && pod.phase !== "Succeeded" && pod.phase !== "Failed").length,
    uncountedTerminatedPods: {},
    ready: progress.active === 0 ? 0 : pods.filter((pod) => isActive(pod) && pod.ready).length
  })
}

/** Deletes a finished job after its `ttlSecondsAfterFinished`. */
const expire = ({ object, pods, stored, turn }: Work): void => {
  for (const pod of pods) if (pod.finalizers.includes(JobPods.TRACKED)) untrack(turn, pod.stored)
  const seconds = numberAt(object, "spec", "ttlSecondsAfterFinished")
  if (seconds === undefined || at(object, "metadata", "deletionTimestamp") !== undefined) return
  const ended = ["Complete", "Failed"].map((type) => timeOf(textAt(conditionOf(object, type), "lastTransitionTime")))
  const leftMs = Math.max(...ended) + seconds * 1_000 - turn.kernel.nowMs()
  if (leftMs > 0) turn.after(leftMs)
  else remove(turn, Resources.jobs, stored, { propagation: "Foreground" })
}
