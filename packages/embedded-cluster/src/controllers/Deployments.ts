/**
 * Rolls out Deployments: creates a ReplicaSet per template, and moves pods from the old ReplicaSets to the new one.
 *
 * **Source** Kubernetes, `pkg/controller/deployment`.
 */
import { at, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { remove } from "./ControllerWrites.ts"
import * as DeploymentSets from "./DeploymentSets.ts"
import type { ReplicaSet } from "./DeploymentSets.ts"
import * as DeploymentStatus from "./DeploymentStatus.ts"
import { controlledBy, selectorOf } from "./OwnedPods.ts"
import * as Rollout from "./Rollout.ts"
import { conditionOf, controllerOf, objectOf, podOf, sum } from "./Views.ts"

/** State of one reconciliation of a Deployment. */
interface Work {
  readonly turn: Turn
  readonly stored: Stored
  readonly object: JsonObject
  readonly wanted: number
  readonly limits: Rollout.RolloutLimits
}

export const deployments: Controller = {
  name: "deployment",
  watches: [
    { resource: Resources.deployments, keys: ownKey },
    controlledBy(Resources.deployments, Resources.replicaSets),
    // With strategy Recreate, the rollout waits until the last old pod is gone.
    {
      resource: Resources.pods,
      keys: (change, cluster) => (change.after === undefined ? waitingFor(cluster, change.before) : [])
    }
  ],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.deployments, key)
    if (stored === undefined || selectorOf(stored).length === 0) return
    const object = objectOf(stored)
    const wanted = DeploymentSets.wantedOf(object)
    const work: Work = { turn, stored, object, wanted, limits: limitsOf(object, wanted) }
    const sets = DeploymentSets.ofDeployment(turn, stored)
    if (at(object, "metadata", "deletionTimestamp") !== undefined) {
      const current = DeploymentSets.current(object, sets)
      DeploymentStatus.write(turn, key, { ...observedIn(work, sets, current), rolls: false })
      return
    }
    const isPaused = at(object, "spec", "paused") === true
    if (isPaused || sets.some((set) => set.wanted > 0 && set.desired !== undefined && set.desired !== wanted)) {
      scaleOnly(work, sets, isPaused)
      return
    }
    advanceRollout(work, sets)
  }
}

const waitingFor: (cluster: Pick<Turn, "kernel">, pod: Stored | undefined) => ReadonlyArray<string> = (
  { kernel },
  pod
) => {
  const owner = pod === undefined ? undefined : podOf(pod).owner
  if (pod === undefined || owner?.kind !== "ReplicaSet") return []
  const set = kernel.store.get(Resources.replicaSets, `${pod.namespace}/${owner.name}`)
  const deployment = set === undefined ? undefined : controllerOf(objectOf(set))
  return deployment === undefined ? [] : [`${pod.namespace}/${deployment.name}`]
}

const limitsOf = (object: JsonObject, wanted: number): Rollout.RolloutLimits => {
  if (!DeploymentSets.isRolling(object)) return { surge: 0, unavailable: 0 }
  const rolling = objectAt(object, "spec", "strategy", "rollingUpdate")
  return Rollout.limitsOf(rolling["maxSurge"], rolling["maxUnavailable"], wanted)
}

/** State for the status. At most `wanted` pods may be unavailable while the Deployment counts as available. */
const observedIn = ({ limits, wanted }: Work, sets: ReadonlyArray<ReplicaSet>, current: ReplicaSet | undefined) => ({
  sets,
  current,
  unavailable: Math.min(limits.unavailable, wanted)
})

/** Scales without continuing the rollout: the Deployment is paused, or its size changed. */
const scaleOnly = (work: Work, sets: ReadonlyArray<ReplicaSet>, isPaused: boolean): void => {
  const { object, stored, turn } = work
  const current = DeploymentSets.current(object, sets)
  distribute(work, sets, current)
  const now = sets.map((set) => DeploymentSets.reread(turn, set))
  const news = pauseNews(object, isPaused)
  if (isPaused) prune(work, now, current)
  DeploymentStatus.write(turn, stored.key, {
    ...observedIn(work, now, DeploymentSets.current(object, now)),
    rolls: false,
    ...(news === undefined ? {} : { news })
  })
}

const pauseNews = (object: JsonObject, isPaused: boolean) => {
  const known = conditionOf(object, "Progressing")
  const reason = textAt(known, "reason")
  // An exceeded deadline stays reported until the template changes.
  if (reason === "ProgressDeadlineExceeded") return undefined
  if (isPaused) return reason === "DeploymentPaused" ? undefined : DeploymentStatus.paused
  return reason === "DeploymentPaused" ? DeploymentStatus.resumed : undefined
}

const distribute = (
  { limits, object, turn, wanted }: Work,
  sets: ReadonlyArray<ReplicaSet>,
  current: ReplicaSet | undefined
): void => {
  const active = sets.filter((set) => set.wanted > 0)
  const resize = (set: ReplicaSet, size: number) => DeploymentSets.resize(turn, object, set, size, limits)
  const [only] = active
  const single = active.length === 0 ? (current ?? sets.at(-1)) : active.length === 1 ? only : undefined
  if (single !== undefined) {
    resize(single, wanted)
    return
  }
  if (
    current !== undefined
    && current.desired === wanted
    && current.wanted === wanted
    && current.available === wanted
  ) {
    for (const set of active) if (set !== current) resize(set, 0)
    return
  }
  if (!DeploymentSets.isRolling(object)) {
    // The sizes stay until the old pods are gone; only the annotations with the Deployment's size are updated.
    for (const set of active) resize(set, set.wanted)
    return
  }
  const sizes = Rollout.proportional(
    active.map((set) => ({ ...set, replicas: set.wanted })),
    wanted,
    limits.surge
  )
  for (const set of active) resize(set, sizes.get(set.name) ?? set.wanted)
}

