/**
 * The catalogue of problem codes: every refusal and failure of the server.
 *
 * **Source** RFC 9457.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

interface Entry {
  readonly status: number
  readonly title: string
  /** Cause and remedy. Printed in docs/reference/errors.md. */
  readonly meaning: string
}

const entry = <const E extends Entry>(status: E["status"], title: E["title"], meaning: E["meaning"]) => ({
  status,
  title,
  meaning
})

/** The codes, in the order of their statuses. */
export const catalogue = {
  malformed_request: entry(
    400,
    "Malformed request",
    "The request has several `Host` headers, or its query is not percent-encoded UTF-8. `field` names the faulty part."
  ),
  malformed_credential: entry(
    400,
    "Malformed credential",
    "The Authorization header cannot be parsed: it was sent twice, holds two credentials, or is not valid Basic. Send one Bearer key, or the key as the password of Basic."
  ),
  invalid_target: entry(
    400,
    "Invalid target",
    "The cluster header or a name in `clusters` is not a valid target. `field` names the faulty part."
  ),
  empty_cluster_list: entry(
    400,
    "Empty cluster list",
    "`multiCluster` is true and `clusters` is empty. Leave `clusters` out to address every cluster in the key's scope."
  ),
  invalid_parameter: entry(
    400,
    "Invalid parameter",
    "A query or path parameter has a value that is not allowed. `field` names it."
  ),
  unknown_parameter: entry(400, "Unknown parameter", "The route has no such query parameter. `field` names it."),
  action_unsupported: entry(
    400,
    "Action unsupported",
    "The action does not apply to workloads of this kind. `field` is `kind`, and `detail` lists the kinds that the action supports."
  ),
  invalid_cursor: entry(
    400,
    "Invalid cursor",
    "The cursor was altered, or belongs to another key or another request (route, clusters, filter, order, range). Start again without a cursor."
  ),
  malformed_json: entry(400, "Malformed JSON", "The body is not JSON, repeats a member, or is nested too deeply."),
  invalid_body: entry(
    400,
    "Invalid body",
    "A member of the body is missing, unknown or has a value that is not allowed. `field` names it."
  ),
  cluster_refused: entry(
    400,
    "Cluster refused",
    "The cluster cannot be registered: the address is forbidden, the credential would run a program or read a file on the server, or the cluster refused the connection. `field` names the faulty part. Nothing was stored."
  ),
  missing_credential: entry(401, "Missing credential", "The route requires an API key, and the request has none."),
  invalid_key: entry(
    401,
    "Invalid key",
    "The server does not know the key: it is mistyped, cut off, of another server, or was removed. Send the whole key, or ask for a new one."
  ),
  key_expired: entry(401, "Key expired", "The key's expiry has passed. Ask for a new one."),
  key_revoked: entry(401, "Key revoked", "The key was revoked. Ask for a new one."),
  session_ended: entry(
    401,
    "Session ended",
    "The session ended: the user signed out, the session was unused for 12 hours, or it is older than 7 days. Sign in again."
  ),
  origin_forbidden: entry(
    403,
    "Origin forbidden",
    "A page of another origin sent the request, or a writing request with a session has no `Origin` header. The server accepts its own origin and those of the setting `server.allowedOrigins`; with a session only its own."
  ),
  host_forbidden: entry(
    403,
    "Host forbidden",
    "A request for `/mcp` over loopback has a `Host` header that is not the server's own name. A web page could forge such a request by DNS rebinding. The setting `server.allowedHosts` allows more names."
  ),
  address_forbidden: entry(
    403,
    "Address forbidden",
    "The key must not be used from the client's address: its `allowFrom` does not contain the address, or the server does not know the address. Behind a proxy, the setting `server.trustedProxies` must name the proxy."
  ),
  role_forbidden: entry(
    403,
    "Role forbidden",
    "The key's role or scope does not allow this operation. `detail` names the role and scope that do."
  ),
  cluster_forbidden: entry(
    403,
    "Cluster forbidden",
    "A named cluster, or the parent if none was named, lies outside the key's scope. The reply is the same whether the cluster exists or not."
  ),
  namespace_forbidden: entry(
    403,
    "Namespace forbidden",
    "A named namespace lies outside the key's scope, or a key with a namespace scope asked for idle costs (`field` is `idle`). The reply is the same whether the namespace exists or not."
  ),
  rule_not_contained: entry(
    403,
    "Rule not contained",
    "The requested rule reaches further than the caller's rule, or than the key's current rule (`field` is `rule`). The requested addresses exceed the caller's, or the key's current ones (`allowFrom`). The new key would expire later than the caller's (`expire`). Or a descendant that would also be revoked lies outside the caller's rule (`children`)."
  ),
  not_found: entry(404, "Not found", "No route has this path."),
  cluster_not_found: entry(
    404,
    "Cluster not found",
    "The name is inside the key's scope, but no cluster is registered under it. `field` says where the name was sent. If a cluster in scope has a similar name, `detail` suggests it."
  ),
  workload_not_found: entry(
    404,
    "Workload not found",
    "The cluster has no such workload: the namespace has no object of this kind and name, or the object belongs to another workload."
  ),
  pod_not_found: entry(404, "Pod not found", "The cluster has no such pod in the namespace."),
  cost_row_not_found: entry(
    404,
    "Cost row not found",
    "No workload with this id had costs in the range. Request a longer range, or take the id from a report."
  ),
  key_not_found: entry(404, "Key not found", "No key has this id, or its rule lies outside the caller's own."),
  method_not_allowed: entry(
    405,
    "Method not allowed",
    "The path does not support the method. `Allow` lists the methods that it supports."
  ),
  key_configured: entry(409, "Key configured", "The key comes from the deployment's configuration. Change it there."),
  key_ended: entry(409, "Key ended", "The key is revoked or expired and cannot be changed. Create another key."),
  last_admin: entry(
    409,
    "Last Admin",
    "The key is the last valid Admin without a scope. `?force=true` revokes or narrows it anyway; afterwards only a keys file can add such an Admin."
  ),
  too_many_keys: entry(
    409,
    "Too many keys",
    "The key or person has created as many valid keys as the setting `keys.maxPerMaker` allows. A rotated key counts for the creator of the original key. Revoke a key that is no longer needed."
  ),
  workload_changed: entry(
    409,
    "Workload changed",
    "The workload's `resourceVersion` differs from the one sent, or the workload was changed at the same moment. Nothing was done. Read the workload again before you retry."
  ),
  logs_unavailable: entry(
    409,
    "Logs unavailable",
    "The container has no log: it is waiting to start, its node does not answer, or, with `previous`, it has no previous run. `detail` has the cluster's message."
  ),
  cluster_exists: entry(
    409,
    "Cluster exists",
    "A cluster with this name is already registered. Remove it first, or choose another name."
  ),
  cluster_configured: entry(
    409,
    "Cluster configured",
    "The cluster comes from the server's configuration, such as a kubeconfig. Remove it there."
  ),
  too_many_clusters: entry(
    409,
    "Too many clusters",
    "The limit of clusters registered at run time is reached. Remove a cluster that is no longer needed, or add clusters by kubeconfig."
  ),
  prices_stale: entry(
    409,
    "Prices stale",
    "The price book is newer than the `version` that was sent. Read it again and apply the change to it."
  ),
  body_too_large: entry(413, "Body too large", "The body is over 1 MiB, or over 4 KiB at `POST /api/v1/session`."),
  unsupported_media_type: entry(
    415,
    "Unsupported media type",
    "The body is not plain `application/json`: another media type, or a content encoding."
  ),
  idempotency_mismatch: entry(
    422,
    "Idempotency mismatch",
    "The `Idempotency-Key` was used within the last 24 hours with another body or target. Nothing was done. Use a new key for another change."
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The key sent too many requests, or the client address made too many failed authentication attempts. `Retry-After` says when to retry; `RateLimit` names the limit."
  ),
  too_many_idempotency_keys: entry(
    429,
    "Too many idempotency keys",
    "The server already stores the maximum number of idempotent replies for the key. Nothing was done. `Retry-After` says when the oldest reply expires."
  ),
  too_many_previews: entry(
    429,
    "Too many previews",
    "The queue for price previews is full. `Retry-After` says when to retry."
  ),
  too_many_streams: entry(
    429,
    "Too many streams",
    "The key has five streams open, or the server a thousand. Close an unused stream. `Retry-After` says when to retry."
  ),
  internal_error: entry(
    500,
    "Internal error",
    "The server failed. Its log has the cause under the reply's `requestId`."
  ),
  cluster_unreachable: entry(
    502,
    "Cluster unreachable",
    "None of the addressed clusters answered. `clusters` has the reason for each."
  ),
  cluster_forbids: entry(
    502,
    "Cluster forbids",
    "The cluster refused the change, and nothing was done: the server's credential lacks the permission, or an admission rule forbids the change. `detail` has the cluster's message."
  ),
  cluster_throttled: entry(
    503,
    "Cluster throttled",
    "Every addressed cluster throttled the request. `Retry-After` says how long to wait."
  ),
  cost_store_unavailable: entry(
    503,
    "Cost store unavailable",
    "The cost history or the price book cannot be read or written at the moment. Retry later."
  ),
  key_store_unavailable: entry(
    503,
    "Key store unavailable",
    "The keys cannot be read or written at the moment. Retry later."
  ),
  audit_unavailable: entry(
    503,
    "Audit unavailable",
    "The audit log cannot be written or is full, so nothing was done; or it cannot be read at the moment. Retry later. Keys can still be revoked while it is full."
  ),
  starting: entry(503, "Starting", "The server is listening but not ready yet. `Retry-After` says when to retry."),
  cluster_timeout: entry(504, "Cluster timeout", "No addressed cluster answered within the deadline."),
  outcome_unknown: entry(
    504,
    "Outcome unknown",
    "The cluster did not answer the change, and a later read did not show whether it was made. Check the workload before you retry."
  )
} as const satisfies Record<string, Entry>

