/**
 * The replica sets of a deployment: one a template, numbered by revision.
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
import type { Fence } from "./Rollout.ts"
import { hashOf } from "./Templates.ts"
import { controllerOf, objectOf, timeOf } from "./Views.ts"

export const REVISION = "deployment.kubernetes.io/revision"
const HISTORY = "deployment.kubernetes.io/revision-history"
const DESIRED = "deployment.kubernetes.io/desired-replicas"
const MAX = "deployment.kubernetes.io/max-replicas"
const HASH = "pod-template-hash"

/** Annotations of a deployment that its replica sets do not take over. */
const OWN = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  "deprecated.deployment.rollback.to"
])

/** One replica set as its deployment sees it. */
export interface ReplicaSet {
  readonly stored: Stored
  readonly name: string
  readonly object: JsonObject
  readonly createdMs: number
  /** What it is told to have, and what its status says it has. */
  readonly wanted: number
  readonly replicas: number
  readonly ready: number
  readonly available: number
  readonly terminating: number
  readonly revision: number
  /** The deployment's sizes at the time when this one was scaled last. */
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

/** The replica sets of a deployment, oldest first, after adopting those without controller that its selector finds. */
export const ofDeployment = (turn: Turn, deployment: Stored): ReadonlyArray<ReplicaSet> => {
  const selector = selectorOf(deployment)
  if (at(objectOf(deployment), "metadata", "deletionTimestamp") === undefined) {
    for (const stored of turn.kernel.store.list(Resources.replicaSets, deployment.namespace)) {
      const object = objectOf(stored)
      const stray = controllerOf(object) === undefined && at(object, "metadata", "deletionTimestamp") === undefined
      if (stray && LabelSelector.matches(selector, stored.labels))
        adopt(turn, Resources.replicaSets, stored, controllerReference(Resources.deployments, deployment))
    }
  }
  return controlled(turn, Resources.replicaSets, deployment).map(toReplicaSet).toSorted(byAge)
}

const byAge = (left: ReplicaSet, right: ReplicaSet): number =>
  left.createdMs - right.createdMs || (left.name < right.name ? -1 : 1)

/** Reads a replica set again after a write. */
export const again = ({ kernel }: Turn, set: ReplicaSet): ReplicaSet => {
  const stored = kernel.store.get(Resources.replicaSets, set.stored.key)
  return stored === undefined ? set : toReplicaSet(stored)
}

/** Finds the replica set of the deployment's present template. */
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
 * Makes sure that the present template has its replica set, with the highest revision.
 *
 * **Shape** `undefined` when it could not be made, which is tried again.
 */
export const ensureCurrent = (
  turn: Turn,
  deployment: Stored,
  sets: ReadonlyArray<ReplicaSet>,
  limits: Fence
): Made | undefined => {
  const object = objectOf(deployment)
  const known = current(object, sets)
  const revision = Math.max(0, ...sets.filter((set) => set !== known).map((set) => set.revision)) + 1
  if (known !== undefined) {
    change(turn, Resources.replicaSets, known.stored, (old) => {
      const annotated = put(old, ["metadata", "annotations"], annotationsFor(object, old, revision))
      return put(annotated, ["spec", "minReadySeconds"], at(object, "spec", "minReadySeconds"))
    })
    return { set: again(turn, known), isNew: false }
  }
  return make(turn, deployment, sets, limits, revision)
}

const annotationsFor = (deployment: JsonObject, set: JsonObject, revision: number): JsonObject => {
  const own = Object.entries(textsAt(deployment, "metadata", "annotations")).filter(([name]) => !OWN.has(name))
  const annotations = { ...objectAt(set, "metadata", "annotations"), ...Object.fromEntries(own) }
  const before = textAt(annotations, REVISION)
  if (Number(before) >= revision) return annotations
  const history = [textAt(annotations, HISTORY), before].filter((one) => one !== "").join(",")
  return { ...annotations, [REVISION]: String(revision), ...(history === "" ? {} : { [HISTORY]: history }) }
}

const make = (
  turn: Turn,
  deployment: Stored,
  sets: ReadonlyArray<ReplicaSet>,
  limits: Fence,
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
        annotations: { ...annotationsFor(object, {}, revision), ...sizes(object, limits) },
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
    // Somebody else's replica set of that name: another hash finds a free one.
    if (outcome._tag === "Failure" && outcome.failure.code !== 409) {
      turn.failed(outcome.failure)
      return undefined
    }
  }
  return undefined
}

/** Names that are tried for a replica set when others have them. */
const LONGEST_SEARCH = 20

export const wantedOf = (deployment: JsonObject): number => numberAt(deployment, "spec", "replicas") ?? 1

export const isRolling = (deployment: JsonObject): boolean =>
  textAt(deployment, "spec", "strategy", "type") !== "Recreate"

/** A new generation starts with what the surge leaves room for. */
const firstSize = (deployment: JsonObject, sets: ReadonlyArray<ReplicaSet>, limits: Fence): number => {
  const wanted = wantedOf(deployment)
  if (!isRolling(deployment)) return wanted
  const others = sets.reduce((total, set) => total + set.wanted, 0)
  return Math.max(0, Math.min(wanted, wanted + limits.surge - others))
}

const sizes = (deployment: JsonObject, limits: Fence): JsonObject => ({
  [DESIRED]: String(wantedOf(deployment)),
  [MAX]: String(wantedOf(deployment) + (isRolling(deployment) ? limits.surge : 0))
})

/** Tells a replica set its size, and the sizes of the deployment at this moment. */
export const resize = (
  turn: Turn,
  deployment: JsonObject,
  set: ReplicaSet,
  wanted: number,
  limits: Fence
): ReplicaSet => {
  change(turn, Resources.replicaSets, set.stored, (object) =>
    put(put(object, ["spec", "replicas"], wanted), ["metadata", "annotations"], {
      ...objectAt(object, "metadata", "annotations"),
      ...sizes(deployment, limits)
    })
  )
  return again(turn, set)
}
