/**
 * Keeps the number of pods of each ReplicaSet.
 *
 * **Source** Kubernetes, `pkg/controller/replicaset`.
 */
import { arrayAt, at, type Json, type JsonObject, numberAt, objectAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import * as Resources from "../core/Resources.ts"
import type { Failure } from "../core/Status.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import {
  controllerReference,
  nonZero,
  remove,
  tryCreate,
  withCondition,
  withoutCondition,
  writeStatus
} from "./ControllerWrites.ts"
import { claim, podsOf } from "./OwnedPods.ts"
import { byDeletionOrder } from "./PodRanking.ts"
import { nameStem, podFrom } from "./Templates.ts"
import { isActive, isAvailable, objectOf, type Pod } from "./Views.ts"

export const replicaSets: Controller = {
  name: "replicaset",
  watches: [{ resource: Resources.replicaSets, keys: ownKey }, podsOf(Resources.replicaSets)],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.replicaSets, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    const pods = claim(turn, Resources.replicaSets, stored)
    const isEnding = at(object, "metadata", "deletionTimestamp") !== undefined
    const failure = isEnding ? undefined : scale(turn, stored, pods.filter(isActive))
    const current = turn.kernel.store.get(Resources.replicaSets, key)
    if (current !== undefined) writeStatus(turn, Resources.replicaSets, current, statusOf(turn, object, pods, failure))
  }
}

/** Creates or deletes pods while there is time. Returns the failure if a pod could not be created. */
const scale = (turn: Turn, stored: Stored, active: ReadonlyArray<Pod>): Failure | undefined => {
  const object = objectOf(stored)
  const missing = (numberAt(object, "spec", "replicas") ?? 1) - active.length
  if (missing < 0) {
    for (const pod of byDeletionOrder(active).slice(0, -missing)) {
      remove(turn, Resources.pods, pod.stored)
      if (!turn.hasTime()) {
        turn.again()
        return undefined
      }
    }
  }
  const pod = podFrom(objectAt(object, "spec", "template"), {
    generateName: nameStem(stored.name),
    owner: controllerReference(Resources.replicaSets, stored)
  })
  for (let made = 0; made < missing; made++) {
    const outcome = tryCreate(turn, Resources.pods, stored.namespace, pod)
    if (outcome._tag === "Failure") {
      turn.failed(outcome.failure)
      return outcome.failure
    }
    if (!turn.hasTime()) {
      turn.again()
      return undefined
    }
  }
  return undefined
}

const statusOf = (
  turn: Turn,
  object: JsonObject,
  pods: ReadonlyArray<Pod>,
  failure: Failure | undefined
): JsonObject => {
  const active = pods.filter(isActive)
  const minReadySeconds = numberAt(object, "spec", "minReadySeconds") ?? 0
  const nowMs = turn.kernel.nowMs()
  const labels = LabelSelector.fromObject({ matchLabels: objectAt(object, "spec", "template", "metadata", "labels") })
  const ready = active.filter((pod) => pod.ready)
  const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs))
  waitForReadiness(turn, ready, available, minReadySeconds)
  const conditions = conditionsOf(turn, object, failure)
  return {
    replicas: active.length,
    ...nonZero({
      fullyLabeledReplicas: active.filter((pod) => LabelSelector.matches(labels, pod.stored.labels)).length,
      readyReplicas: ready.length,
      availableReplicas: available.length
    }),
    terminatingReplicas: pods.filter(({ ending, phase }) => ending && phase !== "Succeeded" && phase !== "Failed")
      .length,
    ...nonZero({ observedGeneration: numberAt(object, "metadata", "generation") ?? 0 }),
    ...(conditions.length === 0 ? {} : { conditions })
  }
}

const conditionsOf = (turn: Turn, object: JsonObject, failure: Failure | undefined): ReadonlyArray<Json> => {
  const conditions = arrayAt(object, "status", "conditions")
  return failure === undefined
    ? withoutCondition(conditions, "ReplicaFailure")
    : withCondition(turn, conditions, {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        message: failure.message
      })
}

/** Schedules a reconciliation for the time when the next ready pod becomes available. */
export const waitForReadiness = (
  turn: Turn,
  ready: ReadonlyArray<Pod>,
  available: ReadonlyArray<Pod>,
  minReadySeconds: number
): void => {
  if (ready.length === available.length) return
  const waiting = ready.filter((pod) => !available.includes(pod)).map((pod) => pod.readySinceMs)
  turn.after(Math.min(...waiting) + minReadySeconds * 1_000 - turn.kernel.nowMs())
}
