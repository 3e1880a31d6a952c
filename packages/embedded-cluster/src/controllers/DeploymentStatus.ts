/**
 * What a deployment says of its rollout: counts, and whether it is available and progressing.
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

interface Said {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

/** What a reconciliation found, for the status to tell. */
export interface Seen {
  readonly sets: ReadonlyArray<ReplicaSet>
  readonly current: ReplicaSet | undefined
  /** How many pods may be missing. */
  readonly unavailable: number
  /** Whether this is a rollout, whose progress counts, or a deployment that stands still. */
  readonly rolls: boolean
  /** A condition that came up on the way. */
  readonly news?: Said
}

export const newSet = (name: string): Said => ({
  type: PROGRESSING,
  status: "True",
  reason: "NewReplicaSetCreated",
  message: `Created new replica set ${JSON.stringify(name)}`
})

export const foundSet = (name: string): Said => ({
  type: PROGRESSING,
  status: "True",
  reason: "FoundNewReplicaSet",
  message: `Found new replica set ${JSON.stringify(name)}`
})

export const paused: Said = {
  type: PROGRESSING,
  status: "Unknown",
  reason: "DeploymentPaused",
  message: "Deployment is paused"
}

export const resumed: Said = {
  type: PROGRESSING,
  status: "Unknown",
  reason: "DeploymentResumed",
  message: "Deployment is resumed"
}

/** Writes the status and the deployment's own revision, and comes back when its deadline has passed. */
export const write = (turn: Turn, key: string, seen: Seen): void => {
  const stored = turn.kernel.store.get(Resources.deployments, key)
  if (stored === undefined) return
  const object = objectOf(stored)
  const counts = countsOf(object, seen)
  const conditions = conditionsOf(turn, object, counts, seen)
  const status: JsonObject = { ...counts, conditions }
  const revision = seen.current === undefined ? "" : String(seen.current.revision)
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
  if (seen.rolls) awaitDeadline(turn, stored, status)
}

const countsOf = (object: JsonObject, { current, sets }: Seen): JsonObject => {
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

const conditionsOf = (turn: Turn, object: JsonObject, counts: JsonObject, seen: Seen): ReadonlyArray<Json> => {
  const enough = (numberAt(counts, "availableReplicas") ?? 0) >= wantedOf(object) - seen.unavailable
  const available: Said = enough
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
  const heard = seen.news === undefined ? known : say(turn, known, seen.news)
  const told = say(turn, heard, available)
  const failed = seen.sets.flatMap((set) => {
    const failure = conditionOf(set.object, "ReplicaFailure")
    return failure === undefined ? [] : [failure]
  })
  const progressed = progress(turn, put(object, ["status", "conditions"], told), counts, seen)
  const [failure] = failed
  const rest = withoutCondition(progressed, "ReplicaFailure")
  if (failure === undefined) return rest
  return say(turn, rest, {
    type: "ReplicaFailure",
    status: "True",
    reason: textAt(failure, "reason"),
    message: textAt(failure, "message")
  })
}

const progress = (turn: Turn, object: JsonObject, counts: JsonObject, seen: Seen): ReadonlyArray<Json> => {
  const conditions = arrayAt(object, "status", "conditions")
  if (deadlineOf(object) === undefined) return withoutCondition(conditions, PROGRESSING)
  const known = conditionOf(object, PROGRESSING)
  const number = (name: string) => numberAt(counts, name) ?? 0
  const completed =
    number("replicas") === number("updatedReplicas") && textAt(known, "reason") === "NewReplicaSetAvailable"
  if (!seen.rolls || completed) return conditions
  const what =
    seen.current === undefined
      ? `Deployment ${JSON.stringify(textAt(object, "metadata", "name"))}`
      : `ReplicaSet ${JSON.stringify(seen.current.name)}`
  const said = (status: Said["status"], reason: string, message: string): Said => ({
    type: PROGRESSING,
    status,
    reason,
    message: `${what} ${message}`
  })
  if (isComplete(object, counts)) {
    return say(turn, conditions, said("True", "NewReplicaSetAvailable", "has successfully progressed."))
  }
  if (hasProgressed(object, counts)) {
    // Every step forward counts anew, so the condition is set even if it says the same.
    const fresh = textAt(known, "status") === "True" ? known : undefined
    const rest = withoutCondition(conditions, PROGRESSING)
    return say(turn, rest, said("True", "ReplicaSetUpdated", "is progressing."), textAt(fresh, "lastTransitionTime"))
  }
  return isLate(turn, object, counts)
    ? say(turn, conditions, said("False", "ProgressDeadlineExceeded", "has timed out progressing."))
    : conditions
}

/** Whether every pod is there, new and available. */
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
  // Times are kept in whole seconds: one more makes sure that the deadline has passed.
  turn.after(timeOf(textAt(known, "lastUpdateTime")) + (seconds + 1) * 1_000 - turn.kernel.nowMs())
}

const say = (turn: Turn, conditions: ReadonlyArray<Json>, said: Said, since = ""): ReadonlyArray<Json> => {
  const known = conditions.find((one) => textAt(one, "type") === said.type)
  if (known !== undefined && textAt(known, "status") === said.status && textAt(known, "reason") === said.reason)
    return conditions
  const now = timestamp(turn.kernel.nowMs())
  const same = textAt(known, "status") === said.status
  const lastTransitionTime = since === "" ? (same ? textAt(known, "lastTransitionTime") : now) : since
  return [
    ...withoutCondition(conditions, said.type),
    {
      type: said.type,
      status: said.status,
      lastUpdateTime: now,
      lastTransitionTime,
      reason: said.reason,
      message: said.message
    }
  ]
}
