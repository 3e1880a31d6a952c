/**
 * Every refusal and failure of the service, as one catalogue of codes and one document.
 *
 * **Source** RFC 9457.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

interface Entry {
  readonly status: number
  readonly title: string
  /** When it is sent and what mends it; printed in docs/reference/errors.md. */
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
    "The request has several `Host` lines, or its query is not percent-encoded UTF-8. `field` says which."
  ),
  malformed_credential: entry(
    400,
    "Malformed credential",
    "The Authorization header cannot be read: sent twice, two credentials in one, or not valid Basic. Send one Bearer key, or the key as the password of Basic."
  ),
  invalid_target: entry(
    400,
    "Invalid target",
    "The cluster header or a name in `clusters` does not spell a target. `field` says which."
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
    "Workloads of this kind cannot be scaled, restarted or paused so. `field` is `kind`; the detail names the kinds that can."
  ),
  invalid_cursor: entry(
    400,
    "Invalid cursor",
    "The cursor was altered, or belongs to another key or another question (route, clusters, filter, order, range). Start again without one."
  ),
  malformed_json: entry(400, "Malformed JSON", "The body is not JSON, names a member twice, or nests too deeply."),
  invalid_body: entry(
    400,
    "Invalid body",
    "A member of the body is missing, unknown or has a value that is not allowed. `field` names it."
  ),
  cluster_refused: entry(
    400,
    "Cluster refused",
    "The cluster cannot be registered: an address that is never connected to, a credential that would run a program or read a file where the service runs, or the cluster itself did not let the service in. `field` names what is at fault. Nothing was kept."
  ),
  missing_credential: entry(401, "Missing credential", "The route needs an API key and the request carries none."),
  invalid_key: entry(
    401,
    "Invalid key",
    "No key of this service: it is mistyped, cut off, of another service, or was removed. Send it whole, or ask for a new one."
  ),
  key_expired: entry(401, "Key expired", "The key's expiry has passed. Ask for a new one."),
  key_revoked: entry(401, "Key revoked", "The key was revoked. Ask for a new one."),
  session_ended: entry(
    401,
    "Session ended",
    "The browser is signed out: somebody signed it out, it was not used for 12 hours, or it was signed in for 7 days. Sign in again."
  ),
  origin_forbidden: entry(
    403,
    "Origin forbidden",
    "A browser page of another origin sent the request, or one that writes with a session did not say its origin. The setting `server.allowedOrigins` names the origins that may beside the server's own; with a session that is the only one."
  ),
  host_forbidden: entry(
    403,
    "Host forbidden",
    "`/mcp` was asked for by a name that is not its own, over loopback: a web page may have made the name. The setting `server.allowedHosts` names others."
  ),
  address_forbidden: entry(
    403,
    "Address forbidden",
    "The key may not be used from the client's address: its `allowFrom` does not hold the address, or the server does not know it. Behind a proxy, the setting `server.trustedProxies` must name the proxy."
  ),
  role_forbidden: entry(
    403,
    "Role forbidden",
    "The key's role does not allow this operation, or its scope does not; `detail` says whom it takes."
  ),
  cluster_forbidden: entry(
    403,
    "Cluster forbidden",
    "A cluster that was named, or the parent when none was, lies outside the key's scope. The reply is the same whether the cluster exists or not."
  ),
  namespace_forbidden: entry(
    403,
    "Namespace forbidden",
    "A namespace that was named lies outside the key's scope, or a key with a namespace scope asked for idle costs (`field` is `idle`). The reply is the same whether the namespace exists or not."
  ),
  rule_not_contained: entry(
    403,
    "Rule not contained",
    "The rule would reach further than the key that asks for it, or than the key that it is for does now (`field` is `rule`). The key would be allowed from more addresses than the key that asks, or than now (`allowFrom`). The new key would end later than the one that asks (`expire`). Or a key that would be revoked with another lies outside the rule of the key that asks (`children`)."
  ),
  not_found: entry(404, "Not found", "No route has this path."),
  cluster_not_found: entry(
    404,
    "Cluster not found",
    "The key's scope reaches the name, but no cluster is registered under it. `field` says where it stands; where a cluster of the scope has a name much like it, `detail` of a target asks whether that was meant."
  ),
  workload_not_found: entry(
    404,
    "Workload not found",
    "The cluster has no such workload: nothing of this kind and name is in the namespace, or it belongs to another workload."
  ),
  pod_not_found: entry(404, "Pod not found", "The cluster has no such pod in the namespace."),
  cost_row_not_found: entry(
    404,
    "Cost row not found",
    "No workload with this id had any cost in the window. Ask for a longer range, or take the id from a report."
  ),
  key_not_found: entry(404, "Key not found", "No key has this id, or its rule lies outside the caller's own."),
  method_not_allowed: entry(
    405,
    "Method not allowed",
    "The path exists, the method does not. `Allow` lists those that do."
  ),
  key_configured: entry(409, "Key configured", "The key comes from the deployment's configuration; change it there."),
  key_ended: entry(409, "Key ended", "The key is revoked or expired, and changes no more. Make another one."),
  last_admin: entry(
    409,
    "Last Admin",
    "Without this key nobody would be an Admin of everything. `?force=true` revokes or narrows it all the same; then only a keys file lets an Admin in."
  ),
  too_many_keys: entry(
    409,
    "Too many keys",
    "The key or person has made as many valid keys as the setting `keys.maxPerMaker` allows. Keys that were rotated count for the maker of the first one. Revoke a key that is not needed."
  ),
  workload_changed: entry(
    409,
    "Workload changed",
    "The workload has another `resourceVersion` than the one that was sent, or was changed at the same moment. Nothing was done: read it again, and decide anew."
  ),
  logs_unavailable: entry(
    409,
    "Logs unavailable",
    "The container has no log to give: it waits to start, its node does not answer, or, with `previous`, it has not run before. The detail is what the cluster said."
  ),
  cluster_exists: entry(
    409,
    "Cluster exists",
    "A cluster of this name is registered already. Drop it first, or take another name."
  ),
  cluster_configured: entry(
    409,
    "Cluster configured",
    "The cluster comes from the service's own configuration, such as a kubeconfig; take it out there."
  ),
  too_many_clusters: entry(
    409,
    "Too many clusters",
    "As many clusters are registered as may be. Drop one that is not needed, or give the service a kubeconfig."
  ),
  prices_stale: entry(
    409,
    "Prices stale",
    "The price book was changed since the `version` that was sent. Read it again, and make the change to that."
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
    "The `Idempotency-Key` was sent within the last 24 hours with another body or target. Nothing was done: take a new one for another change."
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The key asks too often, or its address has presented too many keys that are none. `Retry-After` says when to ask again, `RateLimit` which limit it was."
  ),
  too_many_idempotency_keys: entry(
    429,
    "Too many idempotency keys",
    "As many answers are kept for the key as may. Nothing was done; `Retry-After` says when the oldest is forgotten."
  ),
  too_many_previews: entry(
    429,
    "Too many previews",
    "As many dry runs of prices wait for their turn as may. `Retry-After` says when to ask again."
  ),
  too_many_streams: entry(
    429,
    "Too many streams",
    "The key has five streams open, or the service a thousand. `Retry-After` says when to try again; end one that nobody reads."
  ),
  internal_error: entry(
    500,
    "Internal error",
    "The service failed. Its log holds the cause under the reply's `requestId`."
  ),
  cluster_unreachable: entry(
    502,
    "Cluster unreachable",
    "None of the addressed clusters answered. `clusters` says why, one by one."
  ),
  cluster_forbids: entry(
    502,
    "Cluster forbids",
    "The cluster refused the change, and nothing was done: its credential may not do it, or an admission rule does not allow it. The detail is what the cluster said."
  ),
  cluster_throttled: entry(
    503,
    "Cluster throttled",
    "Every addressed cluster asked for patience. `Retry-After` says how long."
  ),
  cost_store_unavailable: entry(
    503,
    "Cost store unavailable",
    "The history of costs, or the prices, cannot be read or written at the moment. Try again."
  ),
  key_store_unavailable: entry(
    503,
    "Key store unavailable",
    "The keys cannot be read or written at the moment. Try again."
  ),
  audit_unavailable: entry(
    503,
    "Audit unavailable",
    "The audit cannot be written, or is full, so nothing was done; or it cannot be read at the moment. Try again. Keys can be revoked while it is full."
  ),
  starting: entry(
    503,
    "Starting",
    "The service has taken its port and is not ready to serve yet. `Retry-After` says when to ask again."
  ),
  cluster_timeout: entry(504, "Cluster timeout", "No addressed cluster answered within the deadline."),
  outcome_unknown: entry(
    504,
    "Outcome unknown",
    "The cluster did not answer the change, and reading the workload since did not show whether it was made. Look at it before you try again."
  )
} as const satisfies Record<string, Entry>

