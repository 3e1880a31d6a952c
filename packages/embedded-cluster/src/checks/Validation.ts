/**
 * Validates objects of every kind as the real server does.
 *
 * **Source** Kubernetes 1.36, the `validation.go` of each API group.
 */
import { DateTime, Option, Result } from "effect"
import * as ApiServices from "../core/ApiServices.ts"
import { at, isObject, type Json, type JsonObject, numberAt, objectAt, textAt, textsAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import type { Resource } from "../core/Resource.ts"
import { type FieldError, invalid, invalidValue, type Outcome, required, unsupportedValue } from "../core/Status.ts"
import * as CustomCheck from "../customkinds/CustomCheck.ts"
import * as DefinitionCheck from "../customkinds/DefinitionCheck.ts"
import * as ConfigCheck from "./ConfigCheck.ts"
import { immutableErrors } from "./ImmutableFields.ts"
import * as MetadataCheck from "./MetadataCheck.ts"
import * as PodCheck from "./PodCheck.ts"
import * as RoleCheck from "./RoleCheck.ts"
import * as ScheduleCheck from "./ScheduleCheck.ts"
import * as ServiceCheck from "./ServiceCheck.ts"
import * as StatusCheck from "./StatusCheck.ts"

/** Validates a new object. **Errors** 422 with every invalid field. */
export const created = (resource: Resource, object: JsonObject): Outcome<JsonObject> =>
  verdict(resource, object, [
    ...MetadataCheck.errors(resource, object),
    ...(resource.custom === undefined ? kindErrors(resource, object) : CustomCheck.created(resource.custom, object))
  ])

/** Validates a changed object. **Errors** 422 with every invalid field, including immutable fields that changed. */
export const updated = (
  resource: Resource,
  object: JsonObject,
  before: JsonObject,
  part: "main" | "status" | "finalize"
): Outcome<JsonObject> =>
  verdict(resource, object, [
    ...MetadataCheck.errors(resource, object),
    ...MetadataCheck.newFinalizers(object, before),
    ...MetadataCheck.frozenErrors(object, before),
    ...(resource.custom === undefined
      ? [
          ...changeErrors(resource, object, before),
          ...(part === "status" ? StatusCheck.errors(resource.kind, object) : [])
        ]
      : CustomCheck.updated(resource.custom, object, before, part))
  ])

const changeErrors = (resource: Resource, object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> =>
  resource.kind === "CustomResourceDefinition"
    ? DefinitionCheck.updated(object, before)
    : [...kindErrors(resource, object), ...immutableErrors(resource, object, before)]

/** Checks a number of replicas. */
export const replicaErrors = (replicas: Json | undefined): ReadonlyArray<FieldError> =>
  typeof replicas === "number" && replicas < 0 ? [invalidValue("spec.replicas", replicas, "must be at least 0")] : []

const verdict = (resource: Resource, object: JsonObject, errors: ReadonlyArray<FieldError>): Outcome<JsonObject> =>
  errors.length === 0
    ? Result.succeed(object)
    : Result.fail(invalid(resource.kind, resource.group, textAt(object, "metadata", "name"), errors))

type Check = (object: JsonObject) => ReadonlyArray<FieldError>

const kindErrors = (resource: Resource, object: JsonObject): ReadonlyArray<FieldError> =>
  CHECKS.get(resource.kind)?.(object) ?? []

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
      ...(empty ? [invalidValue("spec.selector", selector, "must select something")] : []),
      ...(matching || empty ? [] : [invalidValue("spec.template.metadata.labels", labels, "must match spec.selector")]),
      // A StatefulSet's pods get volumes that its template does not declare.
      ...(kind === "StatefulSet" ? PodCheck.containerErrors : PodCheck.errors)(
        at(object, "spec", "template", "spec"),
        "spec.template.spec"
      )
    ]
  }

const runsOnce = (object: JsonObject, ...path: ReadonlyArray<string>): ReadonlyArray<FieldError> => {
  const where = [...path, "template", "spec"]
  // The default is Always, which a job cannot have. Like the real server, report the field as missing.
  const policy = textAt(object, ...where, "restartPolicy")
  const field = `${where.join(".")}.restartPolicy`
  return [
    ...PodCheck.errors(at(object, ...where), where.join(".")),
    ...(policy === "OnFailure" || policy === "Never" ? [] : [required(field, "must be OnFailure or Never")])
  ]
}

