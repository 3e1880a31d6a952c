/**
 * Creates, changes and removes objects by the rules of the real server.
 *
 * Every function here is one step from the first look at the store to its last write, without a pause in between, so
 * two requests never mix.
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

/** Who writes, and whether anything is kept. */
export interface WriteOptions {
  readonly manager: string
  readonly dryRun: boolean
  /** Whether the object comes out of an apply, which has already settled who owns its fields. */
  readonly applied?: boolean
  /** Judges what the object grants, for those who may not grant everything. */
  readonly grant?: Grant
  /** Whether a client's patch makes the change, which has no uid of its own to insist on. */
  readonly patched?: boolean
  /** How a client wants its fields read; the server's own objects are as they should be. */
  readonly reading?: ObjectDecoder.Reading
}

/**
 * Creates an object in a namespace.
 *
 * **Errors** 404 for a namespace that does not exist, 403 for one that ends, 409, 422.
 */
export const create = steps(function* (
  kernel: Kernel,
  resource: Resource,
  namespace: string,
  object: JsonObject,
  options: WriteOptions
): Steps<JsonObject> {
  const said = tidy(yield* decoded(resource, object, options))
  const given = objectAt(said, "metadata")
  const generated = textAt(given, "generateName")
  const name = textAt(given, "name") || (generated === "" ? "" : `${generated.slice(0, MAX_PREFIX)}${kernel.suffix()}`)
  yield* admitted(kernel, resource, namespace, name)
  const metadata = {
    ...without(
      options.applied === true ? given : without(given, "managedFields"),
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
  const bare = hasStatus(resource) && resource !== Resources.nodes ? without(said, "status") : said
  const filled = Defaults.fill(resource, Defaults.admit(resource, { ...bare, metadata }), kernel.surroundings)
  const first = hasStatus(resource) ? Defaults.firstStatus(resource, filled) : undefined
  const complete = first === undefined ? filled : { ...filled, status: first }
  if (options.grant !== undefined) yield* options.grant(said)
  yield* Validation.created(resource, complete)
  yield* allocated(kernel, resource, complete)
  // What the server itself writes may come from somewhere else, with the version that it had there.
  const versioned = options.reading !== undefined && Number(textAt(given, "resourceVersion")) > 0
  if (versioned && !options.dryRun)
    return yield* Result.fail<Failure>({
      code: 500,
      message: "metadata.resourceVersion must not be given for an object that is created"
    })
  if (kernel.store.get(resource, keyOf(namespace, name)) !== undefined)
    return yield* Result.fail(alreadyExists(resource, name))
  return options.dryRun ? complete : stored(kernel, resource, complete)
})

const decoded = (resource: Resource, object: JsonObject, { applied, reading }: WriteOptions): Outcome<JsonObject> =>
  applied === true
    ? Result.succeed(ObjectDecoder.applied(resource, object))
    : ObjectDecoder.decode(resource, object, reading)

/** Longer beginnings of generated names are cut, so that the whole is a label. */
const MAX_PREFIX = 58

/** Refuses a service that asks for what others have. */
const allocated = (kernel: Kernel, resource: Resource, object: JsonObject, before?: JsonObject): Outcome<void> => {
  const errors = resource === Resources.services ? ServiceAllocation.allocationErrors(kernel.store, object, before) : []
  return errors.length === 0
    ? Result.succeed(undefined)
    : Result.fail(invalid(resource.kind, resource.group, textAt(object, "metadata", "name"), errors))
}

/** Stores an object, and does at once what follows from that. */
const stored = (kernel: Kernel, resource: Resource, object: JsonObject): JsonObject => {
  const written = kernel.store.write(resource, Conversion.kept(resource, object))
  if (resource === Resources.customResourceDefinitions) CustomKinds.settle(kernel, CustomKinds.groupOf(written))
  return Conversion.shown(resource, read(written))
}

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
export const update = steps(function* (
  kernel: Kernel,
  address: Address,
  part: Part,
  change: Change,
  options: WriteOptions
): Steps<JsonObject> {
  const { resource, name } = address
  const stored = yield* find(kernel, address)
  const before = Conversion.shown(resource, read(stored))
  const changed = yield* change(before)
  const said = yield* decoded(resource, changed, options)
  const asked = options.applied === true ? tidy(said) : carryingOwners(said, before)
  const named = textAt(asked, "metadata", "name")
  if (named !== name) return yield* Result.fail(misnamed(named, name))
  if (options.grant !== undefined) yield* options.grant(asked, before)
  const version = textAt(asked, "metadata", "resourceVersion")
  if (version !== "" && version !== "0" && version !== String(stored.revision))
    return yield* Result.fail(modified(resource, name))
  const namespace = textAt(asked, "metadata", "namespace")
  if (resource.namespaced && namespace !== "" && namespace !== address.namespace) return yield* Result.fail(misplaced)
  const uid = textAt(asked, "metadata", "uid")
  if (uid !== "" && uid !== stored.uid && options.patched !== true)
    return yield* Result.fail(otherUid(address, uid, stored.uid))
  const whole = Defaults.fill(resource, keepRest(resource, part, asked, before), kernel.surroundings)
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
 * Refuses a write to an object with another uid than the one asked for.
 *
 * Operators pass over what begins with "StorageError: invalid object, Code: 4".
 */
const otherUid = ({ name, resource }: Address, asked: string, actual: string) =>
  conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4: metadata.uid ${asked} is not the object's, ${actual}`
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
  // Operators that meet a namespace on its way out look for this sentence.
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

/** An object as the server reads it: what is empty in its metadata is not there. */
const tidy = (object: JsonObject): JsonObject => {
  const metadata = objectAt(object, "metadata")
  const empty = OPTIONAL.filter((name) => {
    const value = metadata[name]
    return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
  })
  return empty.length === 0 ? object : { ...object, metadata: without(metadata, ...empty) }
}

/** A body that is silent about who owns which field leaves that as it is; an empty list forgets it. */
const carryingOwners = (object: JsonObject, before: JsonObject): JsonObject =>
  at(object, "metadata", "managedFields") === undefined
    ? put(tidy(object), ["metadata", "managedFields"], at(before, "metadata", "managedFields"))
    : tidy(object)

/** Fields that only the server writes; what a client says of them is not heard. */
const OWNED = ["namespace", "creationTimestamp", "generation"]

/** Fields that only the server writes; a client that says something else of them is refused. */
const FROZEN = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]

const kept = (names: ReadonlyArray<string>, metadata: JsonObject): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]] as const])))

