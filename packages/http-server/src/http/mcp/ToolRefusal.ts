/**
 * How a tool says no: the code that the API says, and what a model can do about it.
 */
import { Problem } from "@quarterdeck/contract/Problem"
import type { Code } from "@quarterdeck/contract/Problem"
import { Option, Schema } from "effect"
import * as ClusterData from "./ClusterData.ts"
import type { RouteReply } from "./McpCaller.ts"
import { summaryOf } from "./ToolShapes.ts"

const ASK_PEOPLE = "Tell the user; asking again changes nothing."
const MEND_FIELD = "Mend the argument that `field` names, then call again."

/** What helps, by code. **Shape** a code that is not here helps by its own text alone. */
const NEXT: Partial<Record<Code, string>> = {
  invalid_parameter: MEND_FIELD,
  unknown_parameter: "Leave out the argument that `field` names, or call it by its name among the tool's arguments.",
  invalid_body: MEND_FIELD,
  invalid_target:
    'Call list_clusters for the names of clusters, then name them as they are written there, or pass ["*"] alone for all.',
  empty_cluster_list:
    'Name at least one, or pass ["*"] for all. Without `clusters` the parent cluster alone is asked, by list_clusters all.',
  invalid_cursor: "Call again without cursor, with the arguments that you want now.",
  cluster_not_found: "Call list_clusters for the names that exist.",
  cluster_forbidden:
    "The key does not reach that cluster. Call list_clusters for those that it reaches, and name them in `clusters`.",
  namespace_forbidden:
    "The key does not reach that namespace. Leave the namespace out to see those that it reaches; whoami tells its rule.",
  address_forbidden: `The key may not be used from this address. ${ASK_PEOPLE}`,
  role_forbidden: `The key's role does not allow this. ${ASK_PEOPLE}`,
  action_unsupported: "The detail names the kinds that can; list_workloads tells a workload's kind.",
  workload_not_found: "Call list_workloads for what is there, and take cluster, namespace, kind and name from a row.",
  pod_not_found: "The pod may have been replaced. Take cluster, namespace and name from what is there now.",
  logs_unavailable: "The detail is what the cluster said. A container that waits to start has written nothing yet.",
  workload_changed:
    "Somebody else changed it. Call again with dryRun to see how it is now, and ask the user before you change it.",
  cluster_forbids: `The detail is what the cluster said. ${ASK_PEOPLE}`,
  outcome_unknown:
    "Nobody knows whether it was changed. Call again with dryRun to see how it is now; do not repeat the change unseen.",
  cost_row_not_found: "Take `id` and `cluster` from a row of cost_by_workload, or ask for a longer range.",
  rate_limited: "Wait `retryAfterSeconds`, then call again; ask for more in one call instead of many.",
  cluster_timeout: "Call again with a larger timeoutMs (30000 at most), or for fewer clusters.",
  cluster_throttled: "Wait `retryAfterSeconds`, then call again.",
  cluster_unreachable: "No addressed cluster answered; `coverage` says why. Ask other clusters, or tell the user.",
  invalid_key: ASK_PEOPLE,
  key_expired: `The key has ended. ${ASK_PEOPLE}`,
  key_revoked: `The key was revoked. ${ASK_PEOPLE}`
}

/** What the API says of a body means something else of a tool's arguments: there a list that is left out means every cluster. */
const DETAIL: Partial<Record<Code, string>> = { empty_cluster_list: "clusters: must name at least one cluster" }

/** Idle costs are refused as the namespaces that they lie beyond. */
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

/** Says what the route refused with. **Shape** a reply that is no problem document is the service's own failure. */
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

/** Says that the arguments are none that any route could be asked with. */
export const ofArgument = (error: { readonly code: Code; readonly detail: string; readonly field: string }) =>
  refused({ ...error, status: 400 }, { next: NEXT[error.code] ?? MEND_FIELD })

/** Says that not even one row is short enough. */
export const tooLong = refused(
  { code: "answer_too_long", detail: "one row alone is longer than a model can read" },
  { next: "Ask for a shorter range, a longer stepSize or fewer clusters." }
)
