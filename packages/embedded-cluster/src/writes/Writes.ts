/**
 * Creates and updates objects by the rules of the real server.
 *
 * Every function runs synchronously from its first read of the store to its last write, so concurrent requests never
 * interleave.
 */
import { Result } from "effect"
import type { Grant } from "../access/EscalationCheck.ts"
import * as ServiceCheck from "../checks/ServiceCheck.ts"
import * as Validation from "../checks/Validation.ts"
import {
  arrayAt,
  at,
  equals,
  isArray,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  put,
  textAt,
  without
} from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import { hasStatus, type Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import {
  alreadyExists,
  conflict,
  type Failure,
  forbidden,
  invalid,
  misnamed,
  misplaced,
  modified,
  notFound,
  type Outcome
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { keyOf, read, type Stored } from "../core/Stored.ts"
import * as CustomKinds from "../customkinds/CustomKinds.ts"
import * as ManagedFields from "../patches/ManagedFields.ts"
import * as Conversion from "../schemas/Conversion.ts"
import { type Address, find } from "./Address.ts"
import * as Collector from "./Collector.ts"
import * as ObjectDecoder from "./ObjectDecoder.ts"
import * as Defaults from "./Defaults.ts"
import * as ServiceAllocation from "./ServiceAllocation.ts"

export interface WriteOptions {
  readonly manager: string
  readonly dryRun: boolean
  /** The object is the result of a server-side apply, so its `managedFields` are already up to date. */
  readonly applied?: boolean
  /** Checks the permissions that the object grants; absent for users who may grant everything. */
  readonly grant?: Grant
  /** The change comes from a client's patch. The uid of a patch result is not compared with the object's uid. */
  readonly patched?: boolean
  /** Field validation for a client's object; absent for the server's own objects. */
  readonly reading?: ObjectDecoder.Reading
}

/**
 * Creates an object in a namespace.
 *
 * **Errors** 404 for a missing namespace, 403 for a terminating one, 409, 422.
 */
export const create = steps(function* (
  kernel: Kernel,
  resource: Resource,
  namespace: string,
  object: JsonObject,
  options: WriteOptions
): Steps<JsonObject> {
  const body = tidy(yield* decoded(resource, object, options))
  const requested = objectAt(body, "metadata")
  const generated = textAt(requested, "generateName")
  const name =
    textAt(requested, "name") || (generated === "" ? "" : `${generated.slice(0, MAX_PREFIX)}${kernel.suffix()}`)
  yield* admitted(kernel, resource, namespace, name)
  const metadata = {
    ...without(
      options.applied === true ? requested : without(requested, "managedFields"),
      "resourceVersion",
      "deletionTimestamp",
      "deletionGracePeriodSeconds",
      "selfLink"
    ),
    ...(name === "" ? {} : { name }),
    ...(resource.namespaced ? { namespace } : {}),
    uid: kernel.uid(),
    creationTimestamp: timestamp(kernel.nowMs()),
    ...(resource.generation ? { generation: 1 } : {})
  }
  const bare = hasStatus(resource) && resource !== Resources.nodes ? without(body, "status") : body
  const filled = Defaults.fill(resource, Defaults.admit(resource, { ...bare, metadata }), kernel.surroundings)
  const first = hasStatus(resource) ? Defaults.firstStatus(resource, filled) : undefined
  const complete = first === undefined ? filled : { ...filled, status: first }
  if (options.grant !== undefined) yield* options.grant(body)
  yield* Validation.created(resource, complete)
  yield* allocated(kernel, resource, complete)
  // An object that the server itself writes may carry the version of another cluster.
  const versioned = options.reading !== undefined && Number(textAt(requested, "resourceVersion")) > 0
  if (versioned && !options.dryRun)
    return yield* Result.fail<Failure>({
      code: 500,
      message: "metadata.resourceVersion must not be set when an object is created"
    })
  if (kernel.store.get(resource, keyOf(namespace, name)) !== undefined)
    return yield* Result.fail(alreadyExists(resource, name))
  return options.dryRun ? complete : stored(kernel, resource, complete)
})

const decoded = (resource: Resource, object: JsonObject, { applied, reading }: WriteOptions): Outcome<JsonObject> =>
  applied === true
    ? Result.succeed(ObjectDecoder.applied(resource, object))
    : ObjectDecoder.decode(resource, object, reading)

/** Longer prefixes of generated names are cut, so that the name is a valid label. */
const MAX_PREFIX = 58

/** Refuses a Service that requests an address or port of another Service. */
const allocated = (kernel: Kernel, resource: Resource, object: JsonObject, before?: JsonObject): Outcome<void> => {
  const errors = resource === Resources.services ? ServiceAllocation.allocationErrors(kernel.store, object, before) : []
  return errors.length === 0
    ? Result.succeed(undefined)
    : Result.fail(invalid(resource.kind, resource.group, textAt(object, "metadata", "name"), errors))
}

/**
 * Stores an object. After storing a CustomResourceDefinition, accepts or refuses the names of the definitions in its
 * group.
 */
const stored = (kernel: Kernel, resource: Resource, object: JsonObject): JsonObject => {
  const written = kernel.store.write(resource, Conversion.toStored(resource, object))
  if (resource === Resources.customResourceDefinitions) CustomKinds.settle(kernel, CustomKinds.groupOf(written))
  return Conversion.toRequested(resource, read(written))
}

/** Part of an object that a write may change. */
export type Part = "main" | "status" | "finalize"

/** Computes the new object from the current one. */
export type Change = (current: JsonObject) => Outcome<JsonObject>

/**
 * Updates an existing object.
 *
 * **Shape** fields outside of the part stay unchanged. An update without changes keeps the resource version.
 *
 * **Errors** 404, 409 if the update names another version or uid, 422, and those of the change itself.
 */
export const update = steps(function* (
  kernel: Kernel,
  address: Address,
  part: Part,
  change: Change,
  options: WriteOptions
): Steps<JsonObject> {
  const { resource, name } = address
  const stored = yield* find(kernel, address)
  const before = Conversion.toRequested(resource, read(stored))
  const changed = yield* change(before)
  const body = yield* decoded(resource, changed, options)
  const requested = options.applied === true ? tidy(body) : carryingOwners(body, before)
  const named = textAt(requested, "metadata", "name")
  if (named !== name) return yield* Result.fail(misnamed(named, name))
  if (options.grant !== undefined) yield* options.grant(requested, before)
  const version = textAt(requested, "metadata", "resourceVersion")
  if (version !== "" && version !== "0" && version !== String(stored.revision))
    return yield* Result.fail(modified(resource, name))
  const namespace = textAt(requested, "metadata", "namespace")
  if (resource.namespaced && namespace !== "" && namespace !== address.namespace) return yield* Result.fail(misplaced)
  const uid = textAt(requested, "metadata", "uid")
  if (uid !== "" && uid !== stored.uid && options.patched !== true)
    return yield* Result.fail(otherUid(address, uid, stored.uid))
  const whole = Defaults.fill(resource, keepRest(resource, part, requested, before), kernel.surroundings)
  const counted = counting(resource, part, whole, before)
  yield* Validation.updated(resource, counted, before, part)
  yield* allocated(kernel, resource, counted, before)
  const managed =
    options.applied === true
      ? counted
      : ManagedFields.afterUpdate(resource, before, counted, options.manager, part, timestamp(kernel.nowMs()))
  if (equals(managed, before) || options.dryRun) return managed
  return finished(kernel, resource, stored, managed)
})

/**
 * Refuses a write for another uid than the object's.
 *
 * Operators ignore errors that start with "StorageError: invalid object, Code: 4".
 */
const otherUid = ({ name, resource }: Address, requested: string, actual: string) =>
  conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4: metadata.uid ${requested} is not the object's, ${actual}`
  )

const admitted = (kernel: Kernel, resource: Resource, namespace: string, name: string): Outcome<void> => {
  if (resource.custom?.terminating === true) {
    const why = "its definition is being deleted"
    return Result.fail(
      forbidden(`${resource.resource}.${resource.group} "${name}" is forbidden: ${why}`, {
        name,
        group: resource.group,
        kind: resource.resource
      })
    )
  }
  if (!resource.namespaced) return Result.succeed(undefined)
  const home = kernel.store.get(Resources.namespaces, namespace)
  if (home === undefined) return Result.fail(notFound(Resources.namespaces, namespace))
  if (home.fields["status.phase"] !== "Terminating") return Result.succeed(undefined)
  // Operators look for this message when a namespace is terminating.
  const message =
    `${resource.resource}${resource.group === "" ? "" : `.${resource.group}`} "${name}" is forbidden: `
    + `unable to create new content in namespace ${namespace} because it is being terminated`
  return Result.fail(
    forbidden(message, {
      name,
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.resource,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace"
        }
      ]
    })
  )
}