/** The metadata that a change asks for, and what the server keeps of the old. */
const metadataOf = (resource: Resource, part: Part, asked: JsonObject, old: JsonObject): JsonObject => {
  const given = without(objectAt(asked, "metadata"), ...OWNED, "selfLink")
  const ending = old["deletionTimestamp"] !== undefined
  // The kubelet reports of a pod what it saw of it, even while that ends.
  const past = ending || (resource === Resources.pods && part === "status") ? ["deletionTimestamp"] : []
  const metadata = {
    ...kept(FROZEN, old),
    ...without(given, ...past),
    ...kept([...OWNED, ...past, "resourceVersion"], old)
  }
  // Labels of a deployment are not changed with its status.
  if (part !== "status" || resource !== Resources.deployments) return metadata
  return withPart(metadata, old, "labels")
}

const keepRest = (resource: Resource, part: Part, asked: JsonObject, before: JsonObject): JsonObject => {
  const old = objectAt(before, "metadata")
  const metadata = metadataOf(resource, part, asked, old)
  const body = without(asked, "apiVersion", "kind", "metadata")
  if (part === "main") {
    const complete = { metadata, ...(hasStatus(resource) ? withPart(body, before, "status") : body) }
    if (resource === Resources.services) return ServiceCheck.carrying(complete, before)
    return resource === Resources.namespaces ? { ...complete, spec: objectAt(before, "spec") } : complete
  }
  const { metadata: _metadata, ...rest } = before
  if (part === "status") {
    // Through its status, nothing else of a custom object changes.
    const own = resource.custom === undefined ? metadata : { ...old, ...only(metadata, "managedFields") }
    const changed = { metadata: own, ...withPart(rest, asked, "status") }
    // What a pod may expect of its node does not change while it runs.
    const quality = at(before, "status", "qosClass")
    return resource === Resources.pods && at(changed, "status", "qosClass") === undefined
      ? put(changed, ["status", "qosClass"], quality)
      : changed
  }
  return { metadata, ...rest, spec: objectAt(asked, "spec") }
}

const only = (object: JsonObject, name: string): JsonObject =>
  object[name] === undefined ? {} : { [name]: object[name] }

const withPart = (object: JsonObject, source: JsonObject, name: string): JsonObject =>
  source[name] === undefined ? without(object, name) : { ...object, [name]: source[name] }

const counting = (resource: Resource, part: Part, object: JsonObject, before: JsonObject): JsonObject => {
  if (!resource.generation || part !== "main") return object
  if (resource.custom !== undefined) {
    // Of a custom kind nobody knows what matters: everything but the metadata does.
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

/** Writes a change, unless it took away the last thing that held an object which is ending. */
const finished = (kernel: Kernel, resource: Resource, before: Stored, object: JsonObject): JsonObject => {
  const ending = at(object, "metadata", "deletionTimestamp") !== undefined
  const grace = numberAt(object, "metadata", "deletionGracePeriodSeconds") ?? 0
  if (!ending || grace > 0 || held(object)) return stored(kernel, resource, object)
  const removed = kernel.store.remove(resource, before)
  Collector.removed(kernel, resource, removed)
  return put(object, ["metadata", "resourceVersion"], String(removed.revision))
}

/** Whether something keeps an object that is ending. */
export const held = (object: JsonObject): boolean =>
  arrayAt(object, "metadata", "finalizers").length > 0
  || (at(object, "status", "phase") === "Terminating" && arrayAt(object, "spec", "finalizers").length > 0)

/** Gives a pod its node, as a scheduler does. */
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
