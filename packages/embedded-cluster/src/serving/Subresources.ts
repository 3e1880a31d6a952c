/**
 * Handles requests for subresources: status, scale, finalize, token, and the subresources of pods.
 */
import { Result } from "effect"
import { bodyObject, placed } from "../checks/RequestBody.ts"
import { replicaErrors } from "../checks/Validation.ts"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { at, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import type { Resource, Subresource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import {
  badRequest,
  conflict,
  internal,
  invalid,
  misnamed,
  type Outcome,
  required,
  success,
  unsupportedMediaType
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { read } from "../core/Stored.ts"
import { json } from "../core/TextReply.ts"
import * as Patches from "../patches/Patches.ts"
import * as BuiltinSchemas from "../schemas/BuiltinSchemas.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import { addressOf, find } from "../writes/Address.ts"
import * as Evictions from "../writes/Evictions.ts"
import * as PodLogs from "../writes/PodLogs.ts"
import { writeOptions } from "../writes/RequestOptions.ts"
import * as Writes from "../writes/Writes.ts"
import * as Objects from "./Objects.ts"
import type { Reply } from "./Reply.ts"
import * as TokenRequests from "./TokenRequests.ts"

/** Handles one call. **Shape** the subresource supports the verb. */
export const answer = (kernel: Kernel, call: ResourceCall, subresource: Subresource): Outcome<Reply> => {
  const { verb } = call.info
  switch (subresource.name) {
    case "status":
      if (verb === "get") return Objects.get(kernel, call)
      return verb === "update" ? Objects.update(kernel, call, "status") : Objects.patch(kernel, call, "status")
    case "finalize":
      return Objects.update(kernel, call, "finalize")
    case "scale":
      return verb === "get" ? Result.map(currentScale(kernel, call), (scale) => json(scale)) : rescale(kernel, call)
    case "binding":
      return bind(kernel, call)
    case "eviction":
      return Evictions.create(kernel, call)
    case "token":
      return TokenRequests.issue(kernel, call)
    case "log":
      return PodLogs.answer(kernel, call)
  }
}

/**
 * Reads the scale of an object.
 *
 * **Errors** 500 for a custom object without a number of replicas.
 */
const scaleOf = ({ custom }: Resource, object: JsonObject): Outcome<JsonObject> => {
  const paths = custom?.scale
  if (paths === undefined) {
    const selector = LabelSelector.print(LabelSelector.fromObject(objectAt(object, "spec", "selector")))
    return Result.succeed(
      scaleFrom(object, numberAt(object, "spec", "replicas") ?? 0, ["status", "replicas"], selector)
    )
  }
  const replicas = numberAt(object, ...paths.spec)
  if (replicas === undefined) {
    return Result.fail(internal(`the object has no ${paths.spec.join(".")}`))
  }
  const selector = paths.selector === undefined ? "" : textAt(object, ...paths.selector)
  return Result.succeed(scaleFrom(object, replicas, paths.status, selector))
}

const scaleFrom = (
  object: JsonObject,
  replicas: number,
  status: ReadonlyArray<string>,
  selector: string
): JsonObject => {
  const { creationTimestamp, name, namespace, resourceVersion, uid } = objectAt(object, "metadata")
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name: name ?? "",
      ...(namespace === undefined ? {} : { namespace }),
      uid: uid ?? "",
      resourceVersion: resourceVersion ?? "",
      creationTimestamp: creationTimestamp ?? ""
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, ...status) ?? 0, ...(selector === "" ? {} : { selector }) }
  }
}

const currentScale = (kernel: Kernel, call: ResourceCall): Outcome<JsonObject> =>
  Result.flatMap(find(kernel, addressOf(call)), (stored) => scaleOf(call.resource, read(stored)))

const rescale = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const options = yield* writeOptions(call.request, call.info.verb === "update" ? "UpdateOptions" : "PatchOptions")
  const wanted = yield* wantedScale(call)
  const address = addressOf(call)
  const change = (current: JsonObject) => rescaled(call, wanted, current)
  const changed = yield* Writes.update(kernel, address, "main", change, options)
  return json(yield* scaleOf(call.resource, changed))
})

/** Sets the replicas of the requested scale in the object. */
const rescaled = steps(function* (
  call: ResourceCall,
  wanted: (scale: JsonObject) => Outcome<JsonObject>,
  current: JsonObject
): Steps<JsonObject> {
  const { info, resource } = call
  const { name } = info
  const scale = yield* wanted(yield* scaleOf(resource, current))
  const scaleName = textAt(scale, "metadata", "name")
  if (scaleName !== name) return yield* Result.fail(misnamed(scaleName, name))
  yield* placed(scale, call)
  const uid = textAt(scale, "metadata", "uid")
  const known = textAt(current, "metadata", "uid")
  if (info.verb === "patch" && uid !== "" && uid !== known) {
    const why = `metadata.uid ${uid} is not the object's, ${known}`
    return yield* Result.fail(conflict(resource, name, why, `${resource.resource}/scale`))
  }
  const replicas = at(scale, "spec", "replicas") ?? 0
  const paths = resource.custom?.scale
  const errors = paths === undefined ? replicaErrors(replicas) : []
  if (errors.length > 0) return yield* Result.fail(invalid("Scale", "autoscaling", name, errors))
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    return yield* Result.fail(badRequest("spec.replicas must be a whole number"))
  }
  // The scale's resource version is the object's own, so a stale scale conflicts like a stale object.
  const version = textAt(scale, "metadata", "resourceVersion")
  const versioned = version === "" ? current : put(current, ["metadata", "resourceVersion"], version)
  const identified = uid === "" ? versioned : put(versioned, ["metadata", "uid"], uid)
  return put(identified, paths?.spec ?? ["spec", "replicas"], replicas)
})

const SCALE = {
  kind: "Scale",
  groupVersion: "autoscaling/v1",
  schema: KindSchema.reference(BuiltinSchemas.nameOf("autoscaling", "v1", "Scale"))
}

const wantedScale = steps(function* (call: ResourceCall): Steps<(current: JsonObject) => Outcome<JsonObject>> {
  if (call.info.verb === "update") {
    const body = yield* Result.flatMap(bodyObject(call.request, "Scale", "autoscaling/v1"), (scale) =>
      placed(scale, call)
    )
    return () => Result.succeed(body)
  }
  const patch = yield* Patches.read(call.request, { ...SCALE, isCustom: call.resource.custom !== undefined })
  if (patch._tag === "Change") return patch.change
  return yield* Result.fail(
    unsupportedMediaType("a scale supports only json-patch, merge-patch and strategic-merge-patch")
  )
})

const bind = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const options = yield* writeOptions(call.request, "CreateOptions")
  const binding = yield* bodyObject(call.request, "Binding", "v1")
  const address = addressOf(call)
  const node = textAt(binding, "target", "name")
  const stored = yield* find(kernel, address)
  const assigned = textAt(read(stored), "spec", "nodeName")
  if (assigned !== "") {
    const why = `pod ${address.name} is already assigned to node ${JSON.stringify(assigned)}`
    return yield* Result.fail(conflict(Resources.pods, address.name, why, "pods/binding"))
  }
  if (node === "") return yield* Result.fail(invalid("Binding", "", address.name, [required("target.name")]))
  Writes.bind(kernel, stored, node, options)
  return json(success(undefined, 201), 201)
})
