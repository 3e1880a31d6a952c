/**
 * Takes a request from its credentials to its answer.
 *
 * **Shape** the order of checks is the real server's: who is it, may they, is there such a thing, then the work itself.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { type ApiRequest, json, type Reply, type ResourceCall, text } from "./ApiRequest.ts"
import type { Authenticate } from "./Authentication.ts"
import * as Authorization from "./Authorization.ts"
import * as Discovery from "./Discovery.ts"
import type { Kernel } from "./Kernel.ts"
import * as Objects from "./Objects.ts"
import * as RequestInfo from "./RequestInfo.ts"
import { isStored, type Resource } from "./Resource.ts"
import * as Resources from "./Resources.ts"
import * as Reviews from "./Reviews.ts"
import { methodNotAllowed, noSuchResource, type Outcome, toJson } from "./Status.ts"
import * as Subresources from "./Subresources.ts"

/** A request before its sender is known. */
export interface Incoming extends Omit<ApiRequest, "user" | "body"> {
  readonly authorization: string | undefined
}

/** A request that may be answered; its body is read only now, so nobody unknown can make the server read one. */
export interface Admitted {
  readonly info: RequestInfo.RequestInfo
  readonly answer: (body: string) => Reply
}

export interface Api {
  /** **Errors** 401 and 403. */
  readonly admit: (incoming: Incoming) => Outcome<Admitted>
}

/** **Shape** `address` is `host:port`, as discovery names the server. */
export const make = (kernel: Kernel, authenticate: Authenticate, address: () => string): Api => {
  const authorize = Authorization.make(kernel)
  return {
    admit: (incoming) =>
      Result.gen(function* () {
        const user = yield* authenticate(incoming.authorization)
        const info = RequestInfo.make(incoming.method, incoming.path, incoming.query)
        if (!authorize(user, info).allowed) return yield* Result.fail(Authorization.refusal(user, info))
        const { authorization: _authorization, ...rest } = incoming
        return {
          info,
          answer: (body) =>
            info._tag === "Path"
              ? path(rest, address())
              : Result.match(resource(kernel, authorize, { ...rest, body, user }, info), {
                  onSuccess: (reply) => reply,
                  onFailure: (failure) => json(toJson(failure), failure.code)
                })
        }
      })
  }
}

const HEALTH = new Map([
  ["/healthz", "healthz"],
  ["/livez", "livez"],
  ["/readyz", "readyz"]
])
const CHECKS = ["ping", "log", "poststarthook/rbac/bootstrap-roles", "poststarthook/bootstrap-controller"]

const path = (request: Pick<ApiRequest, "method" | "path" | "query" | "accept">, address: string): Reply => {
  const { accept, path: asked, query } = request
  const check = HEALTH.get(asked)
  if (check !== undefined) {
    return text(
      query.has("verbose") ? `${CHECKS.map((name) => `[+]${name} ok\n`).join("")}${check} check passed\n` : "ok"
    )
  }
  const document = Discovery.answer(asked, accept, address)
  if (document !== undefined && request.method !== "GET") return json(toJson(methodNotAllowed), methodNotAllowed.code)
  if (document !== undefined) {
    return { _tag: "Text", status: 200, contentType: document.contentType, body: JSON.stringify(document.body) }
  }
  // The core group answers for itself; everything else is a page that nobody serves.
  return asked.startsWith("/api/")
    ? json(toJson(noSuchResource), noSuchResource.code)
    : text("404 page not found\n", 404)
}

const resource = (
  kernel: Kernel,
  authorize: Authorization.Authorize,
  request: ApiRequest,
  info: RequestInfo.ResourceRequest
): Outcome<Reply> => {
  const found = Resources.find(info.group, info.version, info.resource)
  if (found === undefined || info.rest.length > 0 || !standsHere(found, info)) return Result.fail(noSuchResource)
  const call: ResourceCall = { request, info, resource: found }
  if (info.subresource !== "") {
    const subresource = found.subresources.find((one) => one.name === info.subresource)
    if (subresource === undefined) return Result.fail(noSuchResource)
    return subresource.verbs.includes(info.verb)
      ? Subresources.answer(kernel, call, subresource)
      : Result.fail(methodNotAllowed)
  }
  if (request.method === "HEAD" || !found.verbs.includes(info.verb) || !fitsPlace(found, info, request))
    return Result.fail(methodNotAllowed)
  return isStored(found) ? Objects.answer(kernel, call) : Reviews.answer(authorize, call)
}

/** A cluster's own things have no namespace in their path, and an object of a namespace always has. */
const standsHere = (found: Resource, info: RequestInfo.ResourceRequest): boolean => {
  if (!found.namespaced) return info.namespace === "" || found === Resources.namespaces
  return info.namespace !== "" || !isItem(info)
}

const ITEM = new Set(["get", "update", "patch", "delete"])

const isItem = (info: RequestInfo.ResourceRequest): boolean => ITEM.has(info.verb) && info.name !== ""

/**
 * Whether a verb has its object, or its collection, in the path: one cannot create an item by name or update a
 * collection.
 */
const fitsPlace = (found: Resource, info: RequestInfo.ResourceRequest, request: ApiRequest): boolean => {
  if (ITEM.has(info.verb)) return info.name !== ""
  if (info.verb === "create") return info.name === "" && (info.namespace !== "" || !found.namespaced)
  return info.verb !== "deletecollection" || info.namespace !== "" || !found.namespaced || request.method !== "DELETE"
}
