/**
 * Refuses objects that the real server refuses, for the reasons that clients rely on.
 *
 * **Source** Kubernetes 1.36, the `validation.go` of each API group; the words are those of its replies.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import * as CustomCheck from "./CustomCheck.ts"
import * as DefinitionCheck from "./DefinitionCheck.ts"
import * as ApiServices from "./ApiServices.ts"
import { arrayAt, at, isObject, type Json, type JsonObject, numberAt, objectAt, textAt, textsAt } from "./Json.ts"
import { immutableErrors } from "./ImmutableFields.ts"
import * as LabelSelector from "./LabelSelector.ts"
import { annotationErrors, labelErrors, labelProblem, pathSegmentProblem, subdomainProblem } from "./Names.ts"
import type { Resource } from "./Resource.ts"
import {
  duplicate,
  type FieldError,
  forbiddenValue,
  invalid,
  invalidValue,
  type Outcome,
  required,
  unsupportedValue
} from "./Status.ts"

/** Refuses an object that is created. **Errors** 422 with every field at fault. */
export const created = (resource: Resource, object: JsonObject): Outcome<JsonObject> =>
  verdict(resource, object, [
    ...metadataErrors(resource, object),
    ...(resource.custom === undefined ? kindErrors(resource, object) : CustomCheck.created(resource.custom, object))
  ])

/** Refuses a change. **Errors** 422 with every field at fault, fields that may never change included. */
export const updated = (
  resource: Resource,
  object: JsonObject,
  before: JsonObject,
  part: "main" | "status" | "finalize"
): Outcome<JsonObject> =>
  verdict(resource, object, [
    ...metadataErrors(resource, object),
    ...newFinalizers(object, before),
    ...(resource.custom === undefined
      ? changeErrors(resource, object, before)
      : CustomCheck.updated(resource.custom, object, before, part))
  ])

