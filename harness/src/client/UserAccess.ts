/** Grants users permissions through RBAC. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { ApiError } from "./ApiError.ts"
import type { ClusterApi } from "./ClusterApi.ts"
import type { KubeObject } from "./KubeObject.ts"

/**
 * Permission to use verbs on resources.
 *
 * **Source** `rbac.authorization.k8s.io/v1`, `PolicyRule`.
 */
export interface PolicyRule {
  readonly verbs: ReadonlyArray<string>
  /** `""` is the core group. */
  readonly apiGroups?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  /** Valid only in cluster-wide rules. */
  readonly nonResourceURLs?: ReadonlyArray<string>
}

/** A rule of a user. With `namespaces` it applies only in those, otherwise in the whole cluster. */
export interface UserRule extends PolicyRule {
  readonly namespaces?: ReadonlyArray<string>
}

/** A user and the rules to grant. */
export interface GrantedUser {
  readonly name: string
  readonly rules?: ReadonlyArray<UserRule>
}

export interface GrantOptions {
  /** Subject of the bindings, for example a service account (default: the user `name`). */
  readonly subject?: Subject
  /** Labels of every object that the grant creates. */
  readonly labels?: Readonly<Record<string, string>>
  /** Creates missing namespaces that the rules name (default true). */
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
 * Grants a user the permissions of its rules.
 *
 * Cluster-wide rules become a cluster role with a binding. Rules of a namespace become a role with a binding there; a
 * missing namespace is created. Granting again replaces the earlier rules. Roles in namespaces that the rules no longer
 * name remain.
 *
 * **Errors** those of the API: 403 if the client may not grant permissions that it lacks itself.
 *
 * **Limits** two or three API calls, and as many again for each namespace. Servers apply the rules some milliseconds
 * later.
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

/** Returns the objects that grant a user its rules, in the order to apply them. */
export const objectsOf = (
  user: GrantedUser,
  subject: Subject,
  labels: Readonly<Record<string, string>>
): ReadonlyArray<KubeObject> => {
  const name = nameOf(user.name)
  const rules = user.rules ?? []
  const wide = rules.filter(({ namespaces }) => namespaces === undefined)
  const namespaces = new Set(rules.flatMap((rule) => rule.namespaces ?? []))
  const pair = (scope: "" | "Cluster", namespace: string | undefined, pairRules: ReadonlyArray<UserRule>) => {
    const metadata = { name, labels, ...(namespace === undefined ? {} : { namespace }) }
    const role = { apiVersion: API_VERSION, kind: `${scope}Role`, metadata, rules: pairRules.map(ruleOf) }
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

/** Returns the RBAC rule, without `namespaces`. */
const ruleOf = (rule: UserRule) => Object.fromEntries(Object.entries(rule).filter(([key]) => key !== "namespaces"))

/** Creates a namespace. An existing namespace stays unchanged, because other objects may depend on it. */
const ensure = (api: ClusterApi, namespace: KubeObject): Effect.Effect<void, ApiError> =>
  Effect.asVoid(api.create(namespace)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "ApiRefused" && reason.code === 409,
      () => Effect.void
    )
  )

/** Returns a valid object name that is unique to the user. */
const nameOf = (user: string): string => {
  const plain = user.toLowerCase().replace(/[^a-z0-9.-]+/g, "-")
  const digest = createHash("sha256").update(user).digest("hex").slice(0, 8)
  return `harness:${plain.slice(0, NAME_CHARACTERS)}:${digest}`
}