export type Code = keyof typeof catalogue

const isCode = (key: string): key is Code => Object.hasOwn(catalogue, key)
/** Every code, in the order of the catalogue. */
export const codes: ReadonlyArray<Code> = Object.keys(catalogue).filter(isCode)

/**
 * The body of every reply that is not a success.
 *
 * **Shape** `detail` is for people; programs read `code`. `field` names the header, parameter or member at fault.
 * `clusters` is present when the fan-out failed as a whole.
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
 * Makes the document of a code.
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

/** The refusals that any protected route may send. */
export const ofEveryRoute = [
  ofStatus(400),
  ofStatus(401),
  ofStatus(403),
  ofStatus(429),
  ofStatus(500),
  ofStatus(503)
] as const
/** What routes over clusters may send beside those of every route. */
export const ofFanOut = [ofStatus(404), ofStatus(502), ofStatus(504)] as const
/** What routes of one workload or pod may send beside those of every route. */
export const ofAction = [ofStatus(404), ofStatus(409), ofStatus(502), ofStatus(504)] as const
/** What creating a key may send beside those of every route. */
export const ofNewKey = [ofStatus(409)] as const
/** What routes of one key may send beside those of every route. */
export const ofOneKey = [ofStatus(404), ofStatus(409)] as const
/** What registering and dropping clusters may send beside those of every route. */
export const ofRegistration = [ofStatus(404), ofStatus(409)] as const
/** What changing the price book may send beside those of every route. */
export const ofBook = [ofStatus(409)] as const
/** What routes that take an `Idempotency-Key` may send beside those of every route. */
export const ofIdempotency = [ofStatus(422)] as const
/** What routes with a body may send beside those of every route. */
export const ofBody = [ofStatus(413), ofStatus(415)] as const
