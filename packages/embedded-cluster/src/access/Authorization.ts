/**
 * RBAC authorization by the cluster's current roles and bindings.
 *
 * **Source** Kubernetes, `plugin/pkg/auth/authorizer/rbac`.
 */
import type { Attributes, Authorize } from "../core/Authorize.ts"
import { arrayAt, type Json, objectAt, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import * as Resources from "../core/Resources.ts"
import { type Failure, forbidden } from "../core/Status.ts"
import { keyOf, read, type Stored } from "../core/Stored.ts"
import type { User } from "../core/User.ts"

export interface Rule {
  readonly verbs: ReadonlyArray<string>
  readonly groups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly paths: ReadonlyArray<string>
}

interface Binding {
  readonly kind: "ClusterRoleBinding" | "RoleBinding"
  readonly name: string
  readonly namespace: string
  readonly role: string
  readonly subjects: ReadonlyArray<Subject>
  readonly rules: ReadonlyArray<Rule>
}

interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/**
 * Authorizes requests by roles and bindings. **Limits** compiles the bindings once after each change of a role or
 * binding.
 */
export const make = (kernel: Kernel): Authorize => {
  let compiled: ReadonlyArray<Binding> | undefined
  const invalidate = () => {
    compiled = undefined
  }
  const { clusterRoleBindings, clusterRoles, roleBindings, roles } = Resources
  for (const resource of [roles, clusterRoles, roleBindings, clusterRoleBindings])
    kernel.store.subscribe(resource, invalidate)
  return (user, attributes) => {
    if (user.groups.includes("system:masters")) return { allowed: true, reason: "" }
    compiled ??= compile(kernel)
    const namespace = attributes._tag === "Resource" ? attributes.namespace : ""
    for (const binding of compiled) {
      if (binding.kind === "RoleBinding" && (namespace === "" || binding.namespace !== namespace)) continue
      const subject = binding.subjects.find((one) => isSubject(one, user))
      if (subject === undefined || !binding.rules.some((rule) => covers(rule, attributes))) continue
      return { allowed: true, reason: reasonOf(binding, subject) }
    }
    return { allowed: false, reason: "" }
  }
}

/** Rules that apply to a user in a namespace and in the whole cluster. */
export const rulesFor = (kernel: Kernel, user: User, namespace: string): ReadonlyArray<Rule> =>
  bindingsOf(kernel, user, namespace)
    // Paths belong to no namespace, so only a ClusterRoleBinding grants them.
    .flatMap(({ kind, rules }) =>
      kind === "ClusterRoleBinding" ? rules : rules.filter(({ paths }) => paths.length === 0)
    )

/** Rules that a user may grant to others in a namespace, including the paths in roles bound there. */
export const grantableRules = (kernel: Kernel, user: User, namespace: string): ReadonlyArray<Rule> =>
  bindingsOf(kernel, user, namespace).flatMap(({ rules }) => rules)

const bindingsOf = (kernel: Kernel, user: User, namespace: string): ReadonlyArray<Binding> =>
  compile(kernel)
    .filter((binding) => binding.kind === "ClusterRoleBinding" || binding.namespace === namespace)
    .filter((binding) => binding.subjects.some((subject) => isSubject(subject, user)))

/** The failure that refuses a request. */
export const refusal = (user: User, attributes: Attributes): Failure => {
  if (attributes._tag === "Path") {
    return forbidden(
      `forbidden: User ${JSON.stringify(user.name)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`,
      {}
    )
  }
  const { group, name, namespace, resource, subresource, verb } = attributes
  const qualified = group === "" ? resource : `${resource}.${group}`
  const whole = subresource === "" ? resource : `${resource}/${subresource}`
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`
  const what = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`
  return forbidden(
    `${what} is forbidden: User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(whole)} in API group ${JSON.stringify(
      group
    )} ${where}`,
    { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource }
  )
}

const SERVICE_ACCOUNT = "system:serviceaccount:"

const isSubject = (subject: Subject, user: User): boolean => {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name
    case "Group":
      return user.groups.includes(subject.name)
    case "ServiceAccount":
      return user.name === `${SERVICE_ACCOUNT}${subject.namespace}:${subject.name}`
    default:
      return false
  }
}

