/** An example of each problem code. */
import * as Problem from "../Problem.ts"
import { failedCoverage, throttledCoverage, timedOutCoverage } from "./ListExamples.ts"

type Facts = Omit<Parameters<typeof Problem.make>[1], "requestId">

const facts: Readonly<Record<Problem.Code, Facts>> = {
  malformed_request: { detail: "query: must be percent-encoded UTF-8", field: "query" },
  malformed_credential: { detail: "the Authorization header was sent twice", field: "Authorization" },
  invalid_target: {
    detail: "X-Service-Cluster: contains an empty name; join names by a single |",
    field: "X-Service-Cluster"
  },
  empty_cluster_list: {
    detail: "clusters: must name at least one cluster; leave the field out to address all clusters",
    field: "clusters"
  },
  invalid_parameter: { detail: "limit: expected a whole number from 1 to 5000", field: "limit" },
  unknown_parameter: { detail: "namespaces: is not known here", field: "namespaces" },
  action_unsupported: {
    detail: "kind: restart supports Deployment, StatefulSet, DaemonSet, not CronJob",
    field: "kind"
  },
  invalid_cursor: { detail: "cursor: belongs to another question", field: "cursor" },
  malformed_json: { detail: "clusters: stands twice", field: "clusters" },
  invalid_body: { detail: "rule.role: expected Viewer, Operator or Admin", field: "rule.role" },
  cluster_refused: { detail: "server is a link-local address, which is refused", field: "server" },
  missing_credential: { detail: "the request carries no key" },
  invalid_key: { detail: "no such key exists" },
  key_expired: { detail: "the key expired at 2026-01-31T12:00:00.000Z" },
  key_revoked: { detail: "the key was revoked" },
  session_ended: { detail: "the session has ended: it was not used for 12h" },
  origin_forbidden: { detail: "the page's origin may not call this server", field: "Origin" },
  host_forbidden: {
    detail: "Host: must name this server; add further names to the setting server.allowedHosts",
    field: "Host"
  },
  address_forbidden: { detail: "the key may not be used from the address 198.51.100.7" },
  role_forbidden: { detail: "a Viewer may not create apiKeys: it takes an Admin" },
  cluster_forbidden: { detail: "cluster prod is outside the key's scope", field: "X-Service-Cluster" },
  namespace_forbidden: { detail: "namespace shop is outside the key's scope", field: "namespace" },
  rule_not_contained: { detail: "the rule reaches further than the rule of the calling key", field: "rule" },
  not_found: { detail: "no route has this path" },
  cluster_not_found: {
    detail:
      "no cluster is registered as prdo; names are case-sensitive, and the list of clusters shows them; did you mean prod?",
    field: "X-Service-Cluster"
  },
  workload_not_found: { detail: "cluster prod has no Deployment web in namespace shop", field: "name" },
  pod_not_found: { detail: "cluster prod has no pod web-5d8f-x2x9k in namespace shop", field: "name" },
  cost_row_not_found: { detail: "there are no costs of prod/shop/Deployment/cart in this window", field: "id" },
  key_not_found: { detail: "no key has this id", field: "id" },
  method_not_allowed: { detail: "the path allows only GET, HEAD" },
  key_configured: { detail: "the key comes from the deployment's configuration; change it there", field: "id" },
  key_ended: { detail: "the key is revoked or expired; create a new key" },
  last_admin: {
    detail:
      "the key is the last valid Admin key without a scope; without it, only a keys file can restore access; use force to proceed"
  },
  too_many_keys: {
    detail:
      "the maker of the key has 1000 valid keys, the most that keys.maxPerMaker allows; revoke one that is not needed"
  },
  workload_changed: {
    detail: "the workload now has resourceVersion 81322; nothing was changed",
    field: "resourceVersion"
  },
  logs_unavailable: {
    detail:
      'cluster prod returned no log for container web: container "web" in pod "web-5d8f-x2x9k" is waiting to start: ContainerCreating'
  },
  cluster_exists: { detail: "a cluster named prod exists already", field: "name" },
  cluster_configured: {
    detail: "cluster prod comes from the server's configuration; remove it there",
    field: "name"
  },
  too_many_clusters: { detail: "the limit of 1000 registered clusters is reached", field: "name" },
  prices_stale: { detail: "the price book has version 4 by now", field: "version" },
  body_too_large: { detail: "the body is over 1 MiB" },
  unsupported_media_type: { detail: "the body must be application/json", field: "Content-Type" },
  idempotency_mismatch: {
    detail: "Idempotency-Key: this key was used before with another body or target; nothing was done",
    field: "Idempotency-Key"
  },
  rate_limited: {
    detail:
      "too many requests with this key: the limit is 50 a second and 100 in a burst; a live read or a bulk change counts once per cluster, at most 50 times"
  },
  too_many_idempotency_keys: {
    detail: "the limit of 1000 answers or 8 MiB kept for one API key is reached; nothing was done",
    field: "Idempotency-Key"
  },
  too_many_previews: {
    detail: "4 price previews are running or waiting, which is the maximum; try again in a moment"
  },
  too_many_streams: { detail: "the key has 5 streams open, which is the maximum; close one first" },
  internal_error: { detail: "the service failed; its log has the cause" },
  cluster_unreachable: { detail: "no addressed cluster answered", clusters: [failedCoverage] },
  cluster_forbids: {
    detail:
      'cluster prod refused: deployments.apps "web" is forbidden: User "quarterdeck" cannot patch resource "deployments/scale" in API group "apps" in the namespace "shop"'
  },
  cluster_throttled: { detail: "every addressed cluster is throttling the service", clusters: [throttledCoverage] },
  cost_store_unavailable: { detail: "the costs cannot be read or written at the moment" },
  key_store_unavailable: { detail: "the keys cannot be read or written at the moment" },
  audit_unavailable: { detail: "the audit cannot be written at the moment, so the request was not executed" },
  starting: { detail: "the server is still starting; retry in 1 s" },
  cluster_timeout: { detail: "no addressed cluster answered within the deadline", clusters: [timedOutCoverage] },
  outcome_unknown: {
    detail: "cluster prod did not answer the change, which may have been applied; check the workload before you retry"
  }
}

const REQUEST_ID = "6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f"

const problemOf = (code: Problem.Code): Problem.Problem => Problem.make(code, { ...facts[code], requestId: REQUEST_ID })

export const problems: Readonly<Record<string, Problem.Problem>> = Object.fromEntries(
  Problem.codes.map((code) => [code, problemOf(code)])
)

/** The example of the `Problem` component. */
export const problem: Problem.Problem = problemOf("cluster_forbidden")
