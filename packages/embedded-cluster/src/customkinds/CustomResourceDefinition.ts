/**
 * CustomResourceDefinition objects: their defaults, conditions and accepted names.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/controller`: `status`, `establish`, `finalizer`,
 * `apiapproval`.
 */
import { arrayAt, at, equals, isObject, type Json, type JsonObject, objectAt, put, textAt } from "../core/Json.ts"
import { compareVersions } from "../core/KubeVersion.ts"

export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io"

export const versions = (definition: JsonObject): ReadonlyArray<JsonObject> =>
  arrayAt(definition, "spec", "versions").filter(isObject)

export const schemaOf = (version: JsonObject): JsonObject => objectAt(version, "schema", "openAPIV3Schema")

/** Status of a new definition before its names are checked. */
export const firstStatus = (definition: JsonObject): JsonObject => ({
  conditions: null,
  acceptedNames: { plural: "", kind: "" },
  storedVersions: storageVersions(definition)
})

const storageVersions = (definition: JsonObject): ReadonlyArray<string> =>
  versions(definition)
    .filter((version) => version["storage"] === true)
    .map((version) => textAt(version, "name"))
    .slice(0, 1)

/** Adds the defaults of a definition. */
export const fill = (definition: JsonObject): JsonObject => {
  const spec = objectAt(definition, "spec")
  const names = objectAt(spec, "names")
  const kind = textAt(names, "kind")
  const filled = {
    ...definition,
    spec: {
      ...spec,
      names: {
        ...names,
        singular: textAt(names, "singular") || kind.toLowerCase(),
        listKind: textAt(names, "listKind") || (kind === "" ? "" : `${kind}List`)
      },
      conversion: spec["conversion"] ?? { strategy: "None" }
    }
  }
  const stored = at(definition, "status", "storedVersions")
  if (stored === undefined) return filled
  const known = arrayAt({ stored }, "stored")
  const added = storageVersions(definition).filter((name) => !known.includes(name))
  return added.length === 0 ? filled : put(filled, ["status", "storedVersions"], [...known, ...added])
}

interface Condition {
  readonly type: string
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}

const conditions = (definition: JsonObject): ReadonlyArray<Json> => arrayAt(definition, "status", "conditions")

const conditionOf = (definition: JsonObject, type: string): JsonObject | undefined =>
  conditions(definition)
    .filter(isObject)
    .find((one) => one["type"] === type)

export const isTrue = (definition: JsonObject, type: string): boolean =>
  conditionOf(definition, type)?.["status"] === "True"

/** Sets a condition. Its transition time changes only with its status. */
const withCondition = (definition: JsonObject, condition: Condition, time: string): JsonObject => {
  const known = conditionOf(definition, condition.type)
  const { message, reason, status, type } = condition
  const unchangedSince = known?.["status"] === status ? known["lastTransitionTime"] : undefined
  const made = { type, status, lastTransitionTime: unchangedSince ?? time, reason, message }
  const all = conditions(definition)
  const next =
    known === undefined ? [...all, made] : all.map((one) => (isObject(one) && one["type"] === type ? made : one))
  return put(definition, ["status", "conditions"], next)
}

const ESTABLISHED: Condition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted"
}

/** Returns whether a group belongs to Kubernetes. A definition in such a group needs an approval annotation. */
export const isProtected = (group: string): boolean =>
  ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`))

export const APPROVAL = "api-approved.kubernetes.io"

const approval = (definition: JsonObject): Condition | undefined => {
  if (!isProtected(textAt(definition, "spec", "group"))) return undefined
  const type = "KubernetesAPIApprovalPolicyConformant"
  const annotation = textAt(definition, "metadata", "annotations", APPROVAL)
  return annotation.startsWith("unapproved")
    ? { type, status: "False", reason: "UnapprovedAnnotation", message: `not approved: ${JSON.stringify(annotation)}` }
    : { type, status: "True", reason: "ApprovedAnnotation", message: `approved in ${annotation}` }
}

const NAMES = ["plural", "singular", "shortNames", "kind", "listKind"] as const

/** Names that other definitions of a group already use. */
export interface Taken {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

export const takenBy = (others: ReadonlyArray<JsonObject>): Taken => {
  const accepted = others.map((one) => objectAt(one, "status", "acceptedNames"))
  const all = (...names: ReadonlyArray<string>) =>
    new Set(
      accepted
        .flatMap((one) => names.flatMap((name) => (name === "shortNames" ? arrayAt(one, name) : [textAt(one, name)])))
        .filter((name) => typeof name === "string" && name !== "")
        .map(String)
    )
  return { resources: all("plural", "singular", "shortNames"), kinds: all("kind", "listKind") }
}

const REASONS = {
  plural: "PluralConflict",
  singular: "SingularConflict",
  shortNames: "ShortNamesConflict",
  kind: "KindConflict",
  listKind: "ListKindConflict"
} as const

const conflictIn = (names: JsonObject, accepted: JsonObject, name: (typeof NAMES)[number], taken: Taken) => {
  const used = name === "kind" || name === "listKind" ? taken.kinds : taken.resources
  const wanted = name === "shortNames" ? arrayAt(names, name) : [textAt(names, name)]
  const current = name === "shortNames" ? arrayAt(accepted, name) : [textAt(accepted, name)]
  const problems = wanted
    .filter((one) => typeof one === "string" && !current.includes(one) && used.has(one))
    .map((one) => `${JSON.stringify(one)} is already in use`)
  if (problems.length === 0) return undefined
  return problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`
}

