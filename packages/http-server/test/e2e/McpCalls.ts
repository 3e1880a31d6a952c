/**
 * The tools of MCP, and how each is called.
 */
/** Those that a Viewer is not shown. */
const OF_OPERATORS: ReadonlySet<string> = new Set([
  "scale_workload",
  "restart_workload",
  "pause_rollout",
  "resume_rollout",
  "get_pod_logs"
])

/** Every tool, in the order in which they are listed. */
const TOOLS = [
  "list_clusters",
  "overview",
  "list_workloads",
  "get_workload",
  "list_pods",
  "list_events",
  "cost_by_workload",
  "cost_by_group",
  "explain_cost",
  "scale_workload",
  "restart_workload",
  "pause_rollout",
  "resume_rollout",
  "get_pod_logs",
  "whoami",
  "can_i"
]

const WEB = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "web" }

/** One call of every tool that is answered, for keys that reach everything. */
const CALLS: ReadonlyArray<[tool: string, given: Record<string, unknown>]> = [
  ["list_clusters", {}],
  ["overview", { clusters: ["*"] }],
  ["list_workloads", { clusters: ["*"] }],
  ["get_workload", WEB],
  ["list_pods", { clusters: ["*"], sort: "restarts", order: "desc" }],
  ["list_events", { clusters: ["*"], type: ["Warning"] }],
  ["cost_by_workload", { clusters: ["*"], range: "7d" }],
  ["cost_by_group", { clusters: ["*"], groupBy: ["cluster"], stepSize: "day" }],
  ["cost_by_group", { clusters: ["*"], groupBy: ["cluster"], compare: true }],
  ["explain_cost", { cluster: "prod", id: "prod/shop/Deployment/api", range: "7d" }],
  ["scale_workload", { ...WEB, replicas: 3 }],
  ["restart_workload", WEB],
  ["pause_rollout", WEB],
  ["resume_rollout", WEB],
  ["get_pod_logs", { cluster: "prod", namespace: "shop", name: "written" }],
  ["whoami", {}],
  ["can_i", { resource: "cost", verb: "read" }]
]

/** The tools that a key is shown, by its role. */
export const toolsFor = (role: string): ReadonlyArray<string> =>
  TOOLS.filter((tool) => role !== "viewer" || !OF_OPERATORS.has(tool))

/** Their calls. */
export const callsFor = (role: string): typeof CALLS => {
  const shown = toolsFor(role)
  return CALLS.filter(([tool]) => shown.includes(tool))
}
