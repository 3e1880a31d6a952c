/**
 * Privilege escalation checks: a user cannot grant permissions that the user does not have, by a role or a binding.
 *
 * Members of `system:masters` may grant everything. So may users with the verb `escalate` on roles, or with the verb
 * `bind` on the role of a binding.
 *
 * **Source** Kubernetes 1.36, `pkg/registry/rbac`: `escalation_check.go` and the `policybased` storage of each kind.
 */
import { Result } from "effect"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { arrayAt, equals, type JsonObject, objectAt, textAt, without } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { badRequest, type Failure, forbidden, notFound, type Outcome } from "../core/Status.ts"
import * as Authorization from "./Authorization.ts"
import * as RuleCover from "./RuleCover.ts"

/** Checks the permissions that an object grants before it is written. **Shape** `before` is absent for a new object. */
export type Grant = (object: JsonObject, before?: JsonObject) => Outcome<void>

/**
 * Makes the check for a write. Returns `undefined` if the write grants nothing, or if the user may grant everything.
 *
 * **Errors** of the check: 403 with the permissions that the user lacks, 404 for a binding to a missing role, 400 for
 * a binding to an impossible role.
 */
export const grantCheck = (kernel: Kernel, call: ResourceCall): Grant | undefined => {
  const { request, resource } = call
  const grants = ROLES.has(resource) || BINDINGS.has(resource)
  if (!grants || request.user.groups.includes("system:masters")) return undefined
  const check = ROLES.has(resource) ? role(kernel, call) : binding(kernel, call)
  return (object, before) =>
    before !== undefined && equals(comparable(object), comparable(before)) ? ALLOWED : check(object, before)
}

const ROLES: ReadonlySet<Resource> = new Set([Resources.roles, Resources.clusterRoles])
const BINDINGS: ReadonlySet<Resource> = new Set([Resources.roleBindings, Resources.clusterRoleBindings])
const ALLOWED: Outcome<void> = Result.succeed(undefined)

const role = (kernel: Kernel, call: ResourceCall): Grant => {
  const { authorize, info, request } = call
  const { group, name, namespace, resource } = info
  const attributes = { _tag: "Resource", verb: "escalate", group, namespace, resource, name, subresource: "" } as const
  return (object, before) => {
    if (authorize(request.user, attributes).allowed) return ALLOWED
    const rules = arrayAt(object, "rules").map(Authorization.ruleFrom)
    const result = checkRules(kernel, call, object, rules)
    if (Result.isFailure(result) || !(aggregates(object) || aggregates(before))) return result
    // The rules of an aggregated role are not known beforehand, so the user must be allowed everything.
    return Result.mapError(checkRules(kernel, call, object, EVERYTHING), () =>
      refused(call, object, "must have cluster-admin privileges to use the aggregationRule")
    )
  }
}

const aggregates = (object: JsonObject | undefined): boolean =>
  arrayAt(object, "aggregationRule", "clusterRoleSelectors").length > 0

const NOTHING: Authorization.Rule = { verbs: ["*"], groups: [], resources: [], names: [], paths: [] }
const EVERYTHING: ReadonlyArray<Authorization.Rule> = [
  { ...NOTHING, groups: ["*"], resources: ["*"] },
  { ...NOTHING, paths: ["*"] }
]

const binding =
  (kernel: Kernel, call: ResourceCall): Grant =>
  (object) => {
    const { authorize, info, request, resource } = call
    const reference = objectAt(object, "roleRef")
    const kind = textAt(reference, "kind")
    const name = textAt(reference, "name")
    const role = KINDS.get(kind)
    if (role === undefined)
      return Result.fail<Failure>({
        code: 500,
        message: `roleRef.kind must be Role or ClusterRole, not ${JSON.stringify(kind)}`
      })
    const { namespace } = info
    const group = textAt(reference, "apiGroup") || role.group
    const attributes = { _tag: "Resource", verb: "bind", group, namespace, name, subresource: "" } as const
    if (authorize(request.user, { ...attributes, resource: role.resource }).allowed) return ALLOWED
    if (role.namespaced && namespace === "")
      return Result.fail(badRequest("roleRef.kind must be ClusterRole in a ClusterRoleBinding"))
    if (name === "") return Result.fail(badRequest("roleRef.name must not be empty"))
    const rules = Authorization.rulesOf(kernel, kind, namespace, name)
    return rules === undefined ? Result.fail(notFound(resource, name)) : checkRules(kernel, call, object, rules)
  }

const KINDS = new Map([
  ["Role", Resources.roles],
  ["ClusterRole", Resources.clusterRoles]
])

const checkRules = (
  kernel: Kernel,
  call: ResourceCall,
  object: JsonObject,
  rules: ReadonlyArray<Authorization.Rule>
): Outcome<void> => {
  const { user } = call.request
  const missing = RuleCover.uncovered(Authorization.grantableRules(kernel, user, call.info.namespace), rules)
  if (missing.length === 0) return ALLOWED
  // Installers look for "is attempting to grant RBAC permissions not currently held".
  const what = `is attempting to grant RBAC permissions not currently held: ${RuleCover.describe(missing)}`
  return Result.fail(refused(call, object, `user ${JSON.stringify(user.name)} ${what}`))
}

const refused = ({ resource }: ResourceCall, object: JsonObject, why: string): Failure => {
  const { group, resource: kind } = resource
  const name = textAt(object, "metadata", "name")
  const what = name === "" ? `${kind}.${group}` : `${kind}.${group} ${JSON.stringify(name)}`
  return forbidden(`${what} is forbidden: ${why}`, { ...(name === "" ? {} : { name }), group, kind })
}

/**
 * The parts of an object that a change must not alter without a check. Finalizers and owner references are left out,
 * because deletions change them.
 */
const comparable = (object: JsonObject): JsonObject => ({
  ...without(object, "apiVersion", "kind"),
  metadata: without(objectAt(object, "metadata"), "finalizers", "managedFields", "ownerReferences")
})
