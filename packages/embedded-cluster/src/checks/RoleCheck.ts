/**
 * Validates roles and bindings as the real server does.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/rbac/validation/validation.go`.
 */
import { arrayAt, at, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { pathSegmentProblem, subdomainProblem } from "../core/Names.ts"
import { type FieldError, invalidValue, required, unsupportedValue } from "../core/Status.ts"

const GROUP = "rbac.authorization.k8s.io"

/** Checks a role. **Shape** a `namespaced` role cannot have `nonResourceURLs`. */
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
      ...(namespaced ? wrong("are allowed only in a ClusterRole") : []),
      ...(["apiGroups", "resources", "resourceNames"].some(has)
        ? wrong("must not be combined with apiGroups, resources or resourceNames")
        : [])
    ]
  }
  return [
    ...verbs,
    ...(has("apiGroups") ? [] : [required(`${where}.apiGroups`)]),
    ...(has("resources") ? [] : [required(`${where}.resources`)])
  ]
}

/** Checks a binding. **Shape** `kinds` are the kinds of role that it may reference. */
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
  const expected = kind === "ServiceAccount" ? "" : GROUP
  const wrongGroup = group === expected ? [] : [unsupportedValue(`${where}.apiGroup`, group ?? "", [expected])]
  if (kind !== "ServiceAccount") return [...nameless, ...wrongGroup]
  const problem = name === undefined || name === "" ? undefined : subdomainProblem(name)
  return [
    ...nameless,
    ...(problem === undefined ? [] : [invalidValue(`${where}.name`, name, problem)]),
    ...wrongGroup,
    ...(namespaced || textAt(subject, "namespace") !== "" ? [] : [required(`${where}.namespace`)])
  ]
}