/**
 * Returns the states of a definition while it becomes established, in order; empty if its status needs no change.
 *
 * **Shape** a name that another definition uses is refused, and the previously accepted name stays.
 */
export const settled = (definition: JsonObject, taken: Taken, time: string): ReadonlyArray<JsonObject> => {
  const names = objectAt(definition, "spec", "names")
  const accepted = objectAt(definition, "status", "acceptedNames")
  const conflicts = NAMES.flatMap((name) => {
    const message = conflictIn(names, accepted, name, taken)
    return message === undefined ? [] : [{ name, message }]
  })
  const refused = new Set<string>(conflicts.map(({ name }) => name))
  const next = Object.fromEntries(
    [...NAMES, "categories" as const].flatMap((name) => {
      const value = refused.has(name) ? accepted[name] : names[name]
      return value === undefined ? [] : [[name, value] as const]
    })
  )
  const last = conflicts.at(-1)
  const naming: Condition =
    last === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", reason: REASONS[last.name], message: last.message }
  const steps: Array<JsonObject> = []
  const step = (object: JsonObject) => {
    if (!equals(object, steps.at(-1) ?? definition)) steps.push(object)
    return object
  }
  const named = withCondition(put(definition, ["status", "acceptedNames"], next), naming, time)
  const established = isTrue(definition, "Established")
  const waiting: Condition =
    last === undefined
      ? { ...ESTABLISHED, status: "False", reason: "Installing" }
      : { ...ESTABLISHED, status: "False", reason: "NotAccepted", message: "not all names are accepted" }
  const first = step(established ? named : withCondition(named, waiting, time))
  const judged = approval(definition)
  const approved = judged === undefined ? first : step(withCondition(first, judged, time))
  if (last === undefined && !established) step(withCondition(approved, ESTABLISHED, time))
  return steps
}

const TERMINATING = "Terminating"

/** Marks a definition for deletion. Its objects are deleted first. */
export const ending = (definition: JsonObject, time: string): JsonObject => {
  const finalizers = arrayAt(definition, "metadata", "finalizers")
  const metadata = {
    ...objectAt(definition, "metadata"),
    deletionTimestamp: time,
    finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP]
  }
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
  const pending: Condition = { type: TERMINATING, status: "True", reason: "InstanceDeletionPending", message }
  return withCondition({ ...definition, metadata }, pending, time)
}

/** Reports that the deletion of a definition's objects is in progress. */
export const emptying = (definition: JsonObject, time: string): JsonObject => {
  const message = "CustomResource deletion is in progress"
  return withCondition(
    definition,
    { type: TERMINATING, status: "True", reason: "InstanceDeletionInProgress", message },
    time
  )
}

/** Reports that a definition's objects are deleted, and removes the cleanup finalizer. */
export const emptied = (definition: JsonObject, time: string): JsonObject => {
  const rest = arrayAt(definition, "metadata", "finalizers").filter((one) => one !== CLEANUP)
  const done: Condition = {
    type: TERMINATING,
    status: "False",
    reason: "InstanceDeletionCompleted",
    message: "removed all instances"
  }
  const marked = withCondition(definition, done, time)
  return put(marked, ["metadata", "finalizers"], rest.length === 0 ? undefined : rest)
}

/** Warning for clients of a deprecated version. */
export const deprecation = (definition: JsonObject, version: JsonObject): string => {
  const warning = textAt(version, "deprecationWarning")
  if (warning !== "") return warning
  const group = textAt(definition, "spec", "group")
  const kind = textAt(definition, "spec", "names", "kind")
  const name = textAt(version, "name")
  const [better] = versions(definition)
    .filter((one) => one["served"] === true && one["deprecated"] !== true)
    .map((one) => textAt(one, "name"))
    .filter((one) => compareVersions(one, name) > 0)
    .toSorted((left, right) => compareVersions(right, left))
  const deprecated = `${group}/${name} ${kind} is deprecated`
  return better === undefined ? deprecated : `${deprecated}; use ${group}/${better} ${kind}`
}
