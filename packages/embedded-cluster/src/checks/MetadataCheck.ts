/**
 * Validates metadata as the real server does.
 *
 * **Source** Kubernetes 1.36, `k8s.io/apimachinery/pkg/api/validation/objectmeta.go` and `pkg/apis/core/validation`.
 */
import { arrayAt, at, equals, type Json, type JsonObject, textAt } from "../core/Json.ts"
import {
  annotationErrors,
  keyProblem,
  labelErrors,
  labelProblem,
  pathSegmentProblem,
  subdomainProblem
} from "../core/Names.ts"
import type { Resource } from "../core/Resource.ts"
import { type FieldError, forbiddenValue, immutable, invalidValue, required } from "../core/Status.ts"

const NAME_RULES = new Map<string, (name: string) => string | undefined>([
  ["Namespace", labelProblem],
  ["Service", labelProblem],
  ["Role", pathSegmentProblem],
  ["ClusterRole", pathSegmentProblem],
  ["RoleBinding", pathSegmentProblem],
  ["ClusterRoleBinding", pathSegmentProblem],
  // The APIService of the core group has a name that ends with a dot.
  ["APIService", pathSegmentProblem]
])

/** Checks the metadata of an object. */
export const errors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> => {
  const name = textAt(object, "metadata", "name")
  const rule = resource.custom === undefined ? NAME_RULES.get(resource.kind) : undefined
  const problem = name === "" ? undefined : (rule ?? subdomainProblem)(name)
  return [
    ...(name === "" ? [required("metadata.name", "or metadata.generateName")] : []),
    ...(problem === undefined ? [] : [invalidValue("metadata.name", name, problem)]),
    ...labelErrors(object, ["metadata", "labels"]),
    ...annotationErrors(object),
    ...ownerErrors(object),
    ...finalizerErrors(resource, object)
  ]
}

const OWNERS = "metadata.ownerReferences"

const ownerErrors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const owners = arrayAt(object, "metadata", "ownerReferences")
  const controllers = owners.filter((owner) => at(owner, "controller") === true)
  return [
    ...owners.flatMap(anOwnerErrors),
    ...(controllers.length < 2 ? [] : [invalidValue(OWNERS, [...owners], "at most one owner may be the controller")])
  ]
}

const anOwnerErrors = (owner: Json): ReadonlyArray<FieldError> => {
  const version = textAt(owner, "apiVersion")
  const empty = ["kind", "name", "uid"].filter((name) => textAt(owner, name) === "")
  const isEvent = textAt(owner, "kind") === "Event" && ["v1", "events.k8s.io/v1"].includes(version)
  return [
    ...(version === "" || version.split("/").length > 2
      ? [invalidValue(`${OWNERS}.apiVersion`, version, "must be a version, or a group and a version")]
      : []),
    ...empty.map((name) => invalidValue(`${OWNERS}.${name}`, "", "must not be empty")),
    ...(isEvent ? [invalidValue(OWNERS, owner, "an event cannot be an owner")] : [])
  ]
}

const FINALIZERS = "metadata.finalizers"
const STANDARD: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"])
/** Groups whose kinds, like custom kinds, accept any well-formed finalizer. */
const LENIENT = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"])

const finalizerErrors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> => {
  const finalizers = arrayAt(object, "metadata", "finalizers").filter((one) => typeof one === "string")
  const strict = resource.custom === undefined && !LENIENT.has(resource.group)
  const both = finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")
  return [
    ...finalizers.flatMap((one) => {
      const problem = keyProblem(one)
      return problem === undefined ? [] : [invalidValue(FINALIZERS, one, problem)]
    }),
    ...(both ? [invalidValue(FINALIZERS, finalizers, "must not contain both orphan and foregroundDeletion")] : []),
    ...finalizers.flatMap((one, place) =>
      !strict || one.includes("/") || STANDARD.has(one)
        ? []
        : [
            invalidValue(
              `${FINALIZERS}[${place}]`,
              one,
              `must be one of ${[...STANDARD].join(", ")}, or have a prefix before a "/"`
            )
          ]
    )
  ]
}

/** Checks that an object that is being deleted gets no new finalizers. */
export const newFinalizers = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  if (at(before, "metadata", "deletionTimestamp") === undefined) return []
  const known = arrayAt(before, "metadata", "finalizers")
  const added = arrayAt(object, "metadata", "finalizers").filter((one) => !known.some((old) => old === one))
  if (added.length === 0) return []
  return [forbiddenValue(FINALIZERS, `must not be added to an object that is being deleted`)]
}

const FROZEN = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]

/** Checks that immutable metadata did not change. **Shape** like the real server, each error is reported twice. */
export const frozenErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const errors = FROZEN.flatMap((name) => {
    const value = at(object, "metadata", name)
    return equals(value, at(before, "metadata", name)) ? [] : [immutable(`metadata.${name}`, value)]
  })
  return [...errors, ...errors]
}
