/**
 * Fields that a change may not touch, kind by kind.
 *
 * **Source** Kubernetes 1.36, the `validation.go` of each API group; the words are those of its replies.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import { type FieldError, forbiddenValue, invalidValue } from "../core/Status.ts"
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

/** Fields of a stateful set that may change; everything else of its `spec` may not. */
const STATEFUL = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
])

/** Finds the fields that changed although they may not. */
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
    return changed
      ? [
          forbiddenValue(
            "spec",
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
              + "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
          )
        ]
      : []
  }
  return (IMMUTABLE.get(resource.kind) ?? []).flatMap((path) =>
    equals(at(object, ...path), at(before, ...path))
      ? []
      : [invalidValue(path.join("."), at(object, ...path), "field is immutable")]
  )
}

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
  const quality = textAt(before, "status", "qosClass")
  const asked = textAt(object, "status", "qosClass")
  if (quality !== "" && asked !== quality) return [invalidValue("status.qosClass", asked, "field is immutable")]
  const imagesOnly = ["containers", "initContainers"].every((name) =>
    equals(imageless(spec, name), imageless(old, name))
  )
  if (imagesOnly && changedKeys(spec, old).every((key) => POD.has(key))) return []
  return [
    forbiddenValue(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
        + "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
        + "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
    )
  ]
}

const roleErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const role = objectAt(object, "roleRef")
  if (equals(role, at(before, "roleRef"))) return []
  const shown = { APIGroup: textAt(role, "apiGroup"), Kind: textAt(role, "kind"), Name: textAt(role, "name") }
  return [invalidValue("roleRef", shown, "cannot change roleRef")]
}

const imageless = (spec: JsonObject, name: string): Json =>
  arrayAt(spec, name).map((container) => (isObject(container) ? { ...container, image: "" } : container))

const changedKeys = (left: JsonObject, right: JsonObject): ReadonlyArray<string> =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((key) => !equals(left[key], right[key]))
