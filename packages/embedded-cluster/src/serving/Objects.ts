/**
 * Handles requests for objects: get, list, watch, create, update, patch, delete.
 */
import { Result } from "effect"
import * as EscalationCheck from "../access/EscalationCheck.ts"
import { placed, resourceBody } from "../checks/RequestBody.ts"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { type JsonObject, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import * as QueryValue from "../core/QueryValue.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import {
  badVersion,
  type Failure,
  invalid,
  invalidValue,
  misnamed,
  type Outcome,
  success,
  tooLargeVersion
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { keyOf } from "../core/Stored.ts"
import { json, JSON_TYPE } from "../core/TextReply.ts"
import * as Representation from "../forms/Representation.ts"
import * as ManagedFields from "../patches/ManagedFields.ts"
import * as Patches from "../patches/Patches.ts"
import * as Lists from "../reads/Lists.ts"
import * as Query from "../reads/Query.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import { addressOf, find } from "../writes/Address.ts"
import * as ObjectDecoder from "../writes/ObjectDecoder.ts"
import * as DeleteOptions from "../writes/DeleteOptions.ts"
import * as Deletions from "../writes/Deletions.ts"
import { writeOptions } from "../writes/RequestOptions.ts"
import * as Writes from "../writes/Writes.ts"
import type { Reply } from "./Reply.ts"

/** Handles one call. **Shape** the resource supports the verb at this path. */
export const answer = (kernel: Kernel, call: ResourceCall): Outcome<Reply> => {
  switch (call.info.verb) {
    case "get":
      return get(kernel, call)
    case "list":
      return list(kernel, call)
    case "watch":
      return watch(kernel, call)
    case "create":
      return create(kernel, call)
    case "update":
      return update(kernel, call, "main")
    case "patch":
      return patch(kernel, call, "main")
    case "delete":
      return remove(kernel, call)
    default:
      return removeAll(kernel, call)
  }
}

const rendererFor = (
  kernel: Kernel,
  { request, resource }: ResourceCall,
  reply: "object" | "list" | "stream" = "object"
): Outcome<Representation.Renderer> =>
  Result.map(Representation.negotiate(request.accept, request.query, reply), (representation) => ({
    resource,
    representation,
    nowMs: kernel.nowMs
  }))

export const get = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call)
  const version = call.request.query.get("resourceVersion") ?? ""
  const revision = QueryValue.natural(version === "" ? "0" : version)
  if (revision === undefined) return yield* Result.fail<Failure>({ code: 500, message: badVersion(version) })
  if (revision > kernel.store.revision) return yield* Result.fail(tooLargeVersion(revision, kernel.store.revision))
  const stored = yield* find(kernel, addressOf(call))
  return { _tag: "Text", status: 200, contentType: JSON_TYPE, body: Representation.one(renderer, stored) }
})

const list = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call, "list")
  const query = yield* Query.forList(call.request.query, call.resource)
  const page = yield* Lists.page(kernel, call.resource, addressOf(call).namespace, query)
  return { _tag: "Pieces", status: 200, pieces: Representation.list(renderer, page.metadata, page.items) }
})

const watch = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call, "stream")
  const query = yield* Query.forWatch(call.request.query, call.resource)
  return { _tag: "Watch", renderer, namespace: addressOf(call).namespace, query }
})

const create = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call)
  const options = yield* writeOptions(call.request, "CreateOptions")
  const body = yield* Result.flatMap(resourceBody(call), (object) => placed(object, call))
  warnOfRules(call, body)
  const made = yield* Writes.create(
    kernel,
    call.resource,
    addressOf(call).namespace,
    body,
    withGrantCheck(kernel, call, options)
  )
  return written(kernel, call, renderer, made, options.dryRun, 201)
})

export const update = steps(function* (kernel: Kernel, call: ResourceCall, part: Writes.Part): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call)
  const options = yield* writeOptions(call.request, "UpdateOptions")
  const body = yield* Result.flatMap(resourceBody(call), (object) => placed(object, call))
  const name = textAt(body, "metadata", "name")
  if (name !== call.info.name) return yield* Result.fail(misnamed(name, call.info.name))
  if (part === "main") warnOfRules(call, body)
  const change = () => (part === "main" ? versioned(call.resource, body) : Result.succeed(body))
  const changed = yield* Writes.update(kernel, addressOf(call), part, change, withGrantCheck(kernel, call, options))
  return written(kernel, call, renderer, changed, options.dryRun, 200)
})

/** Adds the check of the permissions that a write grants. */
const withGrantCheck = (kernel: Kernel, call: ResourceCall, options: Writes.WriteOptions): Writes.WriteOptions => {
  const grant = EscalationCheck.grantCheck(kernel, call)
  return grant === undefined ? options : { ...options, grant }
}

