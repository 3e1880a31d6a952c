/**
 * Status of a Deployment: counts, and the conditions Available and Progressing.
 *
 * **Source** Kubernetes, `pkg/controller/deployment/progress.go` and `sync.go`.
 */
import { arrayAt, equals, type Json, type JsonObject, numberAt, put, textAt } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import type { Turn } from "./Controller.ts"
import { change, nonZero, withoutCondition } from "./ControllerWrites.ts"
import { REVISION, type ReplicaSet, wantedOf } from "./DeploymentSets.ts"
import { conditionOf, objectOf, sum, timeOf } from "./Views.ts"

const PROGRESSING = "Progressing"

interface Condition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

/** State of a Deployment after a reconciliation, from which its status is computed. */
export interface Observed {
  readonly sets: ReadonlyArray<ReplicaSet>
  readonly current: ReplicaSet | undefined
  /** Maximum number of unavailable pods. */
  readonly unavailable: number
  /** True during a rollout, whose progress has a deadline; false for a paused or scaled Deployment. */
  readonly rolls: boolean
  /** A condition that this reconciliation sets. */
  readonly news?: Condition
}

export const newSet = (name: string): Condition => ({
  type: PROGRESSING,
  status: "True",
  reason: "NewReplicaSetCreated",
  message: `Created new replica set ${JSON.stringify(name)}`
})

export const foundSet = (name: string): Condition => ({
  type: PROGRESSING,
  status: "True",
  reason: "FoundNewReplicaSet",
  message: `Found new replica set ${JSON.stringify(name)}`
})

export const paused: Condition = {
  type: PROGRESSING,
  status: "Unknown",
  reason: "DeploymentPaused",
  message: "Deployment is paused"
}

export const resumed: Condition = {
  type: PROGRESSING,
  status: "Unknown",
  reason: "DeploymentResumed",
  message: "Deployment is resumed"
}

/** Writes the status and the revision of a Deployment, and schedules a check of its progress deadline. */
export const write = (turn: Turn, key: string, observed: Observed): void => {
  const stored = turn.kernel.store.get(Resources.deployments, key)
  if (stored === undefined) return
  const object = objectOf(stored)
  const counts = countsOf(object, observed)
  const conditions = conditionsOf(turn, object, counts, observed)
  const status: JsonObject = { ...counts, conditions }
  const revision = observed.current === undefined ? "" : String(observed.current.revision)
  const annotate = revision !== "" && revision !== textAt(object, "metadata", "annotations", REVISION)
  if (annotate || !equals(object["status"], status)) {
    change(
      turn,
      Resources.deployments,
      stored,
      (old) => {
        const next = put(old, ["status"], status)
        return annotate ? put(next, ["metadata", "annotations", REVISION], revision) : next
      },
      "status"
    )
  }
  if (observed.rolls) awaitDeadline(turn, stored, status)
}

const countsOf = (object: JsonObject, { current, sets }: Observed): JsonObject => {
  const total = (read: (set: ReplicaSet) => number) => sum(sets.map(read))
  const available = total((set) => set.available)
  return {
    ...nonZero({
      observedGeneration: numberAt(object, "metadata", "generation") ?? 0,
      replicas: total((set) => set.replicas),
      updatedReplicas: current?.replicas ?? 0,
      readyReplicas: total((set) => set.ready),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, total((set) => set.wanted) - available)
    }),
    terminatingReplicas: total((set) => set.terminating),
    ...nonZero({ collisionCount: numberAt(object, "status", "collisionCount") ?? 0 })
  }
}

const deadlineOf = (object: JsonObject): number | undefined => {
  const seconds = numberAt(object, "spec", "progressDeadlineSeconds")
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds
}

const NO_DEADLINE = 2 ** 31 - 1

const conditionsOf = (turn: Turn, object: JsonObject, counts: JsonObject, observed: Observed): ReadonlyArray<Json> => {
  const enough = (numberAt(counts, "availableReplicas") ?? 0) >= wantedOf(object) - observed.unavailable
  const available: Condition = enough
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability."
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability."
      }
  const known = arrayAt(object, "status", "conditions")
  const withNews = observed.news === undefined ? known : setCondition(turn, known, observed.news)
  const withAvailable = setCondition(turn, withNews, available)
  const failed = observed.sets.flatMap((set) => {
    const failure = conditionOf(set.object, "ReplicaFailure")
    return failure === undefined ? [] : [failure]
  })
  const progressed = progress(turn, put(object, ["status", "conditions"], withAvailable), counts, observed)
  const [failure] = failed
  const rest = withoutCondition(progressed, "ReplicaFailure")
  if (failure === undefined) return rest
  return setCondition(turn, rest, {
    type: "ReplicaFailure",
    status: "True",
    reason: textAt(failure, "reason"),
    message: textAt(failure, "message")
  })
}

