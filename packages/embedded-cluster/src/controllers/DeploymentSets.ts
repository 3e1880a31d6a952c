/**
 * ReplicaSets of a Deployment: one per template, numbered by revision.
 *
 * **Source** Kubernetes, `pkg/controller/deployment/sync.go` and its `util`.
 */
import { at, equals, type JsonObject, numberAt, objectAt, put, textAt, textsAt, without } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import type { Turn } from "./Controller.ts"
import { change, controllerReference, tryCreate } from "./ControllerWrites.ts"
import { adopt, controlled, selectorOf } from "./OwnedPods.ts"
import type { RolloutLimits } from "./Rollout.ts"
import { hashOf } from "./Templates.ts"
import { controllerOf, objectOf, timeOf } from "./Views.ts"

export const REVISION = "deployment.kubernetes.io/revision"
const HISTORY = "deployment.kubernetes.io/revision-history"
const DESIRED = "deployment.kubernetes.io/desired-replicas"
const MAX = "deployment.kubernetes.io/max-replicas"
const HASH = "pod-template-hash"

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const OWN = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  "deprecated.deployment.rollback.to"
])

/** State of one ReplicaSet. */
export interface ReplicaSet {
  readonly stored: Stored
  readonly name: string
  readonly object: JsonObject
  readonly createdMs: number
  /** Size in the spec. The counts below are those of the status. */
  readonly wanted: number
  readonly replicas: number
  readonly ready: number
  readonly available: number
  readonly terminating: number
  readonly revision: number
  /** Size of the Deployment, and its largest size during a rollout, when this ReplicaSet was last scaled. */
  readonly desired: number | undefined
  readonly maxBefore: number
}

const toReplicaSet = (stored: Stored): ReplicaSet => {
  const object = objectOf(stored)
  const annotation = (name: string) => textAt(object, "metadata", "annotations", name)
  const status = (name: string) => numberAt(object, "status", name) ?? 0
  return {
    stored,
    name: stored.name,
    object,
    createdMs: timeOf(textAt(object, "metadata", "creationTimestamp")),
    wanted: numberAt(object, "spec", "replicas") ?? 0,
    replicas: status("replicas"),
    ready: status("readyReplicas"),
    available: status("availableReplicas"),
    terminating: status("terminatingReplicas"),
    revision: Number(annotation(REVISION)) || 0,
    desired: annotation(DESIRED) === "" ? undefined : Number(annotation(DESIRED)),
    maxBefore: Number(annotation(MAX)) || 0
  }
}

/** ReplicaSets of a Deployment, oldest first. Matching ReplicaSets without a controller are adopted first. */
export const ofDeployment = (turn: Turn, deployment: Stored): ReadonlyArray<ReplicaSet> => {
  const selector = selectorOf(deployment)
  if (at(objectOf(deployment), "metadata", "deletionTimestamp") === undefined) {
    for (const stored of turn.kernel.store.list(Resources.replicaSets, deployment.namespace)) {
      const object = objectOf(stored)
      const adoptable = controllerOf(object) === undefined && at(object, "metadata", "deletionTimestamp") === undefined
      if (adoptable && LabelSelector.matches(selector, stored.labels))
        adopt(turn, Resources.replicaSets, stored, controllerReference(Resources.deployments, deployment))
    }
  }
  return controlled(turn, Resources.replicaSets, deployment).map(toReplicaSet).toSorted(byAge)
}

const byAge = (left: ReplicaSet, right: ReplicaSet): number =>
  left.createdMs - right.createdMs || (left.name < right.name ? -1 : 1)

/** Reads a ReplicaSet again after a write. */
export const reread = ({ kernel }: Turn, set: ReplicaSet): ReplicaSet => {
  const stored = kernel.store.get(Resources.replicaSets, set.stored.key)
  return stored === undefined ? set : toReplicaSet(stored)
}

/** Finds the ReplicaSet of the Deployment's current template. */
export const current = (deployment: JsonObject, sets: ReadonlyArray<ReplicaSet>): ReplicaSet | undefined =>
  sets.find(({ object }) =>
    equals(bare(objectAt(object, "spec", "template")), bare(objectAt(deployment, "spec", "template")))
  )

const bare = (template: JsonObject): JsonObject => {
  const metadata = objectAt(template, "metadata")
  const labels = without(objectAt(metadata, "labels"), HASH)
  return { ...template, metadata: { ...without(metadata, "creationTimestamp"), labels } }
}

export interface Made {
  readonly set: ReplicaSet
  readonly isNew: boolean
}

/**
 * Ensures that the current template has a ReplicaSet with the highest revision.
 *
 * **Shape** returns `undefined` if it could not be created; the creation is then retried.
 */