const holds = (allowed: ReadonlyArray<string>, wanted: string): boolean =>
  allowed.includes("*") || allowed.includes(wanted)

const covers = (rule: Rule, attributes: Attributes): boolean => {
  if (!holds(rule.verbs, attributes.verb)) return false
  if (attributes._tag === "Path") return rule.paths.some((path) => coversPath(path, attributes.path))
  const { group, name, resource, subresource } = attributes
  const whole = subresource === "" ? resource : `${resource}/${subresource}`
  const covered = holds(rule.resources, whole) || (subresource !== "" && rule.resources.includes(`*/${subresource}`))
  return covered && holds(rule.groups, group) && (rule.names.length === 0 || rule.names.includes(name))
}

const coversPath = (pattern: string, path: string): boolean =>
  pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)))

const reasonOf = (binding: Binding, subject: Subject): string => {
  const where = binding.kind === "RoleBinding" ? `${binding.name}/${binding.namespace}` : binding.name
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace}` : subject.name
  return `RBAC: allowed by ${binding.kind} "${where}" of ${binding.role} to ${subject.kind} "${who}"`
}

/** Rules of a role. Returns `undefined` if the role does not exist. */
export const rulesOf = (
  { store }: Kernel,
  kind: string,
  namespace: string,
  name: string
): ReadonlyArray<Rule> | undefined => {
  const role =
    kind === "ClusterRole"
      ? store.get(Resources.clusterRoles, name)
      : store.get(Resources.roles, keyOf(namespace, name))
  return role === undefined ? undefined : aggregated(role, () => store.list(Resources.clusterRoles, ""), new Set())
}

const compile = (kernel: Kernel): ReadonlyArray<Binding> => {
  const { store } = kernel
  const binding =
    (kind: Binding["kind"]) =>
    (stored: Stored): Binding => {
      const object = read(stored)
      const role = objectAt(object, "roleRef")
      const roleKind = textAt(role, "kind")
      return {
        kind,
        name: stored.name,
        namespace: stored.namespace,
        role: `${roleKind} ${JSON.stringify(textAt(role, "name"))}`,
        subjects: arrayAt(object, "subjects").map((subject) => ({
          kind: textAt(subject, "kind"),
          name: textAt(subject, "name"),
          // A service account without a namespace is in the namespace of its binding.
          namespace: textAt(subject, "namespace") || stored.namespace
        })),
        rules: rulesOf(kernel, roleKind, stored.namespace, textAt(role, "name")) ?? []
      }
    }
  return [
    ...store.list(Resources.clusterRoleBindings, "").map(binding("ClusterRoleBinding")),
    ...store.list(Resources.roleBindings, "").map(binding("RoleBinding"))
  ]
}

/** Rules of a role. An aggregated role has the rules of every ClusterRole that its selectors match. */
const aggregated = (
  role: Stored,
  clusterRoles: () => ReadonlyArray<Stored>,
  visited: ReadonlySet<string>
): ReadonlyArray<Rule> => {
  const object = read(role)
  const selectors = arrayAt(object, "aggregationRule", "clusterRoleSelectors")
  if (selectors.length === 0) return arrayAt(object, "rules").map(ruleFrom)
  if (visited.has(role.uid)) return []
  const within = new Set([...visited, role.uid])
  return clusterRoles()
    .filter((one) =>
      selectors.some((selector) =>
        LabelSelector.matches(LabelSelector.fromObject(objectAt({ selector }, "selector")), one.labels)
      )
    )
    .flatMap((one) => aggregated(one, clusterRoles, within))
}

export const ruleFrom = (rule: Json): Rule => {
  const texts = (name: string) => arrayAt(rule, name).filter((value) => typeof value === "string")
  return {
    verbs: texts("verbs"),
    groups: texts("apiGroups"),
    resources: texts("resources"),
    names: texts("resourceNames"),
    paths: texts("nonResourceURLs")
  }
}