export const patch = steps(function* (kernel: Kernel, call: ResourceCall, part: "main" | "status"): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call)
  const options = yield* writeOptions(call.request, "PatchOptions")
  const { resource } = call
  const { reading, ...others } = options
  const checkedOptions = withGrantCheck(kernel, call, { ...others, patched: true })
  const parsedPatch = yield* Patches.read(call.request, patchTarget(resource))
  if (parsedPatch._tag === "Apply") {
    warnOfRules(call, parsedPatch.intent)
    const intent = yield* ObjectDecoder.declared(resource, parsedPatch.intent)
    const [object, status] = yield* apply(kernel, call, part, intent, parsedPatch.force, checkedOptions)
    return written(kernel, call, renderer, object, options.dryRun, status)
  }
  const change = (current: JsonObject) =>
    Result.flatMap(parsedPatch.change(typed(resource, current)), (object) =>
      ObjectDecoder.decodePatched(resource, object, reading)
    )
  const changed = yield* Writes.update(kernel, addressOf(call), part, change, checkedOptions)
  return written(kernel, call, renderer, changed, options.dryRun, 200)
})

/** Warns a client whose definition has CEL rules that this server does not evaluate them. */
const warnOfRules = ({ request, resource }: ResourceCall, body: JsonObject): void => {
  if (resource === Resources.customResourceDefinitions && JSON.stringify(body).includes('"x-kubernetes-validations":'))
    request.warn("x-kubernetes-validations: this server stores the rules but does not evaluate them")
}

const patchTarget = (resource: Resource): Patches.PatchTarget => ({
  kind: resource.kind,
  groupVersion: apiVersionOf(resource),
  schema: KindSchema.ofResource(resource),
  isCustom: resource.custom !== undefined
})

/** Refuses an update without a resource version, for the kinds that require one. */
const versioned = (resource: Resource, body: JsonObject): Outcome<JsonObject> => {
  const { group, resource: plural } = resource
  const blind = resource.custom === undefined && !VERSIONED.has(resource)
  if (blind || textAt(body, "metadata", "resourceVersion") !== "") return Result.succeed(body)
  const error = invalidValue("metadata.resourceVersion", undefined, "must be set in an update")
  return Result.fail(invalid(plural, group, textAt(body, "metadata", "name"), [error]))
}

const VERSIONED = new Set([Resources.customResourceDefinitions, Resources.apiServices])

/** Applies a configuration to an object, or creates the object. Returns the object and the status code. */
const apply = (
  kernel: Kernel,
  call: ResourceCall,
  part: "main" | "status",
  intent: JsonObject,
  force: boolean,
  checkedOptions: Writes.WriteOptions
): Outcome<readonly [JsonObject, number]> => {
  const { resource } = call
  const address = addressOf(call)
  const name = textAt(intent, "metadata", "name")
  if (name !== address.name) return Result.fail(misnamed(name, address.name))
  const options = { ...checkedOptions, applied: true }
  const subresource = part === "main" ? "" : part
  const terms = { manager: options.manager, force, subresource, time: timestamp(kernel.nowMs()) }
  const placedIntent = resource.namespaced ? put(intent, ["metadata", "namespace"], address.namespace) : intent
  if (part === "main" && kernel.store.get(resource, keyOf(address.namespace, address.name)) === undefined) {
    return ManagedFields.apply(resource, undefined, placedIntent, terms).pipe(
      Result.flatMap((object) => Writes.create(kernel, resource, address.namespace, object, options)),
      Result.map((object) => [object, 201] as const)
    )
  }
  const change = (current: JsonObject) => ManagedFields.apply(resource, current, placedIntent, terms)
  return Result.map(Writes.update(kernel, address, part, change, options), (object) => [object, 200] as const)
}

/** Replies with the written object, in the form that the client asked for. */
const written = (
  kernel: Kernel,
  call: ResourceCall,
  renderer: Representation.Renderer,
  object: JsonObject,
  dry: boolean,
  status: number
): Reply => {
  const stored = kernel.store.get(
    call.resource,
    keyOf(textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name"))
  )
  const current =
    !dry && stored !== undefined && String(stored.revision) === textAt(object, "metadata", "resourceVersion")
  return current
    ? { _tag: "Text", status, contentType: JSON_TYPE, body: Representation.one(renderer, stored) }
    : json(typed(call.resource, object), status)
}

const remove = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const options = yield* DeleteOptions.read(call)
  const deletion = yield* Deletions.remove(kernel, addressOf(call), options)
  if (deletion.gone && !call.resource.returnsDeleted) return json(success(deletion.details))
  return json(
    typed(call.resource, deletion.object),
    options.acceptedWhilePending === true && !deletion.gone ? 202 : 200
  )
})

const removeAll = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const renderer = yield* rendererFor(kernel, call, "list")
  const query = yield* Query.forList(call.request.query, call.resource)
  const options = yield* DeleteOptions.read(call)
  const page = yield* Lists.page(kernel, call.resource, addressOf(call).namespace, query)
  for (const { name, namespace } of page.items) {
    const gone = Deletions.remove(kernel, { resource: call.resource, namespace, name }, options)
    // The object may already have been removed with its owner.
    if (Result.isFailure(gone) && gone.failure.code !== 404) return yield* Result.fail(gone.failure)
  }
  return { _tag: "Pieces", status: 200, pieces: Representation.list(renderer, page.metadata, page.items) }
})

const typed = (resource: Resource, object: JsonObject): JsonObject => ({
  kind: resource.kind,
  apiVersion: apiVersionOf(resource),
  ...object
})
