/**
 * Creates, changes and removes objects by the rules of the real server.
 *
 * Every function here is one step from the first look at the store to its last write, without a pause in between, so two
 * requests never mix.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import * as Collector from "./Collector.ts"
import * as Defaults from "./Defaults.ts"
import { arrayAt, at, equals, isObject, type JsonObject, numberAt, objectAt, put, textAt, without } from "./Json.ts"
import { type Kernel, timestamp } from "./Kernel.ts"
import * as ManagedFields from "./ManagedFields.ts"
import { hasStatus, type Resource } from "./Resource.ts"
import * as Resources from "./Resources.ts"
import {
  alreadyExists,
  conflict,
  type Details,
  forbidden,
  misnamed,
  modified,
  notFound,
  type Outcome
} from "./Status.ts"
import { keyOf, read, type Stored } from "./Store.ts"
import * as Validation from "./Validation.ts"

/** Which object a request addresses. */
export interface Address {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
}

/** Who writes, and whether anything is kept. */
export interface WriteOptions {
  readonly manager: string
  readonly dryRun: boolean
  /** Whether the object comes out of an apply, which has already settled who owns its fields. */
  readonly applied?: boolean
}

export const find = (kernel: Kernel, { resource, namespace, name }: Address): Outcome<Stored> => {
  const stored = kernel.store.get(resource, keyOf(namespace, name))
  return stored === undefined ? Result.fail(notFound(resource, name)) : Result.succeed(stored)
}

/**
 * Creates an object in a namespace.
 *
 * **Errors** 404 for a namespace that does not exist, 403 for one that ends, 409, 422.
 */
export const create = (
  kernel: Kernel,
  resource: Resource,
  namespace: string,
  object: JsonObject,
  options: WriteOptions
): Outcome<JsonObject> =>
  Result.gen(function*() {
    const given = objectAt(object, "metadata")
    const generated = textAt(given, "generateName")
    const name = textAt(given, "name") || (generated === "" ? "" : `${generated}${kernel.suffix()}`)
    yield* admitted(kernel, resource, namespace, name)
    const metadata = {
      ...without(options.applied === true ? given : without(given, "managedFields"), "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"),
      ...(name === "" ? {} : { name }),
      ...(resource.namespaced ? { namespace } : {}),
      uid: kernel.uid(),
      creationTimestamp: timestamp(kernel.nowMs()),
      ...(resource.generation ? { generation: 1 } : {})
    }
    const bare = hasStatus(resource) && resource !== Resources.nodes ? without(object, "status") : object
    const filled = Defaults.fill(resource, Defaults.admit(resource, { ...bare, metadata }), kernel.surroundings)
    const complete = hasStatus(resource) ? { ...filled, status: Defaults.firstStatus(resource, filled) } : filled
    yield* Validation.created(resource, complete)
    if (kernel.store.get(resource, keyOf(namespace, name)) !== undefined) return yield* Result.fail(alreadyExists(resource, name))
    return options.dryRun ? complete : read(kernel.store.write(resource, complete))
  })

/** Which part of an object a write may change. */
export type Part = "main" | "status" | "finalize"

/** Makes the object that should be, from the one that is. */
export type Change = (current: JsonObject) => Outcome<JsonObject>

/**
 * Changes an object that exists.
 *
 * **Shape** what the part does not cover stays as it is, and a change that changes nothing keeps the version.
 *
 * **Errors** 404, 409 when the change names another version or uid, 422, and those of the change itself.
 */
export const update = (
  kernel: Kernel,
  address: Address,
  part: Part,
  change: Change,
  options: WriteOptions
): Outcome<JsonObject> =>
  Result.gen(function*() {
    const { resource, name } = address
    const stored = yield* find(kernel, address)
    const before = read(stored)
    const asked = yield* change(before)
    const named = textAt(asked, "metadata", "name")
    if (named !== name) return yield* Result.fail(misnamed(named, name))
    const version = textAt(asked, "metadata", "resourceVersion")
    if (version !== "" && version !== "0" && version !== String(stored.revision)) return yield* Result.fail(modified(resource, name))
    const uid = textAt(asked, "metadata", "uid")
    if (uid !== "" && uid !== stored.uid) return yield* Result.fail(otherUid(address, uid, stored.uid))
    const kept = Defaults.fill(resource, keepRest(resource, part, asked, before), kernel.surroundings)
    const counted = counting(resource, part, kept, before)
    yield* Validation.updated(resource, counted, before)
    const managed = options.applied === true
      ? counted
      : ManagedFields.afterUpdate(resource, before, counted, options.manager, part, timestamp(kernel.nowMs()))
    if (equals(managed, before) || options.dryRun) return managed
    return finished(kernel, resource, stored, managed)
  })

