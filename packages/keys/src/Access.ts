/**
 * The access table: which roles may use which verb on which resource.
 *
 * The table does not cover scope. The target and the namespace filter of a rule decide which clusters and namespaces its
 * caller reaches.
 */
import { isUnscoped, type Role, type Rule } from "./Rule.ts"

export const verbs = ["read", "create", "operate", "delete"] as const
export type Verb = (typeof verbs)[number]

/**
 * The callers that one cell of the table allows.
 *
 * **Shape** a list of roles, each within its scope. `unscopedAdmin`: an Admin whose rule has neither scope field.
 * `unsupported`: the service has no such operation. The remaining literal: no caller may use the operation.
 */
export type Callers = ReadonlyArray<Role> | "unscopedAdmin" | "nobody" | "unsupported"

const everyone: Callers = ["Viewer", "Operator", "Admin"]
const operators: Callers = ["Operator", "Admin"]
const admins: Callers = ["Admin"]

const managedByUnscopedAdmin = { create: "unscopedAdmin", operate: "unscopedAdmin", delete: "unscopedAdmin" } as const
const readOnly = { create: "unsupported", operate: "unsupported", delete: "unsupported" } as const
const inCluster = { read: everyone, create: "unsupported", operate: operators, delete: "unsupported" } as const
const hidden = { read: "nobody", ...readOnly } as const

/**
 * The callers that may use each verb on each resource.
 *
 * **Shape** `apiKeys`: the keys of other callers; their rules must lie within the caller's rule. `ownKey`: the caller's own
 * key, to describe and to revoke. `audit`: a scoped Admin reads only the events of its own scope.
 */
export const table = {
  clusters: { read: everyone, ...managedByUnscopedAdmin },
  clusterCredentials: { read: "nobody", ...managedByUnscopedAdmin },
  namespaces: inCluster,
  workloads: inCluster,
  pods: inCluster,
  events: inCluster,
  secrets: hidden,
  environment: hidden,
  exec: hidden,
  podLogs: { read: operators, ...readOnly },
  cost: { read: everyone, ...readOnly },
  overview: { read: everyone, ...readOnly },
  prices: { read: everyone, ...managedByUnscopedAdmin },
  apiKeys: { read: admins, create: admins, operate: admins, delete: admins },
  ownKey: { read: everyone, create: "unsupported", operate: "unsupported", delete: everyone },
  audit: { read: admins, create: "unsupported", operate: "unsupported", delete: "nobody" }
} as const satisfies Record<string, Record<Verb, Callers>>

export type Resource = keyof typeof table

const isResource = (name: string): name is Resource => Object.hasOwn(table, name)

/** Every resource, in the order of the table. */
export const resources: ReadonlyArray<Resource> = Object.keys(table).filter(isResource)

export type Decision = "allowed" | "role_forbidden" | "unsupported"

/**
 * Decides whether a rule's role allows a verb on a resource.
 *
 * **Limits** pure; reads the rule's scope only where the table requires an unscoped Admin.
 *
 * **Example** `decide(rule, "clusters", "create") // "role_forbidden" for a scoped Admin`
 */
export const decide = (rule: Rule, resource: Resource, verb: Verb): Decision => {
  const callers: Callers = table[resource][verb]
  if (callers === "unsupported") return "unsupported"
  return includes(callers, rule) ? "allowed" : "role_forbidden"
}

/** Explains a refusal and names the allowed roles. **Example** `"a Viewer may not create apiKeys: it takes an Admin"` */
export const refusal = (rule: Rule, resource: Resource, verb: Verb): string => {
  const scope = rule.role === "Admin" && !isUnscoped(rule) ? " with a scope" : ""
  const taken = takenBy(table[resource][verb])
  return `${WITH_ARTICLE[rule.role]}${scope} may not ${verb} ${SPOKEN[resource] ?? resource}: ${taken === undefined ? "no key may" : `it takes ${taken}`}`
}

/** Resources whose name in `can-i` and in the routes differs from their name in the table and in the audit. */
const SPOKEN: Readonly<Partial<Record<Resource, string>>> = { podLogs: "logs" }

const WITH_ARTICLE = { Viewer: "a Viewer", Operator: "an Operator", Admin: "an Admin" } as const satisfies Record<
  Role,
  string
>

const takenBy = (callers: Callers): string | undefined => {
  if (callers === "nobody" || callers === "unsupported") return undefined
  if (callers === "unscopedAdmin") return "an Admin without a scope"
  return callers.map((role) => WITH_ARTICLE[role]).join(" or ")
}

const includes = (callers: Exclude<Callers, "unsupported">, rule: Rule): boolean => {
  if (callers === "nobody") return false
  if (callers === "unscopedAdmin") return rule.role === "Admin" && isUnscoped(rule)
  return callers.includes(rule.role)
}
