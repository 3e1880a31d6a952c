/**
 * Handles token requests and token reviews.
 *
 * **Source** Kubernetes, `authentication.k8s.io/v1`.
 */
import { Result } from "effect"
import type { Identify } from "../access/Authentication.ts"
import * as ServiceAccountTokens from "../access/ServiceAccountTokens.ts"
import { bodyObject, resourceBody } from "../checks/RequestBody.ts"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { arrayAt, isObject, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { badRequest, conflict, invalid, invalidValue, notFound, type Outcome } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { keyOf } from "../core/Stored.ts"
import { json } from "../core/TextReply.ts"
import type { User } from "../core/User.ts"
import { find } from "../writes/Address.ts"
import { writeOptions } from "../writes/RequestOptions.ts"
import type { Reply } from "./Reply.ts"

const GROUP = "authentication.k8s.io"
const VERSION = `${GROUP}/v1`
const DEFAULT_SECONDS = 3_600
const LEAST_SECONDS = 600
const MOST_SECONDS = 2 ** 32

/** Issues a token for the service account in the path. */
export const issue = steps(function* (kernel: Kernel, call: ResourceCall): Steps<Reply> {
  const { name, namespace } = call.info
  const body = yield* bodyObject(call.request, "TokenRequest", VERSION)
  yield* writeOptions(call.request, "CreateOptions")
  const account = yield* find(kernel, { resource: Resources.serviceAccounts, namespace, name })
  const spec = objectAt(body, "spec")
  const seconds = numberAt(spec, "expirationSeconds") ?? DEFAULT_SECONDS
  if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
    const rule = `must be from ${LEAST_SECONDS} to ${MOST_SECONDS}`
    return yield* Result.fail(
      invalid("TokenRequest", GROUP, "", [invalidValue("spec.expirationSeconds", seconds, rule)])
    )
  }
  const requested = texts(spec, "audiences")
  const audiences = requested.length === 0 ? [ServiceAccountTokens.issuerOf(kernel)] : requested
  const bound = yield* boundBy(kernel, namespace, spec)
  const token = ServiceAccountTokens.issue(kernel, account, { audiences, seconds, bound })
  const reference = spec["boundObjectRef"]
  return json(
    {
      kind: "TokenRequest",
      apiVersion: VERSION,
      metadata: { name, namespace, uid: account.uid, creationTimestamp: timestamp(kernel.nowMs()) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: isObject(reference) ? reference : null },
      status: { token, expirationTimestamp: timestamp(kernel.nowMs() + seconds * 1_000) }
    },
    201
  )
})

const texts = (value: Json | undefined, name: string): ReadonlyArray<string> =>
  arrayAt(value, name).filter((one) => typeof one === "string")

const boundBy = (
  kernel: Kernel,
  namespace: string,
  spec: JsonObject
): Outcome<ServiceAccountTokens.Bound | undefined> => {
  if (!isObject(spec["boundObjectRef"])) return Result.succeed(undefined)
  const reference = spec["boundObjectRef"]
  const kind = textAt(reference, "kind")
  const name = textAt(reference, "name")
  const version = textAt(reference, "apiVersion")
  const bindable = version === "v1" ? ServiceAccountTokens.BINDABLE.get(kind) : undefined
  if (bindable === undefined) {
    const rule = `must be one of ${[...ServiceAccountTokens.BINDABLE.keys()].join(", ")} of v1`
    return Result.fail(badRequest(`spec.boundObjectRef ${rule}, not "${kind}" of "${version}"`))
  }
  const { claim, resource } = bindable
  const stored = kernel.store.get(resource, keyOf(resource.namespaced ? namespace : "", name))
  if (stored === undefined) return Result.fail(notFound(resource, name))
  const uid = textAt(reference, "uid")
  if (uid !== "" && uid !== stored.uid) {
    const why = `spec.boundObjectRef.uid ${uid} is not the object's, ${stored.uid}`
    return Result.fail(conflict(resource, name, why))
  }
  return Result.succeed({ claim, stored })
}

/** Reviews a token: returns its user and audiences. */
export const review = steps(function* (kernel: Kernel, identify: Identify, call: ResourceCall): Steps<Reply> {
  const body = yield* resourceBody(call)
  const spec = objectAt(body, "spec")
  const token = textAt(spec, "token")
  if (token === "") return yield* Result.fail(badRequest("spec.token must not be empty"))
  const issuer = ServiceAccountTokens.issuerOf(kernel)
  const requested = texts(spec, "audiences")
  const found = identify(token, requested.length === 0 ? [issuer] : requested)
  const status: JsonObject =
    found === undefined
      ? { user: {}, error: "invalid bearer token" }
      : { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
  return json({ kind: "TokenReview", apiVersion: VERSION, metadata: {}, spec, status }, 201)
})

/** Returns the user of the caller. */
export const whoAmI = (kernel: Kernel, call: ResourceCall): Outcome<Reply> =>
  Result.map(resourceBody(call), () =>
    json(
      {
        kind: "SelfSubjectReview",
        apiVersion: VERSION,
        metadata: { creationTimestamp: timestamp(kernel.nowMs()) },
        status: { userInfo: userInfo(call.request.user) }
      },
      201
    )
  )

const userInfo = ({ extra, groups, name, uid }: User): JsonObject => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined
    ? {}
    : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) })
})

/** Returns the OpenID documents for verifying tokens, or `undefined` for any other path. */
export const document = (
  kernel: Kernel,
  path: string
): { readonly contentType: string; readonly body: JsonObject } | undefined => {
  const issuer = ServiceAccountTokens.issuerOf(kernel)
  switch (path) {
    case "/.well-known/openid-configuration":
      return {
        contentType: "application/json",
        body: {
          issuer,
          jwks_uri: `${issuer}openid/v1/jwks`,
          response_types_supported: ["id_token"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"]
        }
      }
    case "/openid/v1/jwks":
      return { contentType: "application/jwk-set+json", body: kernel.tokens.publicKeys }
    default:
      return undefined
  }
}