/** How an object goes. **Shape** without `graceSeconds` the object's own period counts. */
export interface DeleteOptions {
  readonly graceSeconds?: number
  readonly propagation?: "Foreground" | "Background" | "Orphan"
  readonly uid?: string
  readonly version?: string
  readonly dryRun: boolean
}

/** What a deletion came to. **Shape** `gone` is false while a finalizer, the kubelet or the contents still hold it. */
export interface Deletion {
  readonly gone: boolean
  readonly object: JsonObject
  readonly details: Details
}

/**
 * Deletes an object, or marks it as ending where something still holds it.
 *
 * **Errors** 404, 409 when a precondition does not hold, 403 for the namespaces that every cluster has.
 */
export const remove = (kernel: Kernel, address: Address, options: DeleteOptions): Outcome<Deletion> =>
  Result.gen(function*() {
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
    // A second deletion can only shorten the time that is left.
    if (marked && grace >= (numberAt(before, "metadata", "deletionGracePeriodSeconds") ?? 0) && (grace > 0 || held(before))) {
      return { gone: false, object: before, details }
    }
    const finalized = finalizing(before, options)
    const ending = ended(resource, finalized, grace, marked, kernel.nowMs())
    const goes = grace === 0 && !held(ending)
    if (options.dryRun) return { gone: goes, object: ending, details }
    if (!goes) {
      const object = read(kernel.store.write(resource, ending))
      Collector.ending(kernel, resource, object)
      return { gone: false, object, details }
    }
    const last = resource === Resources.pods ? ending : before
    if (options.propagation === "Orphan") Collector.release(kernel, stored.uid)
    const removed = kernel.store.remove(resource, stored)
    Collector.removed(kernel, resource, removed)
    return { gone: true, object: put(last, ["metadata", "resourceVersion"], String(removed.revision)), details }
  })

const PROTECTED = new Set(["default", "kube-system", "kube-public"])

const undeletable = (name: string) =>
  forbidden(`namespaces "${name}" is forbidden: this namespace may not be deleted`, { name, kind: "namespaces" })

