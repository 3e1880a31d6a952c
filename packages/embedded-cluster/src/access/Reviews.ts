/**
 * Answers access reviews.
 *
 * **Source** Kubernetes, `authorization.k8s.io/v1`.
 */
import { Result } from "effect"
import { resourceBody } from "../checks/RequestBody.ts"
import type { ResourceCall } from "../core/ApiRequest.ts"
import type { Attributes, Authorize } from "../core/Authorize.ts"
import { arrayAt, at, isObject, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import { apiVersionOf } from "../core/Resource.ts"
import { badRequest, invalid, invalidValue, type Outcome } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { type TextReply, json } from "../core/TextReply.ts"
import type { User } from "../core/User.ts"
import { type Rule, rulesFor } from "./Authorization.ts"

/** Answers an access review of the caller or of another user. */
export const answer = steps(function* (kernel: Kernel, authorize: Authorize, call: ResourceCall): Steps<TextReply> {
  const body = yield* resourceBody(call)
  const spec = objectAt(body, "spec")
  if (call.resource.kind === "SelfSubjectRulesReview") return yield* rules(kernel, call, textAt(spec, "namespace"))
  const attributes = yield* attributesOf(spec)
  const user = call.resource.kind === "SelfSubjectAccessReview" ? call.request.user : yield* userOf(spec)
  const { allowed, reason } = authorize(user, attributes)
  return json(
    {
      kind: call.resource.kind,
      apiVersion: apiVersionOf(call.resource),
      metadata: {},
      spec,
      status: { allowed, ...(reason === "" ? {} : { reason }) }
    },
    201
  )
})

/** Answers a rules review: the caller's rules in a namespace. */
const rules = (kernel: Kernel, call: ResourceCall, namespace: string): Outcome<TextReply> => {
  if (namespace === "") return Result.fail(badRequest("spec.namespace must not be empty"))
  const all = rulesFor(kernel, call.request.user, namespace)
  const status = {
    resourceRules: all.filter(({ paths }) => paths.length === 0).map(resourceRule),
    nonResourceRules: all
      .filter(({ paths }) => paths.length > 0)
      .map(({ paths, verbs }) => ({ verbs, nonResourceURLs: paths })),
    incomplete: false
  }
  const { kind } = call.resource
  return Result.succeed(json({ kind, apiVersion: apiVersionOf(call.resource), metadata: {}, spec: {}, status }, 201))
}

const resourceRule = ({ groups, names, resources, verbs }: Rule): JsonObject => ({
  verbs,
  apiGroups: groups,
  resources,
  ...(names.length === 0 ? {} : { resourceNames: names })
})

const attributesOf = (spec: JsonObject): Outcome<Attributes> => {
  const resource = at(spec, "resourceAttributes")
  const path = at(spec, "nonResourceAttributes")
  if (isObject(resource) === isObject(path)) {
    const rule = "exactly one of spec.resourceAttributes and spec.nonResourceAttributes must be set"
    return Result.fail(
      invalid("", "authorization.k8s.io", "", [invalidValue("spec.resourceAttributes", resource, rule)])
    )
  }
  if (isObject(path)) return Result.succeed({ _tag: "Path", verb: textAt(path, "verb"), path: textAt(path, "path") })
  return Result.succeed({
    _tag: "Resource",
    verb: textAt(resource, "verb"),
    group: textAt(resource, "group"),
    namespace: textAt(resource, "namespace"),
    resource: textAt(resource, "resource"),
    name: textAt(resource, "name"),
    subresource: textAt(resource, "subresource")
  })
}

const userOf = (spec: JsonObject): Outcome<User> => {
  const name = textAt(spec, "user")
  const groups = arrayAt(spec, "groups").filter((group) => typeof group === "string")
  return name === "" && groups.length === 0
    ? Result.fail(
        invalid("", "authorization.k8s.io", "", [invalidValue("spec.user", "", "spec.user or spec.groups must be set")])
      )
    : Result.succeed({ name, groups })
}
