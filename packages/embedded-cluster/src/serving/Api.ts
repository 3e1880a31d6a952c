/**
 * Handles a request from authentication to reply.
 *
 * **Shape** the order of checks is the real server's: authentication, authorization, existence of the resource, then
 * the operation.
 */
import { Result } from "effect"
import type { Authentication } from "../access/Authentication.ts"
import * as Authorization from "../access/Authorization.ts"
import * as Impersonation from "../access/Impersonation.ts"
import * as Reviews from "../access/Reviews.ts"
import type { ApiRequest, ResourceCall } from "../core/ApiRequest.ts"
import type { Authorize } from "../core/Authorize.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as RequestInfo from "../core/RequestInfo.ts"
import { isStored, type Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { type Failure, methodNotAllowed, noSuchResource, notFound, type Outcome, toJson } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { json, JSON_TYPE, text } from "../core/TextReply.ts"
import * as Discovery from "../discovery/Discovery.ts"
import * as OpenApi from "../discovery/OpenApi.ts"
import * as Objects from "./Objects.ts"
import type { Reply } from "./Reply.ts"
import * as Subresources from "./Subresources.ts"
import * as TokenRequests from "./TokenRequests.ts"
import { inYaml } from "./Yaml.ts"

/** A request before authentication. */
interface Incoming extends Omit<ApiRequest, "user" | "body" | "warn"> {
  readonly authorization: string | undefined
  readonly headers: Impersonation.Headers
}

/** An authorized request. Its body is read only after authorization. */
interface Admitted {
  readonly info: RequestInfo.RequestInfo
  /** Answers the request with its body. `contentType` differs from the header if the body was converted. */
  readonly answer: (body: string, contentType?: string) => Reply
}

export interface Api {
  /** Authenticates and authorizes a request. **Errors** 401 and 403. */
  readonly admit: (incoming: Incoming) => Outcome<Admitted>
}

/** Makes the API of a cluster. `address` is the server's `host:port` in discovery documents. */
export const make = (kernel: Kernel, authentication: Authentication, address: () => string): Api => {
  const authorize = Authorization.make(kernel)
  const admit = steps(function* (incoming: Incoming): Steps<Admitted> {
    const sender = yield* authentication.authenticate(incoming.authorization)
    const info = RequestInfo.make(kernel.registry, incoming.method, incoming.path, incoming.query)
    const target = yield* Impersonation.fromHeaders(incoming.headers)
    const user = target === undefined ? sender : yield* Impersonation.impersonate(authorize, sender, target, info)
    if (!authorize(user, info).allowed) return yield* Result.fail(Authorization.refusal(user, info))
    const { authorization: _authorization, headers: _headers, ...rest } = incoming
    return {
      info,
      answer: (body, contentType = incoming.contentType) => {
        const warnings: Array<string> = []
        const request = { ...rest, body, contentType, user, warn: (text: string) => void warnings.push(text) }
        const elsewhere = aggregated(kernel, rest.path)
        if (elsewhere !== undefined) return { _tag: "Forward", api: elsewhere, request }
        if (info._tag === "Path") {
          const page = path(kernel, rest, address())
          return rest.path.startsWith("/api") ? inYaml(rest.accept, page) : page
        }
        if (!isGroup(kernel, info.group)) return NO_PAGE
        const reply = Result.match(resource(kernel, authorize, authentication, request, info), {
          onSuccess: (reply) => reply,
          onFailure: (failure) => (isNoPage(failure, info) ? NO_PAGE : refused(failure))
        })
        const formed = inYaml(rest.accept, reply)
        return warnings.length === 0 ? formed : { ...formed, warnings }
      }
    }
  })
  return { admit }
}

/** API of another server that contains the path, if any. */
const aggregated = (kernel: Kernel, path: string) => {
  const [root, group, version] = path.split("/").filter((segment) => segment !== "")
  return root === "apis" && group !== undefined && version !== undefined
    ? kernel.aggregated.find(group, version)
    : undefined
}

const isGroup = (kernel: Kernel, group: string): boolean =>
  kernel.registry.groupVersions.some((one) => one.group === group)

const refused = (failure: Failure): Reply => {
  const retryAfterSeconds = failure.details?.retryAfterSeconds
  return { ...json(toJson(failure), failure.code), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}

/**
 * Returns whether a failure becomes a plain 404 page, as on the real server: the resource is unknown and its group is
 * not built in.
 */
const isNoPage = (failure: Failure, info: RequestInfo.ResourceRequest): boolean =>
  failure === noSuchResource && Resources.all.every((one) => one.group !== info.group)

const NO_PAGE = text("404 page not found\n", 404)

const HEALTH = new Map([
  ["/healthz", "healthz"],
  ["/livez", "livez"],
  ["/readyz", "readyz"]
])
const CHECKS = ["ping", "log", "poststarthook/rbac/bootstrap-roles", "poststarthook/bootstrap-controller"]

const path = (
  kernel: Kernel,
  request: Pick<ApiRequest, "method" | "path" | "query" | "accept">,
  address: string
): Reply => {
  const { accept, path: target, query } = request
  const check = HEALTH.get(target)
  if (check !== undefined) {
    return text(
      query.has("verbose") ? `${CHECKS.map((name) => `[+]${name} ok\n`).join("")}${check} check passed\n` : "ok"
    )
  }
  const document =
    TokenRequests.document(kernel, target)
    ?? Discovery.answer(kernel.registry, target, accept, address, kernel.aggregated)
  if (document !== undefined && request.method !== "GET") return json(toJson(methodNotAllowed), methodNotAllowed.code)
  if (document !== undefined) {
    return { _tag: "Text", status: 200, contentType: document.contentType, body: JSON.stringify(document.body) }
  }
  const schemas = request.method === "GET" ? OpenApi.answer(kernel.registry, target) : undefined
  if (schemas !== undefined) return { _tag: "Text", status: 200, contentType: JSON_TYPE, body: schemas }
  // Unknown paths in the core group get a Status; all others get a plain 404 page.
  return target.startsWith("/api/") ? json(toJson(noSuchResource), noSuchResource.code) : NO_PAGE
}

const resource = (
  kernel: Kernel,
  authorize: Authorize,
  { identify }: Authentication,
  request: ApiRequest,
  info: RequestInfo.ResourceRequest
): Outcome<Reply> => {
  const found = kernel.registry.find(info.group, info.version, info.resource)
  if (found === undefined || info.rest.length > 0 || !matchesScope(found, info)) return Result.fail(noSuchResource)
  const call: ResourceCall = { request, authorize, info, resource: found }
  if (found.custom?.deprecation !== undefined) request.warn(found.custom.deprecation)
  if (info.subresource !== "") {
    const subresource = found.subresources.find((one) => one.name === info.subresource)
    if (subresource === undefined)
      return Result.fail(found.custom === undefined ? noSuchResource : notFound(found, info.name))
    return subresource.verbs.includes(info.verb) && request.method !== "HEAD"
      ? Subresources.answer(kernel, call, subresource)
      : Result.fail(methodNotAllowed)
  }
  if (request.method === "HEAD" || !found.verbs.includes(info.verb) || !fitsPlace(found, info, request))
    return Result.fail(methodNotAllowed)
  if (found === Resources.tokenReviews) return TokenRequests.review(kernel, identify, call)
  if (found === Resources.selfSubjectReviews) return TokenRequests.whoAmI(kernel, call)
  return isStored(found) ? Objects.answer(kernel, call) : Reviews.answer(kernel, authorize, call)
}

/** Returns whether a path with or without a namespace fits the scope of a resource. */
const matchesScope = (found: Resource, info: RequestInfo.ResourceRequest): boolean => {
  if (!found.namespaced) return info.namespace === "" || found === Resources.namespaces
  if (found.custom !== undefined && info.namespace === "") return info.verb === "list" || info.verb === "watch"
  return info.namespace !== "" || !isItem(info)
}

/** Verbs on one object. A method that is not a verb has an empty verb. */
const ITEM = new Set(["get", "update", "patch", "delete", ""])

const isItem = (info: RequestInfo.ResourceRequest): boolean => ITEM.has(info.verb) && info.name !== ""

/** Returns whether the path fits the verb: no name to create an object, a name to update it. */
const fitsPlace = (found: Resource, info: RequestInfo.ResourceRequest, request: ApiRequest): boolean => {
  if (ITEM.has(info.verb)) return info.name !== ""
  if (info.verb === "create") return info.name === "" && (info.namespace !== "" || !found.namespaced)
  return info.verb !== "deletecollection" || info.namespace !== "" || !found.namespaced || request.method !== "DELETE"
}