const OPTIONAL = ["labels", "annotations", "finalizers", "ownerReferences", "managedFields"]

/** Removes empty fields of the metadata, as the server does when it decodes an object. */
const tidy = (object: JsonObject): JsonObject => {
  const metadata = objectAt(object, "metadata")
  const empty = OPTIONAL.filter((name) => {
    const value = metadata[name]
    return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
  })
  return empty.length === 0 ? object : { ...object, metadata: without(metadata, ...empty) }
}

/** Keeps the field owners of the old object if the body does not mention them. An empty list clears them. */
const carryingOwners = (object: JsonObject, before: JsonObject): JsonObject =>
  at(object, "metadata", "managedFields") === undefined
    ? put(tidy(object), ["metadata", "managedFields"], at(before, "metadata", "managedFields"))
    : tidy(object)

/** Metadata that only the server sets. A client's value is ignored. */
const OWNED = ["namespace", "creationTimestamp", "generation"]

/** Metadata that only the server sets. A different client value is refused. */
const FROZEN = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]

const pick = (names: ReadonlyArray<string>, metadata: JsonObject): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]] as const])))

/** Merges the client's metadata with the fields that the server controls. */
const metadataOf = (resource: Resource, part: Part, requested: JsonObject, old: JsonObject): JsonObject => {
  const settable = without(objectAt(requested, "metadata"), ...OWNED, "selfLink")
  const ending = old["deletionTimestamp"] !== undefined
  // A kubelet's status update may be based on the pod before its deletion started.
  const past = ending || (resource === Resources.pods && part === "status") ? ["deletionTimestamp"] : []
  const metadata = {
    ...pick(FROZEN, old),
    ...without(settable, ...past),
    ...pick([...OWNED, ...past, "resourceVersion"], old)
  }
  // A status update does not change the labels of a Deployment.
  if (part !== "status" || resource !== Resources.deployments) return metadata
  return withPart(metadata, old, "labels")
}