export type Code = keyof typeof catalogue

const isCode = (key: string): key is Code => Object.hasOwn(catalogue, key)
/** Every code, in the order of the catalogue. */
export const codes: ReadonlyArray<Code> = Object.keys(catalogue).filter(isCode)

/**
 * The body of every error reply.
 *
 * **Shape** `detail` is for people, `code` for programs. `field` names the faulty header, parameter or member.
 * `clusters` is present if the fan-out failed for every cluster.
 */
export const Problem = Schema.Struct({
  type: Schema.String.annotate({ format: "uri" }),
  title: Schema.String,
  status: Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 })),
  code: Schema.Literals(codes),
  detail: Schema.String,
  requestId: Schema.String,
  field: Schema.optionalKey(Schema.String),
  clusters: Schema.optionalKey(Schema.Array(Coverage))
}).annotate({ identifier: "Problem" })
export type Problem = typeof Problem.Type

/**
 * Makes the problem of a code.
 *
 * **Example** `{ type: "urn:quarterdeck:problem:not_found", title: "Not found", status: 404, … }`
 */
export const make = (code: Code, facts: Pick<Problem, "detail" | "requestId" | "field" | "clusters">): Problem => ({
  type: `urn:quarterdeck:problem:${code}`,
  title: catalogue[code].title,
  status: catalogue[code].status,
  code,
  ...facts
})

