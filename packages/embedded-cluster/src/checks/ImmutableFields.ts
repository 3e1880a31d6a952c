/**
 * Immutable fields of each built-in kind.
 *
 * **Source** Kubernetes 1.36, the `validation.go` of each API group.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import { type FieldError, forbiddenValue, immutable } from "../core/Status.ts"
import * as ConfigCheck from "./ConfigCheck.ts"
import * as ServiceCheck from "./ServiceCheck.ts"

const IMMUTABLE = new Map<string, ReadonlyArray<ReadonlyArray<string>>>([
  ["Deployment", [["spec", "selector"]]],
  ["ReplicaSet", [["spec", "selector"]]],
  ["DaemonSet", [["spec", "selector"]]],
  [
    "Job",
    [
      ["spec", "selector"],
      ["spec", "template"],
      ["spec", "completions"]
    ]
  ]
])

/** Mutable fields in the `spec` of a StatefulSet. */
const STATEFUL = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
])

/** Reports each immutable field that changed. */
export const immutableErrors = (
  resource: Resource,
  object: JsonObject,
  before: JsonObject
): ReadonlyArray<FieldError> => {
  if (resource.kind === "Pod") return podErrors(object, before)
  if (resource.kind === "Service") return ServiceCheck.changeErrors(object, before)
  if (resource.kind === "ConfigMap" || resource.kind === "Secret") return ConfigCheck.changeErrors(object, before)
  if (resource.kind.endsWith("RoleBinding")) return roleErrors(object, before)
  if (resource.kind === "StatefulSet") {
    const changed = changedKeys(objectAt(object, "spec"), objectAt(before, "spec")).some((key) => !STATEFUL.has(key))
    return changed ? [only(STATEFUL)] : []
  }
  return (IMMUTABLE.get(resource.kind) ?? []).flatMap((path) =>
    equals(at(object, ...path), at(before, ...path)) ? [] : [immutable(path.join("."), at(object, ...path))]
  )
}

/** Mutable fields in the `spec` of a pod. In its containers, only images are mutable. */
const POD = new Set([
  "containers",
  "initContainers",
  "activeDeadlineSeconds",
  "tolerations",
  "terminationGracePeriodSeconds"
])

const podErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const spec = objectAt(object, "spec")
  const old = objectAt(before, "spec")
  const oldQos = textAt(before, "status", "qosClass")
  const newQos = textAt(object, "status", "qosClass")
  if (oldQos !== "" && newQos !== oldQos) return [immutable("status.qosClass", newQos)]
  const imagesOnly = ["containers", "initContainers"].every((name) =>
    equals(imageless(spec, name), imageless(old, name))
  )
  if (imagesOnly && changedKeys(spec, old).every((key) => POD.has(key))) return []
  return [only(POD)]
}

const only = (fields: ReadonlySet<string>): FieldError =>
  forbiddenValue("spec", `only these fields may change: ${[...fields].join(", ")}`)

const roleErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const role = objectAt(object, "roleRef")
  if (equals(role, at(before, "roleRef"))) return []
  return [immutable("roleRef", role)]
}

const imageless = (spec: JsonObject, name: string): Json =>
  arrayAt(spec, name).map((container) => (isObject(container) ? { ...container, image: "" } : container))

const changedKeys = (left: JsonObject, right: JsonObject): ReadonlyArray<string> =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((key) => !equals(left[key], right[key]))