const keepRest = (resource: Resource, part: Part, requested: JsonObject, before: JsonObject): JsonObject => {
  const old = objectAt(before, "metadata")
  const metadata = metadataOf(resource, part, requested, old)
  const body = without(requested, "apiVersion", "kind", "metadata")
  if (part === "main") {
    const complete = { metadata, ...(hasStatus(resource) ? withPart(body, before, "status") : body) }
    if (resource === Resources.services) return ServiceCheck.carrying(complete, before)
    return resource === Resources.namespaces ? { ...complete, spec: objectAt(before, "spec") } : complete
  }
  const { metadata: _metadata, ...rest } = before
  if (part === "status") {
    // A status update changes nothing else of a custom object.
    const newMetadata = resource.custom === undefined ? metadata : { ...old, ...only(metadata, "managedFields") }
    const changed = { metadata: newMetadata, ...withPart(rest, requested, "status") }
    // The QoS class of a pod never changes.
    const qosClass = at(before, "status", "qosClass")
    return resource === Resources.pods && at(changed, "status", "qosClass") === undefined
      ? put(changed, ["status", "qosClass"], qosClass)
      : changed
  }
  return { metadata, ...rest, spec: objectAt(requested, "spec") }
}

const only = (object: JsonObject, name: string): JsonObject =>
  object[name] === undefined ? {} : { [name]: object[name] }

const withPart = (object: JsonObject, source: JsonObject, name: string): JsonObject =>
  source[name] === undefined ? without(object, name) : { ...object, [name]: source[name] }

const counting = (resource: Resource, part: Part, object: JsonObject, before: JsonObject): JsonObject => {
  if (!resource.generation || part !== "main") return object
  if (resource.custom !== undefined) {
    // For a custom kind, any change outside of the metadata counts.
    const same = equals(without(object, "metadata"), without(before, "metadata"))
    return same ? object : nextGeneration(object, before)
  }
  const annotated =
    resource.kind === "Deployment"
    && !equals(at(object, "metadata", "annotations"), at(before, "metadata", "annotations"))
  if (equals(object["spec"], before["spec"]) && !annotated) return object
  const counted = nextGeneration(object, before)
  if (resource.kind !== "DaemonSet" || equals(at(object, "spec", "template"), at(before, "spec", "template")))
    return counted
  const templates = Number(textAt(before, "metadata", "annotations", Defaults.TEMPLATE_GENERATION)) + 1
  return put(counted, ["metadata", "annotations", Defaults.TEMPLATE_GENERATION], String(templates))
}

const nextGeneration = (object: JsonObject, before: JsonObject): JsonObject =>
  put(object, ["metadata", "generation"], (numberAt(before, "metadata", "generation") ?? 0) + 1)

/** Stores an update. If the object is marked for deletion and its last finalizer is gone, removes it instead. */
const finished = (kernel: Kernel, resource: Resource, before: Stored, object: JsonObject): JsonObject => {
  const ending = at(object, "metadata", "deletionTimestamp") !== undefined
  const grace = numberAt(object, "metadata", "deletionGracePeriodSeconds") ?? 0
  if (!ending || grace > 0 || hasFinalizers(object)) return stored(kernel, resource, object)
  const removed = kernel.store.remove(resource, before)
  Collector.removed(kernel, resource, removed)
  return put(object, ["metadata", "resourceVersion"], String(removed.revision))
}

/** Returns whether a finalizer delays the removal of an object. */
export const hasFinalizers = (object: JsonObject): boolean =>
  arrayAt(object, "metadata", "finalizers").length > 0
  || (at(object, "status", "phase") === "Terminating" && arrayAt(object, "spec", "finalizers").length > 0)

/** Assigns a pod to a node, as a scheduler does. */
export const bind = (kernel: Kernel, stored: Stored, node: string, { dryRun }: WriteOptions): void => {
  if (dryRun) return
  const pod = put(read(stored), ["spec", "nodeName"], node)
  const conditions = arrayAt(pod, "status", "conditions").filter(
    (condition) => textAt(condition, "type") !== "PodScheduled"
  )
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(kernel.nowMs())
  }
  kernel.store.write(Resources.pods, put(pod, ["status", "conditions"], [...conditions, scheduled]))
}
