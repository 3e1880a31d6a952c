/**
 * Deletes objects: at once, after a grace period, or after their finalizers are removed.
 *
 * **Source** Kubernetes, `k8s.io/apiserver/pkg/registry/rest/delete.go`; "Garbage Collection" for the three
 * propagation policies.
 */
import { Result } from "effect"
import { at, isObject, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { conflict, type Details, forbidden, type Outcome } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as CustomKinds from "../customkinds/CustomKinds.ts"
import { type Address, find } from "./Address.ts"
import * as Collector from "./Collector.ts"
import * as Finalizers from "./Finalizers.ts"
import { hasFinalizers } from "./Writes.ts"

/**
 * Options of a deletion.
 *
 * **Shape** without `graceSeconds` the object's own grace period applies. With `acceptedWhilePending` the reply is
 * 202 if the object is not removed yet.
 */
export interface DeleteOptions {
  readonly graceSeconds?: number
  readonly propagation?: Finalizers.Propagation
  readonly acceptedWhilePending?: boolean
  readonly uid?: string
  readonly version?: string
  readonly dryRun: boolean
}

/**
 * Result of a deletion. **Shape** `gone` is false while a finalizer, the kubelet or the namespace's contents delay
 * the removal.
 */
export interface Deletion {
  readonly gone: boolean
  readonly object: JsonObject
  readonly details: Details
}

/**
 * Deletes an object, or marks it for deletion if its removal must wait.
 *
 * **Errors** 404, 409 if a precondition fails, 403 for the protected namespaces.
 */
export const remove = steps(function* (kernel: Kernel, address: Address, options: DeleteOptions): Steps<Deletion> {
  const { resource, name } = address
  const stored = yield* find(kernel, address)
  if (resource === Resources.namespaces && PROTECTED.has(name)) return yield* Result.fail(undeletable(name))
  yield* preconditions(address, stored, options)
  const before = read(stored)
  const details = {
    name,
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
    uid: stored.uid
  }
  const grace = graceOf(resource, before, options)
  const marked = at(before, "metadata", "deletionTimestamp") !== undefined
  if (resource === Resources.customResourceDefinitions && !marked) {
    return { gone: false, object: retired(kernel, stored, options.dryRun), details }
  }
  const finalized = finalizing(resource, before, options)
  const orphans = !kernel.collectsLater && Finalizers.has(finalized, Finalizers.ORPHAN)
  const settled = orphans ? Finalizers.withoutFinalizer(finalized, Finalizers.ORPHAN) : finalized
  // A second deletion can only shorten the grace period.
  if (
    marked
    && settled === before
    && grace >= (numberAt(before, "metadata", "deletionGracePeriodSeconds") ?? 0)
    && (grace > 0 || hasFinalizers(before))
  ) {
    return { gone: false, object: before, details }
  }
  const ending = ended(resource, settled, grace, marked, kernel.nowMs())
  const removable = grace === 0 && !hasFinalizers(ending)
  if (options.dryRun) return { gone: removable, object: ending, details }
  if (orphans) Collector.orphanDependents(kernel, stored.uid)
  if (!removable) {
    const object = read(kernel.store.write(resource, ending))
    Collector.marked(kernel, resource, object)
    return { gone: false, object, details }
  }
  const last = resource === Resources.pods ? ending : before
  const removed = kernel.store.remove(resource, stored)
  Collector.removed(kernel, resource, removed)
  return { gone: true, object: put(last, ["metadata", "resourceVersion"], String(removed.revision)), details }
})

/** Marks a definition for deletion and deletes its objects first. */
const retired = (kernel: Kernel, stored: Stored, dryRun: boolean): JsonObject => {
  const object = CustomKinds.markDeleted(kernel, stored, dryRun)
  if (dryRun) return object
  for (const [resource, { name, namespace }] of CustomKinds.instances(kernel, stored.name)) {
    // The object may already have been removed with its owner.
    remove(kernel, { resource, namespace, name }, { dryRun: false })
  }
  Collector.closeDefinition(kernel, stored.name)
  return object
}

const PROTECTED = new Set(["default", "kube-system", "kube-public"])

const undeletable = (name: string) =>
  forbidden(`namespaces "${name}" is forbidden: this namespace must not be deleted`, { name, kind: "namespaces" })

const preconditions = ({ name, resource }: Address, stored: Stored, options: DeleteOptions): Outcome<void> => {
  if (options.uid !== undefined && options.uid !== stored.uid) {
    return Result.fail(
      conflict(resource, name, `preconditions.uid ${options.uid} is not the object's, ${stored.uid}`, resource.kind)
    )
  }
  if (options.version !== undefined && options.version !== String(stored.revision)) {
    return Result.fail(
      conflict(
        resource,
        name,
        `preconditions.resourceVersion ${options.version} is not the object's, ${stored.revision}`,
        resource.kind
      )
    )
  }
  return Result.succeed(undefined)
}

/** Grace period of a deletion, in seconds. Only a pod that runs on a node has one. */
const graceOf = (resource: Resource, object: JsonObject, options: DeleteOptions): number => {
  if (resource !== Resources.pods || textAt(object, "spec", "nodeName") === "") return 0
  const phase = textAt(object, "status", "phase")
  if (phase === "Succeeded" || phase === "Failed") return 0
  return Math.max(0, options.graceSeconds ?? numberAt(object, "spec", "terminationGracePeriodSeconds") ?? 30)
}

const finalizing = (resource: Resource, object: JsonObject, { propagation }: DeleteOptions): JsonObject => {
  // Jobs keep a default from an older API: without a propagation policy their pods are orphaned.
  const policy = propagation ?? (resource === Resources.jobs && !hasPropagation(object) ? "Orphan" : undefined)
  return isObject(at(object, "spec", "finalizers")) ? object : Finalizers.forPropagation(object, policy)
}

const hasPropagation = (object: JsonObject): boolean =>
  Finalizers.has(object, Finalizers.ORPHAN) || Finalizers.has(object, Finalizers.FOREGROUND)

const ended = (resource: Resource, object: JsonObject, grace: number, marked: boolean, nowMs: number): JsonObject => {
  const generation = numberAt(object, "metadata", "generation")
  const metadata = {
    ...objectAt(object, "metadata"),
    ...(generation === undefined || marked ? {} : { generation: generation + 1 }),
    deletionTimestamp: timestamp(nowMs + grace * 1_000),
    ...(resource === Resources.namespaces ? {} : { deletionGracePeriodSeconds: grace })
  }
  return resource === Resources.namespaces
    ? put({ ...object, metadata }, ["status", "phase"], "Terminating")
    : { ...object, metadata }
}