const advanceRollout = (work: Work, before: ReadonlyArray<ReplicaSet>): void => {
  const { object, stored, turn } = work
  const found = DeploymentSets.current(object, before)
  const old = before.filter((set) => set !== found)
  // With strategy Recreate, nothing new is created before the last old pod is gone.
  if (!DeploymentSets.isRolling(object) && (scaleDownOld(work, old) || podsLeft(turn, old))) {
    const now = before.map((set) => DeploymentSets.reread(turn, set))
    DeploymentStatus.write(turn, stored.key, { ...observedIn(work, now, found), rolls: true })
    return
  }
  const made = DeploymentSets.ensureCurrent(turn, stored, before, work.limits)
  if (made === undefined) return
  const moved = DeploymentSets.isRolling(object) ? roll(work, old, made.set) : grow(work, old, made.set)
  const known = conditionOf(object, "Progressing")
  const resumed = pauseNews(object, false)
  const news = made.isNew
    ? DeploymentStatus.newSet(made.set.name)
    : known === undefined
      ? DeploymentStatus.foundSet(made.set.name)
      : resumed
  const current = DeploymentSets.reread(turn, made.set)
  const others = old.map((set) => DeploymentSets.reread(turn, set))
  if (!moved && DeploymentStatus.isComplete(object, objectAt(object, "status"))) prune(work, others, current)
  DeploymentStatus.write(turn, stored.key, {
    ...observedIn(work, [...others, current], current),
    rolls: true,
    ...(news === undefined ? {} : { news })
  })
}

/** Scales the old ReplicaSets to 0. Returns whether any was larger. */
const scaleDownOld = ({ limits, object, turn }: Work, old: ReadonlyArray<ReplicaSet>): boolean => {
  const active = old.filter((set) => set.wanted > 0)
  for (const set of active) DeploymentSets.resize(turn, object, set, 0, limits)
  return active.length > 0
}

const podsLeft = ({ kernel }: Turn, old: ReadonlyArray<ReplicaSet>): boolean =>
  old.some((set) =>
    kernel.store.dependents(set.stored.uid).some(([kind, stored]) => {
      const { phase } = podOf(stored)
      return kind === Resources.pods && phase !== "Succeeded" && phase !== "Failed"
    })
  )

/** Scales up the new ReplicaSet as far as the surge allows. Returns whether its size changed. */
const grow = (work: Work, old: ReadonlyArray<ReplicaSet>, current: ReplicaSet): boolean => {
  const { limits, object, turn, wanted } = work
  if (current.wanted === wanted) return false
  const room = DeploymentSets.isRolling(object)
    ? wanted + limits.surge - sum([...old, current].map((set) => set.wanted))
    : wanted
  const size = current.wanted > wanted ? wanted : current.wanted + Math.max(0, Math.min(room, wanted - current.wanted))
  if (size === current.wanted) return false
  DeploymentSets.resize(turn, object, current, size, limits)
  return true
}

/** Performs one step of a rolling update. Returns whether any size changed. */
const roll = (work: Work, old: ReadonlyArray<ReplicaSet>, current: ReplicaSet): boolean =>
  grow(work, old, current) || shrink(work, old, current)

/** Scales down the old ReplicaSets: unavailable pods first, then as many pods as availability allows. */
const shrink = (work: Work, old: ReadonlyArray<ReplicaSet>, current: ReplicaSet): boolean => {
  const { limits, object, turn, wanted } = work
  const total = sum([...old, current].map((set) => set.wanted))
  const least = wanted - Math.min(limits.unavailable, wanted)
  const removable = total - least - (current.wanted - current.available)
  if (sum(old.map((set) => set.wanted)) === 0 || removable <= 0) return false
  const sizes = new Map(old.map((set) => [set, set.wanted]))
  let broken = removable
  for (const set of old) {
    const size = sizes.get(set) ?? 0
    const taken = Math.max(0, Math.min(broken, size - set.available))
    sizes.set(set, size - taken)
    broken -= taken
  }
  let spare = sum([...old, current].map((set) => set.available)) - least
  for (const set of old) {
    const size = sizes.get(set) ?? 0
    const taken = Math.max(0, Math.min(spare, size))
    sizes.set(set, size - taken)
    spare -= taken
  }
  const changed = old.filter((set) => sizes.get(set) !== set.wanted)
  for (const set of changed) DeploymentSets.resize(turn, object, set, sizes.get(set) ?? set.wanted, limits)
  return changed.length > 0
}

/** Deletes old ReplicaSets beyond the history limit, oldest revision first. */
const prune = ({ object, turn }: Work, old: ReadonlyArray<ReplicaSet>, current: ReplicaSet | undefined): void => {
  const limit = numberAt(object, "spec", "revisionHistoryLimit") ?? 10
  const idle = old.filter((set) => set.name !== current?.name)
  const excess = idle.length - limit
  if (excess <= 0) return
  for (const set of idle.toSorted((left, right) => left.revision - right.revision).slice(0, excess)) {
    const observed =
      numberAt(set.object, "status", "observedGeneration") === numberAt(set.object, "metadata", "generation")
    if (set.replicas === 0 && set.wanted === 0 && observed) remove(turn, Resources.replicaSets, set.stored)
  }
}
