/**
 * Refuses metadata that the real server refuses.
 *
 * **Source** Kubernetes 1.36, `k8s.io/apimachinery/pkg/api/validation/objectmeta.go` and `pkg/apis/core/validation`.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import {
  annotationErrors,
  keyProblem,
  labelErrors,
  labelProblem,
  pathSegmentProblem,
  subdomainProblem
} from "../core/Names.ts"
import type { Resource } from "../core/Resource.ts"
import { type FieldError, forbiddenValue, invalidValue, required } from "../core/Status.ts"

const NAME_RULES = new Map<string, (name: string) => string | undefined>([
  ["Namespace", labelProblem],
  ["Service", labelProblem],
  ["Role", pathSegmentProblem],
  ["ClusterRole", pathSegmentProblem],
  ["RoleBinding", pathSegmentProblem],
  ["ClusterRoleBinding", pathSegmentProblem],
  // The name of the core group's own ends with a dot.
  ["APIService", pathSegmentProblem]
])

/** Finds what is wrong with the metadata of an object. */
export const errors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> => {
  const name = textAt(object, "metadata", "name")
  const rule = resource.custom === undefined ? NAME_RULES.get(resource.kind) : undefined
  const problem = name === "" ? undefined : (rule ?? subdomainProblem)(name)
  return [
    ...(name === "" ? [required("metadata.name", "name or generateName is required")] : []),
    ...(problem === undefined ? [] : [invalidValue("metadata.name", name, problem)]),
    ...labelErrors(object, ["metadata", "labels"]),
    ...annotationErrors(object),
    ...ownerErrors(object),
    ...finalizerErrors(resource, object)
  ]
}

const OWNERS = "metadata.ownerReferences"

/** What an owner has to say, in the order in which the real server prints it. */
const OWNER_FIELDS = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"]

const ownerErrors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const owners = arrayAt(object, "metadata", "ownerReferences")
  const controllers = owners.filter((owner) => at(owner, "controller") === true)
  const [first, second] = controllers.map((owner) => `${textAt(owner, "kind")}/${textAt(owner, "name")}`)
  return [
    ...owners.flatMap(anOwnerErrors),
    ...(first === undefined || second === undefined
      ? []
      : [
          invalidValue(
            OWNERS,
            owners.map(ordered),
            `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`
          )
        ])
  ]
}

const anOwnerErrors = (owner: Json): ReadonlyArray<FieldError> => {
  const version = textAt(owner, "apiVersion")
  const empty = ["kind", "name", "uid"].filter((name) => textAt(owner, name) === "")
  const isEvent = textAt(owner, "kind") === "Event" && ["v1", "events.k8s.io/v1"].includes(version)
  const printed = version.includes("/") ? version : `/${version}`
  return [
    ...(version === "" || version.split("/").length > 2
      ? [invalidValue(`${OWNERS}.apiVersion`, version, "version must not be empty")]
      : []),
    ...empty.map((name) => invalidValue(`${OWNERS}.${name}`, "", "must not be empty")),
    ...(isEvent
      ? [invalidValue(OWNERS, ordered(owner), `${printed}, Kind=Event is disallowed from being an owner`)]
      : [])
  ]
}

const ordered = (owner: Json): Json =>
  isObject(owner)
    ? Object.fromEntries(
        OWNER_FIELDS.flatMap((name) => {
          const value = owner[name]
          return value === undefined ? [] : [[name, value] as const]
        })
      )
    : owner

const FINALIZERS = "metadata.finalizers"
const STANDARD: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"])
/** Groups whose kinds, like custom ones, only have to name a finalizer well. */
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
    ...(both
      ? [invalidValue(FINALIZERS, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")]
      : []),
    ...finalizers.flatMap((one, place) =>
      !strict || one.includes("/") || STANDARD.has(one)
        ? []
        : [
            invalidValue(
              `${FINALIZERS}[${place}]`,
              one,
              "name is neither a standard finalizer name nor is it fully qualified"
            )
          ]
    )
  ]
}

/** An object that is ending takes no more finalizers. */
export const newFinalizers = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  if (at(before, "metadata", "deletionTimestamp") === undefined) return []
  const known = arrayAt(before, "metadata", "finalizers")
  const added = arrayAt(object, "metadata", "finalizers").filter((one) => !known.some((old) => old === one))
  if (added.length === 0) return []
  const list = added.map((one) => JSON.stringify(one)).join(", ")
  return [
    forbiddenValue(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
    )
  ]
}

const FROZEN = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]

/** Finds what of the metadata changed although it never may. **Shape** the real server looks twice and says so twice. */
export const frozenErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const errors = FROZEN.flatMap((name) => {
    const value = at(object, "metadata", name)
    return equals(value, at(before, "metadata", name))
      ? []
      : [invalidValue(`metadata.${name}`, value, "field is immutable")]
  })
  return [...errors, ...errors]
}
