/**
 * Refuses roles and bindings that the real server refuses.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/rbac/validation/validation.go`.
 */
import { arrayAt, at, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { pathSegmentProblem, subdomainProblem } from "../core/Names.ts"
import { type FieldError, invalidValue, required, unsupportedValue } from "../core/Status.ts"

const GROUP = "rbac.authorization.k8s.io"

/** Finds what is wrong with a role. **Shape** `namespaced` tells one of a namespace, which has no paths to give. */
export const roleErrors =
  (namespaced: boolean) =>
  (object: JsonObject): ReadonlyArray<FieldError> => [
    ...arrayAt(object, "rules").flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced)),
    ...(isObject(object["aggregationRule"]) && arrayAt(object, "aggregationRule", "clusterRoleSelectors").length === 0
      ? [required("aggregationRule.clusterRoleSelectors")]
      : [])
  ]

const ruleErrors = (rule: Json, where: string, namespaced: boolean): ReadonlyArray<FieldError> => {
  const has = (name: string) => arrayAt(rule, name).length > 0
  const verbs = has("verbs") ? [] : [required(`${where}.verbs`)]
  if (has("nonResourceURLs")) {
    const wrong = (why: string) => [invalidValue(`${where}.nonResourceURLs`, at(rule, "nonResourceURLs"), why)]
    return [
      ...verbs,
      ...(namespaced ? wrong("a role of a namespace must have none") : []),
      ...(["apiGroups", "resources", "resourceNames"].some(has)
        ? wrong("a rule must not have apiGroups, resources or resourceNames too")
        : [])
    ]
  }
  return [
    ...verbs,
    ...(has("apiGroups") ? [] : [required(`${where}.apiGroups`)]),
    ...(has("resources") ? [] : [required(`${where}.resources`)])
  ]
}

/** Finds what is wrong with a binding. **Shape** `kinds` are those of the roles that it may name. */
export const bindingErrors =
  (...kinds: ReadonlyArray<string>) =>
  (object: JsonObject): ReadonlyArray<FieldError> => {
    const group = textAt(object, "roleRef", "apiGroup")
    const kind = textAt(object, "roleRef", "kind")
    const name = textAt(object, "roleRef", "name")
    const problem = name === "" ? undefined : pathSegmentProblem(name)
    const namespaced = kinds.includes("Role")
    return [
      ...(group === GROUP ? [] : [unsupportedValue("roleRef.apiGroup", group, [GROUP])]),
      ...(kinds.includes(kind) ? [] : [unsupportedValue("roleRef.kind", kind, kinds)]),
      ...(name === "" ? [required("roleRef.name")] : []),
      ...(problem === undefined ? [] : [invalidValue("roleRef.name", name, problem)]),
      ...arrayAt(object, "subjects").flatMap((subject, index) =>
        subjectErrors(subject, `subjects[${index}]`, namespaced)
      )
    ]
  }

const SUBJECTS = ["ServiceAccount", "User", "Group"]

const subjectErrors = (subject: Json, where: string, namespaced: boolean): ReadonlyArray<FieldError> => {
  const [group, kind, name] = ["apiGroup", "kind", "name"].map((key) => textAt(subject, key))
  const nameless = name === "" ? [required(`${where}.name`)] : []
  if (kind === undefined || !SUBJECTS.includes(kind))
    return [...nameless, unsupportedValue(`${where}.kind`, kind ?? "", SUBJECTS)]
  const own = kind === "ServiceAccount" ? "" : GROUP
  const strange = group === own ? [] : [unsupportedValue(`${where}.apiGroup`, group ?? "", [own])]
  if (kind !== "ServiceAccount") return [...nameless, ...strange]
  const problem = name === undefined || name === "" ? undefined : subdomainProblem(name)
  return [
    ...nameless,
    ...(problem === undefined ? [] : [invalidValue(`${where}.name`, name, problem)]),
    ...strange,
    ...(namespaced || textAt(subject, "namespace") !== "" ? [] : [required(`${where}.namespace`)])
  ]
}