const progress = (turn: Turn, object: JsonObject, counts: JsonObject, observed: Observed): ReadonlyArray<Json> => {
  const conditions = arrayAt(object, "status", "conditions")
  if (deadlineOf(object) === undefined) return withoutCondition(conditions, PROGRESSING)
  const known = conditionOf(object, PROGRESSING)
  const number = (name: string) => numberAt(counts, name) ?? 0
  const completed =
    number("replicas") === number("updatedReplicas") && textAt(known, "reason") === "NewReplicaSetAvailable"
  if (!observed.rolls || completed) return conditions
  const what =
    observed.current === undefined
      ? `Deployment ${JSON.stringify(textAt(object, "metadata", "name"))}`
      : `ReplicaSet ${JSON.stringify(observed.current.name)}`
  const progressing = (status: Condition["status"], reason: string, message: string): Condition => ({
    type: PROGRESSING,
    status,
    reason,
    message: `${what} ${message}`
  })
  if (isComplete(object, counts)) {
    return setCondition(turn, conditions, progressing("True", "NewReplicaSetAvailable", "has successfully progressed."))
  }
  if (hasProgressed(object, counts)) {
    // Any progress of the rollout restarts its deadline, so the condition is written again even if nothing else changes
    // in it.
    const fresh = textAt(known, "status") === "True" ? known : undefined
    const rest = withoutCondition(conditions, PROGRESSING)
    return setCondition(
      turn,
      rest,
      progressing("True", "ReplicaSetUpdated", "is progressing."),
      textAt(fresh, "lastTransitionTime")
    )
  }
  return isLate(turn, object, counts)
    ? setCondition(turn, conditions, progressing("False", "ProgressDeadlineExceeded", "has timed out progressing."))
    : conditions
}

/** Returns whether every pod exists, has the current template and is available. */
export const isComplete = (object: JsonObject, counts: JsonObject): boolean => {
  const wanted = wantedOf(object)
  const is = (name: string) => (numberAt(counts, name) ?? 0) === wanted
  return is("updatedReplicas") && is("replicas") && is("availableReplicas")
}

const hasProgressed = (object: JsonObject, counts: JsonObject): boolean => {
  const now = (name: string) => numberAt(counts, name) ?? 0
  const before = (name: string) => numberAt(object, "status", name) ?? 0
  return (
    now("updatedReplicas") > before("updatedReplicas")
    || now("replicas") - now("updatedReplicas") < before("replicas") - before("updatedReplicas")
    || now("readyReplicas") > before("readyReplicas")
    || now("availableReplicas") > before("availableReplicas")
  )
}

const isLate = (turn: Turn, object: JsonObject, counts: JsonObject): boolean => {
  const known = conditionOf(object, PROGRESSING)
  const reason = textAt(known, "reason")
  if (known === undefined || reason === "NewReplicaSetAvailable" || isComplete(object, counts)) return false
  if (reason === "ProgressDeadlineExceeded") return true
  return turn.kernel.nowMs() >= timeOf(textAt(known, "lastUpdateTime")) + (deadlineOf(object) ?? 0) * 1_000
}

const awaitDeadline = (turn: Turn, stored: Stored, status: JsonObject): void => {
  const object = objectOf(stored)
  const seconds = deadlineOf(object)
  const known = conditionOf({ status }, PROGRESSING)
  const reason = textAt(known, "reason")
  if (seconds === undefined || reason === "NewReplicaSetAvailable" || reason === "ProgressDeadlineExceeded") return
  // Times are whole seconds, so one more second ensures that the deadline has passed.
  turn.after(timeOf(textAt(known, "lastUpdateTime")) + (seconds + 1) * 1_000 - turn.kernel.nowMs())
}

const setCondition = (
  turn: Turn,
  conditions: ReadonlyArray<Json>,
  condition: Condition,
  since = ""
): ReadonlyArray<Json> => {
  const known = conditions.find((one) => textAt(one, "type") === condition.type)
  if (
    known !== undefined
    && textAt(known, "status") === condition.status
    && textAt(known, "reason") === condition.reason
  )
    return conditions
  const now = timestamp(turn.kernel.nowMs())
  const same = textAt(known, "status") === condition.status
  const lastTransitionTime = since === "" ? (same ? textAt(known, "lastTransitionTime") : now) : since
  return [
    ...withoutCondition(conditions, condition.type),
    {
      type: condition.type,
      status: condition.status,
      lastUpdateTime: now,
      lastTransitionTime,
      reason: condition.reason,
      message: condition.message
    }
  ]
}
