/**
 * Template history of a StatefulSet or DaemonSet, as `kubectl rollout history` and `undo` read it.
 *
 * **Source** Kubernetes, `pkg/controller/history`.
 */
import { at, equals, type JsonObject, numberAt, objectAt, put, textAt, without } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import type { Turn } from "./Controller.ts"
import { change, controllerReference, remove, tryCreate } from "./ControllerWrites.ts"
import { controlled } from "./OwnedPods.ts"
import { hashOf } from "./Templates.ts"
import { objectOf } from "./Views.ts"

export interface Revision {
  readonly stored: Stored
  readonly name: string
  readonly hash: string
  readonly number: number
  readonly template: JsonObject
}

const toRevision = (stored: Stored, label: string): Revision => {
  const object = objectOf(stored)
  return {
    stored,
    name: stored.name,
    hash: textAt(object, "metadata", "labels", label),
    number: numberAt(object, "revision") ?? 0,
    template: without(objectAt(object, "data", "spec", "template"), "$patch")
  }
}

/** Revisions of an owner, oldest first. **Shape** `label` is the label with the hash. */
export const list = (turn: Turn, owner: Stored, label: string): ReadonlyArray<Revision> =>
  controlled(turn, Resources.controllerRevisions, owner)
    .map((stored) => toRevision(stored, label))
    .toSorted((left, right) => left.number - right.number)

/** Ensures that the current template has the latest revision. Returns `undefined` if it could not be written. */
export const ensure = (turn: Turn, resource: Resource, owner: Stored, label: string): Revision | undefined => {
  const object = objectOf(owner)
  const template = objectAt(object, "spec", "template")
  const known = list(turn, owner, label)
  const latest = known.at(-1)?.number ?? 0
  const same = known.find((one) => equals(one.template, template))
  if (same !== undefined) {
    if (same.number === latest) return same
    change(turn, Resources.controllerRevisions, same.stored, (old) => put(old, ["revision"], latest + 1))
    return { ...same, number: latest + 1 }
  }
  for (let collisions = 0; collisions < LONGEST_SEARCH; collisions++) {
    const hash = hashOf(template, collisions)
    const name = `${owner.name}-${hash}`
    const outcome = tryCreate(turn, Resources.controllerRevisions, owner.namespace, {
      metadata: {
        name,
        labels: { ...objectAt(template, "metadata", "labels"), [label]: hash },
        annotations: objectAt(object, "metadata", "annotations"),
        ownerReferences: [controllerReference(resource, owner)]
      },
      data: { spec: { template: { ...template, $patch: "replace" } } },
      revision: latest + 1
    })
    const stored = turn.kernel.store.get(Resources.controllerRevisions, `${owner.namespace}/${name}`)
    if (outcome._tag === "Success" && stored !== undefined) return toRevision(stored, label)
    // 409: another owner's revision has this name, so try another hash.
    if (outcome._tag === "Failure" && outcome.failure.code !== 409) {
      turn.failed(outcome.failure)
      return undefined
    }
  }
  return undefined
}

/** Maximum number of names to try for a new revision. */
const LONGEST_SEARCH = 20

/** Deletes the oldest revisions beyond the history limit, except those in use. */
export const prune = (turn: Turn, owner: Stored, label: string, used: (revision: Revision) => boolean): void => {
  const limit = numberAt(at(objectOf(owner), "spec"), "revisionHistoryLimit") ?? 10
  const idle = list(turn, owner, label).filter((one) => !used(one))
  for (const { stored } of idle.slice(0, Math.max(0, idle.length - limit))) {
    remove(turn, Resources.controllerRevisions, stored)
  }
}
