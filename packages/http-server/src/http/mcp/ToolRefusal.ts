/**
 * Error results of tools: the problem code of the API, and a hint what a model can do next.
 */
import { Problem } from "@quarterdeck/contract/Problem"
import type { Code } from "@quarterdeck/contract/Problem"
import { Option, Schema } from "effect"
import * as ClusterData from "./ClusterData.ts"
import type { RouteReply } from "./McpCaller.ts"
import { summaryOf } from "./ToolShapes.ts"

const ASK_PEOPLE = "Tell the user; calling again does not help."
const MEND_FIELD = "Correct the argument that `field` names, then call again."

/** Hints by problem code. **Shape** a code without a hint is explained by its `detail` alone. */
const NEXT: Partial<Record<Code, string>> = {
  invalid_parameter: MEND_FIELD,
  unknown_parameter: "Omit the argument that `field` names, or rename it to one of the tool's arguments.",
  invalid_body: MEND_FIELD,
  invalid_target: 'Call list_clusters and use the names exactly as listed, or pass only ["*"] for all clusters.',
  empty_cluster_list:
    'Name at least one cluster, or pass ["*"] for all. Without `clusters`, list_clusters lists all clusters and other tools read only the parent cluster.',
  invalid_cursor: "Call again without `cursor`, to start at the first page.",
  cluster_not_found: "Call list_clusters for the names that exist.",
  cluster_forbidden:
    "The key does not reach that cluster. Call list_clusters for the clusters that it reaches, and name them in `clusters`.",
  namespace_forbidden:
    "The key does not reach that namespace. Omit the namespace to see all that the key reaches; whoami shows the key's rule.",
  address_forbidden: `The key may not be used from this address. ${ASK_PEOPLE}`,
  role_forbidden: `The key's role does not allow this. ${ASK_PEOPLE}`,
  action_unsupported: "The detail names the kinds that support the action; list_workloads shows a workload's kind.",
  workload_not_found: "Call list_workloads, and take cluster, namespace, kind and name from a row.",
  pod_not_found: "The pod may have been replaced. Call list_pods, and take cluster, namespace and name from a row.",
  logs_unavailable: "The detail is the cluster's message. A container that is waiting to start has no log yet.",
  workload_changed:
    "The workload has changed in the meantime. Call again with dryRun to see its current state, and ask the user before you change it.",
  cluster_forbids: `The detail is the cluster's message. ${ASK_PEOPLE}`,
  outcome_unknown:
    "It is unknown whether the workload was changed. Call again with dryRun to see its current state before you repeat the change.",
  cost_row_not_found: "Take `id` and `cluster` from a row of cost_by_workload, or use a longer range.",
  rate_limited: "Wait `retryAfterSeconds`, then call again; fetch more rows in one call instead of making many calls.",
  cluster_timeout: "Call again with a larger timeoutMs (30000 at most), or for fewer clusters.",
  cluster_throttled: "Wait `retryAfterSeconds`, then call again.",
  cluster_unreachable: "No addressed cluster answered; `coverage` says why. Try other clusters, or tell the user.",
  invalid_key: ASK_PEOPLE,
  key_expired: `The key has expired. ${ASK_PEOPLE}`,
  key_revoked: `The key was revoked. ${ASK_PEOPLE}`
}

/** Details that replace those of the API: an absent `clusters` differs in meaning between a tool's arguments and a body. */
const DETAIL: Partial<Record<Code, string>> = { empty_cluster_list: "clusters: must name at least one cluster" }

/** Returns the hint of a code. Refused idle costs have the code `namespace_forbidden` and a hint of their own. */
const nextOf = (code: Code, field: string | undefined): { readonly next?: string } => {
  const next = code === "namespace_forbidden" && field === "idle" ? "Call again without idle." : NEXT[code]
  return next === undefined ? {} : { next }
}

interface Refusal {
  readonly code: string
  readonly status?: number
  readonly detail: string
  readonly field?: string
  readonly requestId?: string
}

const refused = (error: Refusal, more: Readonly<Record<string, unknown>>) =>
  ClusterData.result({ error, ...more }, { isError: true })

const decodeProblem = Schema.decodeUnknownOption(Problem)

/** Makes the result of a refused call. **Shape** a reply that is not a problem document becomes `internal_error`. */
export const ofReply = ({ body, retryAfterSeconds, status }: RouteReply) =>
  Option.match(decodeProblem(body), {
    onNone: () => refused({ code: "internal_error", status, detail: "the service failed" }, { next: ASK_PEOPLE }),
    onSome: ({ clusters, code, detail, field, requestId }) =>
      refused(
        { code, status, detail: DETAIL[code] ?? detail, ...(field === undefined ? {} : { field }), requestId },
        {
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
          ...(clusters === undefined ? {} : { coverage: summaryOf(clusters) }),
          ...nextOf(code, field)
        }
      )
  })

/** Makes the result of a call whose arguments cannot be sent to the route. */
export const ofArgument = (error: { readonly code: Code; readonly detail: string; readonly field: string }) =>
  refused({ ...error, status: 400 }, { next: NEXT[error.code] ?? MEND_FIELD })

/** The result of a call whose single row is too long. */
export const tooLong = refused(
  { code: "answer_too_long", detail: "a single row is longer than the limit of an answer" },
  { next: "Use a shorter range, a longer stepSize or fewer clusters." }
)