const changeErrors = (resource: Resource, object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> =>
  resource.kind === "CustomResourceDefinition"
    ? DefinitionCheck.updated(object, before)
    : [...kindErrors(resource, object), ...immutableErrors(resource, object, before)]

/** What is wrong with a number of replicas. */
export const replicaErrors = (replicas: Json | undefined): ReadonlyArray<FieldError> =>
  typeof replicas === "number" && replicas < 0
    ? [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")]
    : []

const verdict = (resource: Resource, object: JsonObject, errors: ReadonlyArray<FieldError>): Outcome<JsonObject> =>
  errors.length === 0
    ? Result.succeed(object)
    : Result.fail(invalid(resource.kind, resource.group, textAt(object, "metadata", "name"), errors))

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

const metadataErrors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> => {
  const name = textAt(object, "metadata", "name")
  const rule = resource.custom === undefined ? NAME_RULES.get(resource.kind) : undefined
  const problem = name === "" ? undefined : (rule ?? subdomainProblem)(name)
  return [
    ...(name === "" ? [required("metadata.name", "name or generateName is required")] : []),
    ...(problem === undefined ? [] : [invalidValue("metadata.name", name, problem)]),
    ...labelErrors(object, ["metadata", "labels"]),
    ...annotationErrors(object)
  ]
}

const newFinalizers = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
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

type Check = (object: JsonObject) => ReadonlyArray<FieldError>

const kindErrors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> =>
  CHECKS.get(resource.kind)?.(object) ?? []

const containerErrors = (spec: Json | undefined, path: string): ReadonlyArray<FieldError> => {
  const containers = arrayAt(spec, "containers")
  if (containers.length === 0) return [required(`${path}.containers`)]
  return [
    ...listErrors(containers, `${path}.containers`),
    ...listErrors(arrayAt(spec, "initContainers"), `${path}.initContainers`)
  ]
}

const listErrors = (containers: ReadonlyArray<Json>, path: string): ReadonlyArray<FieldError> => {
  const seen = new Set<string>()
  return containers.flatMap((container, index) => {
    const name = textAt(container, "name")
    const repeated = seen.has(name)
    seen.add(name)
    const problem = name === "" ? undefined : labelProblem(name)
    return [
      ...(name === "" ? [required(`${path}[${index}].name`)] : []),
      ...(problem === undefined ? [] : [invalidValue(`${path}[${index}].name`, name, problem)]),
      ...(repeated && name !== "" ? [duplicate(`${path}[${index}].name`, name)] : []),
      ...(textAt(container, "image") === "" ? [required(`${path}[${index}].image`)] : [])
    ]
  })
}

const workload =
  (kind: string): Check =>
  (object) => {
    const selector = at(object, "spec", "selector")
    const labels = at(object, "spec", "template", "metadata", "labels")
    const matching =
      isObject(selector)
      && LabelSelector.matches(
        LabelSelector.fromObject(selector),
        textsAt(object, "spec", "template", "metadata", "labels")
      )
    const empty = isObject(selector) && LabelSelector.fromObject(selector).length === 0
    return [
      ...replicaErrors(at(object, "spec", "replicas")),
      ...(isObject(selector) ? [] : [required("spec.selector")]),
      ...(empty
        ? [invalidValue("spec.selector", selector, `empty selector is invalid for ${kind.toLowerCase()}`)]
        : []),
      ...(matching || empty
        ? []
        : [invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]),
      ...containerErrors(at(object, "spec", "template", "spec"), "spec.template.spec")
    ]
  }

const runsOnce = (object: JsonObject, ...path: ReadonlyArray<string>): ReadonlyArray<FieldError> => {
  const where = [...path, "template", "spec"]
  // The default is Always, which a job cannot have: the real server speaks of the value that was left out.
  const policy = textAt(object, ...where, "restartPolicy")
  const field = `${where.join(".")}.restartPolicy`
  return [
    ...containerErrors(at(object, ...where), where.join(".")),
    ...(policy === "OnFailure" || policy === "Never" ? [] : [required(field, 'valid values: "OnFailure", "Never"')])
  ]
}

const job: Check = (object) => {
  const negative = ["parallelism", "completions", "backoffLimit"].flatMap((name) => {
    const value = numberAt(object, "spec", name)
    return value !== undefined && value < 0
      ? [invalidValue(`spec.${name}`, value, "must be greater than or equal to 0")]
      : []
  })
  return [...negative, ...runsOnce(object, "spec")]
}

const service: Check = (object) => {
  const spec = objectAt(object, "spec")
  const type = textAt(spec, "type")
  const headless = textAt(spec, "clusterIP") === "None"
  const ports = arrayAt(spec, "ports")
  const needsPorts = type !== "ExternalName" && !headless && ports.length === 0
  return [
    ...(needsPorts ? [required("spec.ports")] : []),
    ...ports.flatMap((port, index) =>
      ["port", "targetPort"].flatMap((name) => {
        const number = at(port, name) ?? 0
        return typeof number === "number" && (number < 1 || number > 65_535)
          ? [invalidValue(`spec.ports[${index}].${name}`, number, "must be between 1 and 65535, inclusive")]
          : []
      })
    )
  ]
}

const event: Check = (object) => {
  const involved = textAt(object, "involvedObject", "namespace")
  const namespace = textAt(object, "metadata", "namespace")
  return involved === namespace || (involved === "" && namespace === "default")
    ? []
    : [invalidValue("involvedObject.namespace", involved, "does not match event.namespace")]
}

const role: Check = (object) =>
  arrayAt(object, "rules").flatMap((rule, index) => {
    const where = `rules[${index}]`
    const has = (name: string) => arrayAt(rule, name).length > 0
    const verbs = has("verbs") ? [] : [required(`${where}.verbs`, "verbs must contain at least one value")]
    if (has("nonResourceURLs")) return verbs
    return [
      ...verbs,
      ...(has("apiGroups")
        ? []
        : [required(`${where}.apiGroups`, "resource rules must supply at least one api group")]),
      ...(has("resources") ? [] : [required(`${where}.resources`, "resource rules must supply at least one resource")])
    ]
  })

const binding =
  (...kinds: ReadonlyArray<string>): Check =>
  (object) => {
    const kind = textAt(object, "roleRef", "kind")
    return [
      ...(kinds.includes(kind) ? [] : [unsupportedValue("roleRef.kind", kind, kinds)]),
      ...(textAt(object, "roleRef", "name") === "" ? [required("roleRef.name")] : [])
    ]
  }

const CHECKS = new Map<string, Check>([
  ["Pod", (object) => containerErrors(at(object, "spec"), "spec")],
  ["Deployment", workload("Deployment")],
  ["StatefulSet", workload("StatefulSet")],
  ["ReplicaSet", workload("ReplicaSet")],
  ["DaemonSet", workload("DaemonSet")],
  ["Job", job],
  [
    "CronJob",
    (object) => [
      ...(textAt(object, "spec", "schedule") === "" ? [required("spec.schedule")] : []),
      ...runsOnce(object, "spec", "jobTemplate", "spec")
    ]
  ],
  ["CustomResourceDefinition", DefinitionCheck.created],
  ["Service", service],
  ["APIService", ApiServices.errors],
  ["Event", event],
  ["Role", role],
  ["ClusterRole", role],
  ["RoleBinding", binding("Role", "ClusterRole")],
  ["ClusterRoleBinding", binding("ClusterRole")]
])
