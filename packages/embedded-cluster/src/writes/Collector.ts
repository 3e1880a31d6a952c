/**
 * Deletes the contents of terminating namespaces and orphaned objects, synchronously. In a cluster with controllers,
 * the controllers do this asynchronously instead.
 *
 * Without kubelets no pod needs time to stop, so pods are deleted without a grace period. Finalizers still block a
 * deletion.
 */
import { arrayAt, at, type Json, type JsonObject, objectAt, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as CustomKinds from "../customkinds/CustomKinds.ts"
import { FOREGROUND } from "./Finalizers.ts"

/** Continues the deletion of an object that was just marked for deletion. */
export const marked = (kernel: Kernel, resource: Resource, object: JsonObject): void => {
  if (kernel.collectsLater) return
  if (resource === Resources.namespaces) empty(kernel, textAt(object, "metadata", "name"))
  if (!arrayAt(object, "metadata", "finalizers").includes(FOREGROUND)) return
  const uid = textAt(object, "metadata", "uid")
  for (const [kind, dependent] of kernel.store.dependents(uid)) drop(kernel, kind, dependent, uid)
  const stored = kernel.store.get(resource, keyIn(object))
  if (stored !== undefined && !isBlocked(kernel, uid)) removeFinalizer(kernel, resource, stored, FOREGROUND)
}

/** Returns whether an owner in foreground deletion still has dependents that block it. */
export const isBlocked = (kernel: Kernel, uid: string): boolean =>
  kernel.store
    .dependents(uid)
    .some(([, dependent]) =>
      arrayAt(read(dependent), "metadata", "ownerReferences").some(
        (owner) => textAt(owner, "uid") === uid && at(owner, "blockOwnerDeletion") === true
      )
    )

/** Orphans the dependents of an owner: removes their reference to the owner before it is deleted. */
export const orphanDependents = (kernel: Kernel, uid: string): void => {
  for (const [resource, dependent] of kernel.store.dependents(uid)) {
    const object = read(dependent)
    const owners = arrayAt(object, "metadata", "ownerReferences").filter((owner) => textAt(owner, "uid") !== uid)
    kernel.store.write(resource, put(object, ["metadata", "ownerReferences"], owners.length === 0 ? undefined : owners))
  }
}

/**
 * Continues after an object was removed: deletes its dependents, and its namespace if that is terminating and now
 * empty.
 */
export const removed = (kernel: Kernel, resource: Resource, gone: Stored): void => {
  if (resource.custom !== undefined) closeDefinition(kernel, resource.custom.definition)
  if (resource === Resources.customResourceDefinitions) CustomKinds.settle(kernel, CustomKinds.groupOf(gone))
  if (kernel.collectsLater) return
  for (const [kind, dependent] of kernel.store.dependents(gone.uid)) drop(kernel, kind, dependent, gone.uid)
  for (const owner of gone.owners) foregroundOwner(kernel, owner)
  if (!resource.namespaced) return
  const home = kernel.store.get(Resources.namespaces, gone.namespace)
  if (home !== undefined && home.fields["status.phase"] === "Terminating") closeIfEmpty(kernel, home)
}

const keyIn = (object: JsonObject): string => {
  const namespace = textAt(object, "metadata", "namespace")
  const name = textAt(object, "metadata", "name")
  return namespace === "" ? name : `${namespace}/${name}`
}

/** Deletes a dependent unless another of its owners still exists. */
const drop = (kernel: Kernel, resource: Resource, dependent: Stored, uid: string): void => {
  if (dependent.owners.some((owner) => owner !== uid && kernel.store.byUid(owner) !== undefined)) return
  finish(kernel, resource, dependent)
}

const finish = (kernel: Kernel, resource: Resource, stored: Stored): void => {
  const object = read(stored)
  if (arrayAt(object, "metadata", "finalizers").length === 0) {
    const last = kernel.store.remove(resource, stored)
    removed(kernel, resource, last)
    return
  }
  if (at(object, "metadata", "deletionTimestamp") !== undefined) return
  const metadata: Json = {
    ...objectAt(object, "metadata"),
    deletionTimestamp: timestamp(kernel.nowMs()),
    deletionGracePeriodSeconds: 0
  }
  kernel.store.write(resource, { ...object, metadata })
}

const empty = (kernel: Kernel, namespace: string): void => {
  for (const [resource, listed] of kernel.store.contents(namespace)) {
    // The object may have been removed with its owner in an earlier iteration.
    const stored = kernel.store.get(resource, listed.key)
    if (stored !== undefined && stored.uid === listed.uid) finish(kernel, resource, stored)
  }
  const home = kernel.store.get(Resources.namespaces, namespace)
  if (home !== undefined) closeIfEmpty(kernel, home)
}

/** Removes a CustomResourceDefinition that is marked for deletion and has no objects left. */
export const closeDefinition = (kernel: Kernel, name: string): void => {
  const free = CustomKinds.finishDeletion(kernel, name)
  if (free === undefined) return
  removed(kernel, Resources.customResourceDefinitions, kernel.store.remove(Resources.customResourceDefinitions, free))
}

/** Removes a terminating namespace that is empty. */
export const closeIfEmpty = (kernel: Kernel, home: Stored): void => {
  if (kernel.store.holdsAny(home.name)) return
  const object = read(home)
  const others = arrayAt(object, "spec", "finalizers").filter((one) => one !== "kubernetes")
  if (others.length > 0 || arrayAt(object, "metadata", "finalizers").length > 0) {
    kernel.store.write(
      Resources.namespaces,
      put(object, ["spec", "finalizers"], others.length === 0 ? undefined : others)
    )
    return
  }
  const last = kernel.store.remove(Resources.namespaces, home)
  removed(kernel, Resources.namespaces, last)
}

/** Finishes the foreground deletion of an owner after its last blocking dependent was removed. */
const foregroundOwner = (kernel: Kernel, uid: string): void => {
  if (isBlocked(kernel, uid)) return
  const owner = kernel.store.byUid(uid)
  if (owner === undefined) return
  const [resource, stored] = owner
  if (arrayAt(read(stored), "metadata", "finalizers").includes(FOREGROUND))
    removeFinalizer(kernel, resource, stored, FOREGROUND)
}

const removeFinalizer = (kernel: Kernel, resource: Resource, stored: Stored, finalizer: string): void => {
  const object = read(stored)
  const rest = arrayAt(object, "metadata", "finalizers").filter((one) => one !== finalizer)
  if (rest.length > 0) {
    kernel.store.write(resource, put(object, ["metadata", "finalizers"], rest))
    return
  }
  const last = kernel.store.remove(resource, stored)
  removed(kernel, resource, last)
}
