/**
 * Who may grant what: nobody gives rights that they do not have, by a role or by a binding to one.
 *
 * A member of `system:masters` may give everything; the verb `escalate` on roles and the verb `bind` on the role that a
 * binding names allow it too.
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

/** Judges what an object grants before it is written. **Shape** `before` is missing where it is new. */
export type Grant = (object: JsonObject, before?: JsonObject) => Outcome<void>

/**
 * Gives the judge of what a call may grant, nothing for one that grants nothing or may grant everything.
 *
 * **Errors** of the judge: 403 with the rights that the caller lacks; 404 for a binding to a role that does not exist, 400
 * for one to a role that cannot.
 */
export const judgeOf = (kernel: Kernel, call: ResourceCall): Grant | undefined => {
  const { request, resource } = call
  const grants = ROLES.has(resource) || BINDINGS.has(resource)
  if (!grants || request.user.groups.includes("system:masters")) return undefined
  const judge = ROLES.has(resource) ? role(kernel, call) : binding(kernel, call)
  return (object, before) =>
    before !== undefined && equals(lasting(object), lasting(before)) ? ALLOWED : judge(object, before)
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
    const given = arrayAt(object, "rules").map(Authorization.ruleFrom)
    const held = confirmed(kernel, call, object, given)
    if (Result.isFailure(held) || !(gathers(object) || gathers(before))) return held
    // What a role gathers is known to nobody beforehand: it may be everything.
    return Result.mapError(confirmed(kernel, call, object, EVERYTHING), () =>
      refused(call, object, "must have cluster-admin privileges to use the aggregationRule")
    )
  }
}

const gathers = (object: JsonObject | undefined): boolean =>
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
    const of = KINDS.get(kind)
    if (of === undefined)
      return Result.fail<Failure>({
        code: 500,
        message: `roleRef.kind must be Role or ClusterRole, not ${JSON.stringify(kind)}`
      })
    const { namespace } = info
    const group = textAt(reference, "apiGroup") || of.group
    const asked = { _tag: "Resource", verb: "bind", group, namespace, name, subresource: "" } as const
    if (authorize(request.user, { ...asked, resource: of.resource }).allowed) return ALLOWED
    if (of.namespaced && namespace === "")
      return Result.fail(badRequest("roleRef.kind must be ClusterRole where there is no namespace"))
    if (name === "") return Result.fail(badRequest("roleRef.name must not be empty"))
    const given = Authorization.rulesOf(kernel, kind, namespace, name)
    return given === undefined ? Result.fail(notFound(resource, name)) : confirmed(kernel, call, object, given)
  }

const KINDS = new Map([
  ["Role", Resources.roles],
  ["ClusterRole", Resources.clusterRoles]
])

const confirmed = (
  kernel: Kernel,
  call: ResourceCall,
  object: JsonObject,
  given: ReadonlyArray<Authorization.Rule>
): Outcome<void> => {
  const { user } = call.request
  const missing = RuleCover.uncovered(Authorization.heldBy(kernel, user, call.info.namespace), given)
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

/** What stays of an object when one looks away from what its removal needs. */
const lasting = (object: JsonObject): JsonObject => ({
  ...without(object, "apiVersion", "kind"),
  metadata: without(objectAt(object, "metadata"), "finalizers", "managedFields", "ownerReferences")
})
