/**
 * Garbage collector: deletes objects whose owners are gone, by the propagation policy of the deletion.
 *
 * **Shape** an owner must be found by its uid, in the dependent's namespace or cluster-scoped. Pods on a node are
 * marked for deletion and wait for their kubelet; other objects are deleted as usual.
 *
 * **Source** Kubernetes, `pkg/controller/garbagecollector`.
 */
import { arrayAt, at, type Json, type JsonObject, put, textAt } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as Collector from "../writes/Collector.ts"
import * as Finalizers from "../writes/Finalizers.ts"
import type { Controller, KeysOf, Turn } from "./Controller.ts"
import { change, remove } from "./ControllerWrites.ts"

const concerned: KeysOf = ({ after, before }, { kernel }) => {
  // Owners that the object no longer references may be waiting for it in a foreground deletion.
  const lost = (before?.owners ?? []).filter((uid) => after === undefined || !after.owners.includes(uid))
  if (after === undefined) {
    return before === undefined ? [] : [...kernel.store.dependents(before.uid).map(([, one]) => one.uid), ...lost]
  }
  const gained =
    before === undefined ? after.owners.length > 0 : after.owners.some((uid) => !before.owners.includes(uid))
  return gained || lost.length > 0 || awaitsCollector(after) ? [after.uid, ...lost] : []
}

/**
 * Returns whether an object is marked for deletion with a finalizer of the garbage collector. **Limits** searches the
 * object's text without parsing it.
 */
const awaitsCollector = ({ body }: Stored): boolean =>
  body.includes('"deletionTimestamp"')
  && (body.includes(Finalizers.FOREGROUND) || body.includes(`"${Finalizers.ORPHAN}"`))

export const garbageCollector: Controller = {
  name: "garbage-collector",
  watches: [],
  every: concerned,
  reconcile: (turn, uid) => {
    const found = turn.kernel.store.byUid(uid)
    if (found !== undefined) collect(turn, ...found)
  }
}

const collect = (turn: Turn, resource: Resource, stored: Stored): void => {
  const object = read(stored)
  if (at(object, "metadata", "deletionTimestamp") !== undefined) {
    if (Finalizers.has(object, Finalizers.ORPHAN)) orphan(turn, resource, stored)
    else if (Finalizers.has(object, Finalizers.FOREGROUND)) deleteForeground(turn, resource, stored)
    return
  }
  const owners = arrayAt(object, "metadata", "ownerReferences").map((owner) => ({
    owner,
    state: stateOf(turn, stored, owner)
  }))
  if (owners.length === 0) return
  if (owners.some(({ state }) => state === "solid")) {
    const solid = owners.filter(({ state }) => state === "solid").map(({ owner }) => textAt(owner, "uid"))
    if (solid.length < owners.length) keepOwners(turn, resource, stored, (uid) => solid.includes(uid))
    return
  }
  const waited = owners.some(({ state }) => state === "waiting") && turn.kernel.store.dependents(stored.uid).length > 0
  remove(turn, resource, stored, { propagation: waited ? "Foreground" : propagationOf(object) })
}

const propagationOf = (object: JsonObject): Finalizers.Propagation => {
  if (Finalizers.has(object, Finalizers.ORPHAN)) return "Orphan"
  return Finalizers.has(object, Finalizers.FOREGROUND) ? "Foreground" : "Background"
}

/** State of an owner: `solid` exists, `absent` is gone, `waiting` is in foreground deletion. */
const stateOf = ({ kernel }: Turn, dependent: Stored, owner: Json): "solid" | "absent" | "waiting" => {
  const found = kernel.store.byUid(textAt(owner, "uid"))
  if (found === undefined) return "absent"
  const [resource, stored] = found
  // A namespaced owner must be in the dependent's namespace.
  if (resource.namespaced && stored.namespace !== dependent.namespace) return "absent"
  return awaitsCollector(stored) && Finalizers.has(read(stored), Finalizers.FOREGROUND) ? "waiting" : "solid"
}

/** Removes the owner reference from the dependents while there is time, then the finalizer from the owner. */
const orphan = (turn: Turn, resource: Resource, stored: Stored): void => {
  for (const [kind, dependent] of turn.kernel.store.dependents(stored.uid)) {
    keepOwners(turn, kind, dependent, (uid) => uid !== stored.uid)
    if (!turn.hasTime()) {
      turn.again()
      return
    }
  }
  removeFinalizer(turn, resource, stored, Finalizers.ORPHAN)
}

/** Deletes the dependents while there is time. Removes the finalizer from the owner when no dependent blocks it. */
const deleteForeground = (turn: Turn, resource: Resource, stored: Stored): void => {
  for (const [kind, dependent] of turn.kernel.store.dependents(stored.uid)) {
    if (dependent.body.includes('"deletionTimestamp"')) continue
    collect(turn, kind, dependent)
    if (!turn.hasTime()) {
      turn.again()
      return
    }
  }
  if (!Collector.isBlocked(turn.kernel, stored.uid)) removeFinalizer(turn, resource, stored, Finalizers.FOREGROUND)
}

const removeFinalizer = (turn: Turn, resource: Resource, stored: Stored, finalizer: string): void => {
  change(turn, resource, stored, (object) => Finalizers.withoutFinalizer(object, finalizer))
}

const keepOwners = (turn: Turn, resource: Resource, stored: Stored, keeps: (uid: string) => boolean): void => {
  change(turn, resource, stored, (object) => {
    const rest = arrayAt(object, "metadata", "ownerReferences").filter((owner) => keeps(textAt(owner, "uid")))
    return put(object, ["metadata", "ownerReferences"], rest.length === 0 ? undefined : rest)
  })
}
