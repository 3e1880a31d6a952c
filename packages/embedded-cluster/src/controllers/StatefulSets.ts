/**
 * Maintains the pods of StatefulSets: numbered, each with its own claims, in order unless the policy is Parallel.
 *
 * **Limits** the retention policy of claims is ignored; claims stay, which is the default.
 *
 * **Source** Kubernetes, `pkg/controller/statefulset/stateful_set_control.go`.
 */
import { at, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { nonZero, remove, writeStatus } from "./ControllerWrites.ts"
import { claim, podsOf } from "./OwnedPods.ts"
import { waitForReadiness } from "./ReplicaSets.ts"
import * as Revisions from "./Revisions.ts"
import * as StatefulPods from "./StatefulPods.ts"
import { isAvailable, objectOf, type Pod } from "./Views.ts"

const HASH = "controller.kubernetes.io/hash"

/** State of one reconciliation of a StatefulSet. */
interface Work {
  readonly turn: Turn
  readonly stored: Stored
  readonly object: JsonObject
  readonly pods: ReadonlyMap<number, Pod>
  readonly wanted: ReadonlyArray<number>
  readonly update: Revisions.Revision
  readonly current: Revisions.Revision
  readonly ordered: boolean
}

export const statefulSets: Controller = {
  name: "statefulset",
  watches: [{ resource: Resources.statefulSets, keys: ownKey }, podsOf(Resources.statefulSets)],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.statefulSets, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    const update = Revisions.ensure(turn, Resources.statefulSets, stored, HASH)
    if (update === undefined) return
    const revisions = Revisions.list(turn, stored, HASH)
    const current = revisions.find(({ name }) => name === textAt(object, "status", "currentRevision")) ?? update
    const pods = new Map<number, Pod>()
    for (const pod of claim(turn, Resources.statefulSets, stored)) {
      const ordinal = StatefulPods.ordinalOf(stored.name, pod.stored.name)
      if (ordinal !== undefined) pods.set(ordinal, pod)
    }
    const work: Work = {
      turn,
      stored,
      object,
      pods,
      wanted: StatefulPods.ordinals(object),
      update,
      current,
      ordered: textAt(object, "spec", "podManagementPolicy") !== "Parallel"
    }
    if (at(object, "metadata", "deletionTimestamp") === undefined) step(work)
    updateStatus(work)
    const used = new Set([...pods.values()].map(StatefulPods.revisionOf))
    Revisions.prune(turn, stored, HASH, ({ name }) => name === update.name || name === current.name || used.has(name))
  }
}

/**
 * Creates, deletes and replaces pods. An ordered StatefulSet changes one pod at a time and waits until it is healthy.
 */
const step = (work: Work): void => {
  if (fill(work) && shrink(work)) replaceOld(work)
}

const isHealthy = ({ object, turn }: Work, pod: Pod): boolean =>
  !pod.ending
  && pod.phase === "Running"
  && isAvailable(pod, numberAt(object, "spec", "minReadySeconds") ?? 0, turn.kernel.nowMs())

/** Creates missing pods, lowest ordinal first. Returns whether the next step may proceed. */
const fill = (work: Work): boolean => {
  const { ordered, pods, turn, wanted } = work
  for (const ordinal of wanted) {
    const pod = pods.get(ordinal)
    const finished = pod !== undefined && (pod.phase === "Failed" || pod.phase === "Succeeded")
    if (pod === undefined) {
      if (!StatefulPods.make(turn, work.stored, ordinal, revisionFor(work, ordinal))) return false
    } else if (finished && !pod.ending) remove(turn, Resources.pods, pod.stored)
    if (ordered && (pod === undefined || finished || !isHealthy(work, pod))) return false
    if (!turn.hasTime()) {
      turn.again()
      return false
    }
  }
  return true
}

/**
 * Revision for a pod. Below the partition, a recreated pod gets the current revision instead of the update revision.
 */
const revisionFor = ({ current, object, update, wanted }: Work, ordinal: number): Revisions.Revision => {
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") return update
  return ordinal < (wanted[0] ?? 0) + StatefulPods.partitionOf(object) ? current : update
}

const shrink = (work: Work): boolean => {
  const { ordered, pods, turn, wanted } = work
  const condemned = [...pods]
    .filter(([ordinal]) => !wanted.includes(ordinal))
    .toSorted(([left], [right]) => right - left)
  for (const [, pod] of condemned) {
    if (!pod.ending) remove(turn, Resources.pods, pod.stored)
    if (ordered) return false
    if (!turn.hasTime()) {
      turn.again()
      return false
    }
  }
  return condemned.length === 0
}

/** Deletes the highest pod with an old template, if all pods above it are healthy. */
const replaceOld = (work: Work): void => {
  const { object, pods, turn, update, wanted } = work
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") return
  const below = (wanted[0] ?? 0) + StatefulPods.partitionOf(object)
  for (const ordinal of wanted.toReversed()) {
    const pod = pods.get(ordinal)
    if (ordinal < below || pod === undefined) return
    if (StatefulPods.revisionOf(pod) !== update.name) {
      if (!pod.ending) remove(turn, Resources.pods, pod.stored)
      return
    }
    if (!isHealthy(work, pod)) return
  }
}

const updateStatus = (work: Work): void => {
  const { current, object, pods, stored, turn, update } = work
  const minReadySeconds = numberAt(object, "spec", "minReadySeconds") ?? 0
  const all = [...pods.values()]
  const running = all.filter(({ ending }) => !ending)
  const ready = running.filter((pod) => pod.phase === "Running" && pod.ready)
  const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, turn.kernel.nowMs()))
  waitForReadiness(turn, ready, available, minReadySeconds)
  const atRevision = ({ name }: Revisions.Revision) =>
    running.filter((pod) => StatefulPods.revisionOf(pod) === name).length
  const updated = atRevision(update)
  const rolling = textAt(object, "spec", "updateStrategy", "type") !== "OnDelete"
  const done = rolling && updated === all.length && ready.length === all.length && all.length === work.wanted.length
  writeStatus(turn, Resources.statefulSets, turn.kernel.store.get(Resources.statefulSets, stored.key) ?? stored, {
    ...nonZero({ observedGeneration: numberAt(object, "metadata", "generation") ?? 0 }),
    replicas: all.length,
    ...nonZero({
      readyReplicas: ready.length,
      currentReplicas: done ? updated : atRevision(current),
      updatedReplicas: updated
    }),
    currentRevision: done ? update.name : current.name,
    updateRevision: update.name,
    collisionCount: 0,
    availableReplicas: available.length
  })
}