export const ensureCurrent = (
  turn: Turn,
  deployment: Stored,
  sets: ReadonlyArray<ReplicaSet>,
  limits: RolloutLimits
): Made | undefined => {
  const object = objectOf(deployment)
  const known = current(object, sets)
  const revision = Math.max(0, ...sets.filter((set) => set !== known).map((set) => set.revision)) + 1
  if (known !== undefined) {
    change(turn, Resources.replicaSets, known.stored, (old) => {
      const annotated = put(old, ["metadata", "annotations"], annotationsFor(object, old, revision))
      return put(annotated, ["spec", "minReadySeconds"], at(object, "spec", "minReadySeconds"))
    })
    return { set: reread(turn, known), isNew: false }
  }
  return make(turn, deployment, sets, limits, revision)
}

const annotationsFor = (deployment: JsonObject, set: JsonObject, revision: number): JsonObject => {
  const copied = Object.entries(textsAt(deployment, "metadata", "annotations")).filter(([name]) => !OWN.has(name))
  const annotations = { ...objectAt(set, "metadata", "annotations"), ...Object.fromEntries(copied) }
  const before = textAt(annotations, REVISION)
  if (Number(before) >= revision) return annotations
  const history = [textAt(annotations, HISTORY), before].filter((one) => one !== "").join(",")
  return { ...annotations, [REVISION]: String(revision), ...(history === "" ? {} : { [HISTORY]: history }) }
}

const make = (
  turn: Turn,
  deployment: Stored,
  sets: ReadonlyArray<ReplicaSet>,
  limits: RolloutLimits,
  revision: number
): Made | undefined => {
  const object = objectOf(deployment)
  const spec = objectAt(object, "spec")
  const template = objectAt(spec, "template")
  for (let collisions = 0; collisions < LONGEST_SEARCH; collisions++) {
    const hash = hashOf(template, collisions)
    const name = `${deployment.name}-${hash}`
    const labelled = put(template, ["metadata", "labels"], {
      ...objectAt(template, "metadata", "labels"),
      [HASH]: hash
    })
    const wanted = firstSize(object, sets, limits)
    const outcome = tryCreate(turn, Resources.replicaSets, deployment.namespace, {
      metadata: {
        name,
        labels: objectAt(labelled, "metadata", "labels"),
        annotations: { ...annotationsFor(object, {}, revision), ...sizeAnnotations(object, limits) },
        ownerReferences: [controllerReference(Resources.deployments, deployment)]
      },
      spec: {
        replicas: wanted,
        ...(spec["minReadySeconds"] === undefined ? {} : { minReadySeconds: spec["minReadySeconds"] }),
        selector: put(objectAt(spec, "selector"), ["matchLabels"], {
          ...objectAt(spec, "selector", "matchLabels"),
          [HASH]: hash
        }),
        template: labelled
      }
    })
    const stored = turn.kernel.store.get(Resources.replicaSets, `${deployment.namespace}/${name}`)
    if (outcome._tag === "Success" && stored !== undefined) return { set: toReplicaSet(stored), isNew: true }
    // 409: another owner's ReplicaSet has this name, so try another hash.
    if (outcome._tag === "Failure" && outcome.failure.code !== 409) {
      turn.failed(outcome.failure)
      return undefined
    }
  }
  return undefined
}

/** Maximum number of names to try for a new ReplicaSet. */
const LONGEST_SEARCH = 20

export const wantedOf = (deployment: JsonObject): number => numberAt(deployment, "spec", "replicas") ?? 1

export const isRolling = (deployment: JsonObject): boolean =>
  textAt(deployment, "spec", "strategy", "type") !== "Recreate"

/** Initial size of a new ReplicaSet: the part of the surge that is left. */
const firstSize = (deployment: JsonObject, sets: ReadonlyArray<ReplicaSet>, limits: RolloutLimits): number => {
  const wanted = wantedOf(deployment)
  if (!isRolling(deployment)) return wanted
  const others = sets.reduce((total, set) => total + set.wanted, 0)
  return Math.max(0, Math.min(wanted, wanted + limits.surge - others))
}

const sizeAnnotations = (deployment: JsonObject, limits: RolloutLimits): JsonObject => ({
  [DESIRED]: String(wantedOf(deployment)),
  [MAX]: String(wantedOf(deployment) + (isRolling(deployment) ? limits.surge : 0))
})

/** Sets the size of a ReplicaSet, and annotates it with the Deployment's current size. */
export const resize = (
  turn: Turn,
  deployment: JsonObject,
  set: ReplicaSet,
  wanted: number,
  limits: RolloutLimits
): ReplicaSet => {
  change(turn, Resources.replicaSets, set.stored, (object) =>
    put(put(object, ["spec", "replicas"], wanted), ["metadata", "annotations"], {
      ...objectAt(object, "metadata", "annotations"),
      ...sizeAnnotations(deployment, limits)
    })
  )
  return reread(turn, set)
}