const job: Check = (object) => {
  const negative = ["parallelism", "completions", "backoffLimit"].flatMap((name) => {
    const value = numberAt(object, "spec", name)
    return value !== undefined && value < 0 ? [invalidValue(`spec.${name}`, value, "must be at least 0")] : []
  })
  return [...negative, ...runsOnce(object, "spec")]
}

const POLICIES = ["Allow", "Forbid", "Replace"]

const cronJob: Check = (object) => {
  const schedule = textAt(object, "spec", "schedule")
  const zone = textAt(object, "spec", "timeZone")
  const policy = textAt(object, "spec", "concurrencyPolicy")
  return [
    ...(schedule === "" ? [required("spec.schedule")] : []),
    ...(schedule === "" || ScheduleCheck.isSchedule(schedule)
      ? []
      : [invalidValue("spec.schedule", schedule, ScheduleCheck.RULE)]),
    ...(zone === "" || Option.isSome(DateTime.zoneMakeNamed(zone))
      ? []
      : [invalidValue("spec.timeZone", zone, "must be a known time zone")]),
    ...(POLICIES.includes(policy) ? [] : [unsupportedValue("spec.concurrencyPolicy", policy, POLICIES)]),
    ...runsOnce(object, "spec", "jobTemplate", "spec")
  ]
}

const PERCENT_REGEX = /^[0-9]+%$/

const budget: Check = (object) => {
  const { maxUnavailable, minAvailable } = objectAt(object, "spec")
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined
      ? []
      : [invalidValue("spec", undefined, "must not have both minAvailable and maxUnavailable")]),
    ...shareErrors("spec.minAvailable", minAvailable),
    ...shareErrors("spec.maxUnavailable", maxUnavailable)
  ]
}

/** Checks a number or a percentage. */
const shareErrors = (field: string, share: Json | undefined): ReadonlyArray<FieldError> => {
  if (typeof share === "number") return share < 0 ? [invalidValue(field, share, "must be at least 0")] : []
  if (typeof share !== "string") return []
  return PERCENT_REGEX.test(share) && Number.parseInt(share, 10) <= 100
    ? []
    : [invalidValue(field, share, "must be a number, or a percentage up to 100%")]
}

const lease: Check = (object) => {
  const duration = numberAt(object, "spec", "leaseDurationSeconds")
  const transitions = numberAt(object, "spec", "leaseTransitions")
  return [
    ...(duration === undefined || duration > 0
      ? []
      : [invalidValue("spec.leaseDurationSeconds", duration, "must be at least 1")]),
    ...(transitions === undefined || transitions >= 0
      ? []
      : [invalidValue("spec.leaseTransitions", transitions, "must be at least 0")])
  ]
}

const event: Check = (object) => {
  const involved = textAt(object, "involvedObject", "namespace")
  const namespace = textAt(object, "metadata", "namespace")
  return involved === namespace || (involved === "" && namespace === "default")
    ? []
    : [invalidValue("involvedObject.namespace", involved, "must be the namespace of the event")]
}

const CHECKS = new Map<string, Check>([
  ["Pod", (object) => PodCheck.errors(at(object, "spec"), "spec")],
  ["Deployment", workload("Deployment")],
  ["StatefulSet", workload("StatefulSet")],
  ["ReplicaSet", workload("ReplicaSet")],
  ["DaemonSet", workload("DaemonSet")],
  ["Job", job],
  ["CronJob", cronJob],
  ["CustomResourceDefinition", DefinitionCheck.created],
  ["Service", ServiceCheck.errors],
  ["ConfigMap", ConfigCheck.configMapErrors],
  ["Secret", ConfigCheck.secretErrors],
  ["PodDisruptionBudget", budget],
  ["Lease", lease],
  ["APIService", ApiServices.errors],
  ["Event", event],
  ["Role", RoleCheck.roleErrors(true)],
  ["ClusterRole", RoleCheck.roleErrors(false)],
  ["RoleBinding", RoleCheck.bindingErrors("Role", "ClusterRole")],
  ["ClusterRoleBinding", RoleCheck.bindingErrors("ClusterRole")]
])
