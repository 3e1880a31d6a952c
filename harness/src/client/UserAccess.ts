/** Gives users rights of their own, by RBAC. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { ApiError } from "./ApiError.ts"
import type { ClusterApi } from "./ClusterApi.ts"
import type { KubeObject } from "./KubeObject.ts"

/**
 * What may be done with what.
 *
 * **Source** `rbac.authorization.k8s.io/v1`, `PolicyRule`.
 */
export interface PolicyRule {
  readonly verbs: ReadonlyArray<string>
  /** `""` is the core group. */
  readonly apiGroups?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  /** Only for rules of the whole cluster. */
  readonly nonResourceURLs?: ReadonlyArray<string>
}

/** A rule of a user. With `namespaces` it holds there alone, else in the whole cluster. */
export interface UserRule extends PolicyRule {
  readonly namespaces?: ReadonlyArray<string>
}

/** Somebody who is given rights. */
export interface GrantedUser {
  readonly name: string
  readonly rules?: ReadonlyArray<UserRule>
}

export interface GrantOptions {
  /** What stands in the bindings instead of a user of that name: a service account, where users are those. */
  readonly subject?: Subject
  /** Labels of everything that is made. */
  readonly labels?: Readonly<Record<string, string>>
  /** Whether namespaces that rules name are made where they do not exist (default true). */
  readonly makesNamespaces?: boolean
}

/** The subject of a binding. **Source** `rbac.authorization.k8s.io/v1`, `Subject`. */
export interface Subject {
  readonly kind: "Group" | "ServiceAccount" | "User"
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: string
}

const RBAC = "rbac.authorization.k8s.io"
const API_VERSION = `${RBAC}/v1`
const NAME_CHARACTERS = 40

/**
 * Lets a user do what its rules say, and nothing more.
 *
 * It makes a cluster role and its binding for the rules of the whole cluster, a role and its binding in each namespace
 * that a rule names, which is made where it does not exist; all of one name. Granting again replaces the rules of before;
 * roles in namespaces that are no longer named stay.
 *
 * **Errors** those of the API: 403 when the client may not give what it has not itself.
 *
 * **Limits** two or three calls, and as many for each namespace. Servers learn of it some milliseconds later.
 *
 * **Example**
 *
 * ```ts
 * const read = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }
 * yield* UserAccess.grant(eu.api, { name: "ann", rules: [{ ...read, namespaces: ["shop"] }] })
 * ```
 */
export const grant = Effect.fn("UserAccess.grant")(function* (
  api: ClusterApi,
  user: GrantedUser,
  options: GrantOptions = {}
): Effect.fn.Return<void, ApiError> {
  const subject: Subject = options.subject ?? { kind: "User", apiGroup: RBAC, name: user.name }
  for (const object of objectsOf(user, subject, options.labels ?? {})) {
    if (object.kind !== "Namespace") yield* api.apply(object)
    else if (options.makesNamespaces !== false) yield* ensure(api, object)
  }
})

/** What is applied for a user, in order. */
export const objectsOf = (
  user: GrantedUser,
  subject: Subject,
  labels: Readonly<Record<string, string>>
): ReadonlyArray<KubeObject> => {
  const name = nameOf(user.name)
  const rules = user.rules ?? []
  const wide = rules.filter(({ namespaces }) => namespaces === undefined)
  const namespaces = new Set(rules.flatMap((rule) => rule.namespaces ?? []))
  const pair = (scope: "" | "Cluster", namespace: string | undefined, given: ReadonlyArray<UserRule>) => {
    const metadata = { name, labels, ...(namespace === undefined ? {} : { namespace }) }
    const role = { apiVersion: API_VERSION, kind: `${scope}Role`, metadata, rules: given.map(ruleOf) }
    const roleRef = { apiGroup: RBAC, kind: role.kind, name }
    return [role, { apiVersion: API_VERSION, kind: `${scope}RoleBinding`, metadata, roleRef, subjects: [subject] }]
  }
  return [
    ...(wide.length === 0 ? [] : pair("Cluster", undefined, wide)),
    ...[...namespaces].flatMap((namespace): ReadonlyArray<KubeObject> => [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
      ...pair(
        "",
        namespace,
        rules.filter((rule) => rule.namespaces?.includes(namespace))
      )
    ])
  ]
}

/** The rule as RBAC knows it. */
const ruleOf = (rule: UserRule) => Object.fromEntries(Object.entries(rule).filter(([key]) => key !== "namespaces"))

/** One that exists stays as it is: it may be somebody else's. */
const ensure = (api: ClusterApi, namespace: KubeObject): Effect.Effect<void, ApiError> =>
  Effect.asVoid(api.create(namespace)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "ApiRefused" && reason.code === 409,
      () => Effect.void
    )
  )

/** A name that an object can have, and that differs for users whose names differ. */
const nameOf = (user: string): string => {
  const plain = user.toLowerCase().replace(/[^a-z0-9.-]+/g, "-")
  const digest = createHash("sha256").update(user).digest("hex").slice(0, 8)
  return `harness:${plain.slice(0, NAME_CHARACTERS)}:${digest}`
}