const ofStatus = (status: number) =>
  Problem.check(Schema.makeFilter((problem) => problem.status === status || `status ${status}`))
    .annotate({
      httpApiStatus: status,
      description: codes
        .filter((code) => catalogue[code].status === status)
        .map((code) => `\`${code}\``)
        .join(", ")
    })
    .pipe(HttpApiSchema.asJson({ contentType: "application/problem+json" }))

/** Errors of every protected route. */
export const ofEveryRoute = [
  ofStatus(400),
  ofStatus(401),
  ofStatus(403),
  ofStatus(429),
  ofStatus(500),
  ofStatus(503)
] as const
/** Further errors of routes over clusters. */
export const ofFanOut = [ofStatus(404), ofStatus(502), ofStatus(504)] as const
/** Further errors of routes of one workload or pod. */
export const ofAction = [ofStatus(404), ofStatus(409), ofStatus(502), ofStatus(504)] as const
/** Further errors of creating a key. */
export const ofNewKey = [ofStatus(409)] as const
/** Further errors of routes of one key. */
export const ofOneKey = [ofStatus(404), ofStatus(409)] as const
/** Further errors of registering and removing clusters. */
export const ofRegistration = [ofStatus(404), ofStatus(409)] as const
/** Further errors of changing the price book. */
export const ofBook = [ofStatus(409)] as const
/** Further errors of routes with an `Idempotency-Key`. */
export const ofIdempotency = [ofStatus(422)] as const
/** Further errors of routes with a body. */
export const ofBody = [ofStatus(413), ofStatus(415)] as const