const otherUid = ({ name, namespace, resource }: Address, asked: string, actual: string) =>
  conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${resource.resource}/${keyOf(namespace, name)}, ResourceVersion: 0, `
      + `AdditionalErrorMsg: Precondition failed: UID in precondition: ${asked}, UID in object meta: ${actual}`
  )

const admitted = (kernel: Kernel, resource: Resource, namespace: string, name: string): Outcome<void> => {
  if (!resource.namespaced) return Result.succeed(undefined)
  const home = kernel.store.get(Resources.namespaces, namespace)
  if (home === undefined) return Result.fail(notFound(Resources.namespaces, namespace))
  if (home.fields["status.phase"] !== "Terminating") return Result.succeed(undefined)
  const message = `${resource.resource}${resource.group === "" ? "" : `.${resource.group}`} "${name}" is forbidden: `
    + `unable to create new content in namespace ${namespace} because it is being terminated`
  return Result.fail(forbidden(message, {
    name,
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
    causes: [{
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace"
    }]
  }))
}

/** Fields that only the server writes. */
const OWNED = ["namespace", "uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "generateName"]

const keepRest = (resource: Resource, part: Part, asked: JsonObject, before: JsonObject): JsonObject => {
  const old = objectAt(before, "metadata")
  const metadata = {
    ...without(objectAt(asked, "metadata"), ...OWNED, "selfLink"),
    ...Object.fromEntries(OWNED.flatMap((key) => old[key] === undefined ? [] : [[key, old[key]] as const])),
    ...(old["resourceVersion"] === undefined ? {} : { resourceVersion: old["resourceVersion"] })
  }
  const managed = Object.hasOwn(objectAt(asked, "metadata"), "managedFields") || old["managedFields"] === undefined
    ? metadata
    : { ...metadata, managedFields: old["managedFields"] }
  const body = without(asked, "apiVersion", "kind", "metadata")
  if (part === "main") {
    const kept = hasStatus(resource) ? withPart(body, before, "status") : body
    const complete = { metadata: managed, ...kept }
    return resource === Resources.namespaces ? { ...complete, spec: objectAt(before, "spec") } : complete
  }
  const { metadata: _metadata, ...rest } = before
  if (part === "status") return { metadata: managed, ...withPart(rest, asked, "status") }
  return { metadata: managed, ...rest, spec: objectAt(asked, "spec") }
}

const withPart = (object: JsonObject, source: JsonObject, name: string): JsonObject =>
  source[name] === undefined ? without(object, name) : { ...object, [name]: source[name] }

const counting = (resource: Resource, part: Part, object: JsonObject, before: JsonObject): JsonObject => {
  if (!resource.generation || part !== "main") return object
  const annotated = resource.kind === "Deployment"
    && !equals(at(object, "metadata", "annotations"), at(before, "metadata", "annotations"))
  if (equals(object["spec"], before["spec"]) && !annotated) return object
  return put(object, ["metadata", "generation"], (numberAt(before, "metadata", "generation") ?? 0) + 1)
}

/** Writes a change, unless it took away the last thing that held an object which is ending. */
const finished = (kernel: Kernel, resource: Resource, stored: Stored, object: JsonObject): JsonObject => {
  const ending = at(object, "metadata", "deletionTimestamp") !== undefined
  const grace = numberAt(object, "metadata", "deletionGracePeriodSeconds") ?? 0
  if (!ending || grace > 0 || held(object)) return read(kernel.store.write(resource, object))
  const removed = kernel.store.remove(resource, stored)
  Collector.removed(kernel, resource, removed)
  return put(object, ["metadata", "resourceVersion"], String(removed.revision))
}

const held = (object: JsonObject): boolean =>
  arrayAt(object, "metadata", "finalizers").length > 0
  || (at(object, "status", "phase") === "Terminating" && arrayAt(object, "spec", "finalizers").length > 0)

const preconditions = ({ name, resource }: Address, stored: Stored, options: DeleteOptions): Outcome<void> => {
  if (options.uid !== undefined && options.uid !== stored.uid) {
    return Result.fail(conflict(
      resource,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${stored.uid}). `
        + "The object might have been deleted and then recreated",
      resource.kind
    ))
  }
  if (options.version !== undefined && options.version !== String(stored.revision)) {
    return Result.fail(conflict(
      resource,
      name,
      `the ResourceVersion in the precondition (${options.version}) does not match the ResourceVersion in record `
        + `(${stored.revision}). The object might have been modified`,
      resource.kind
    ))
  }
  return Result.succeed(undefined)
}

/** Only a pod that runs on a node has time to end; a finished or unbound one has nothing left to do. */
const graceOf = (resource: Resource, object: JsonObject, options: DeleteOptions): number => {
  if (resource !== Resources.pods || textAt(object, "spec", "nodeName") === "") return 0
  const phase = textAt(object, "status", "phase")
  if (phase === "Succeeded" || phase === "Failed") return 0
  return Math.max(0, options.graceSeconds ?? numberAt(object, "spec", "terminationGracePeriodSeconds") ?? 30)
}

const finalizing = (object: JsonObject, options: DeleteOptions): JsonObject => {
  if (options.propagation !== "Foreground" || isObject(at(object, "spec", "finalizers"))) return object
  const finalizers = arrayAt(object, "metadata", "finalizers")
  return finalizers.includes("foregroundDeletion")
    ? object
    : put(object, ["metadata", "finalizers"], [...finalizers, "foregroundDeletion"])
}

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

/** Gives a pod its node, as a scheduler does. */
export const bind = (kernel: Kernel, stored: Stored, node: string, { dryRun }: WriteOptions): void => {
  if (dryRun) return
  const pod = put(read(stored), ["spec", "nodeName"], node)
  const conditions = arrayAt(pod, "status", "conditions").filter((condition) => textAt(condition, "type") !== "PodScheduled")
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: timestamp(kernel.nowMs()) }
  kernel.store.write(Resources.pods, put(pod, ["status", "conditions"], [...conditions, scheduled]))
}
