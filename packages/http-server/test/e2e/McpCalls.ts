/**
 * The tools of MCP, and how each is called.
 */
/** Every tool, in the order in which they are listed. */
export const TOOLS = [
  "list_clusters",
  "list_workloads",
  "cost_by_workload",
  "cost_by_group",
  "explain_cost",
  "whoami",
  "can_i"
]

/** One call of every tool that is answered, for keys that reach everything. */
export const CALLS: ReadonlyArray<[tool: string, given: Record<string, unknown>]> = [
  ["list_clusters", {}],
  ["list_workloads", { clusters: ["*"] }],
  ["cost_by_workload", { clusters: ["*"], range: "7d" }],
  ["cost_by_group", { clusters: ["*"], groupBy: ["cluster"], stepSize: "day" }],
  ["explain_cost", { cluster: "prod", id: "prod/shop/Deployment/api", range: "7d" }],
  ["whoami", {}],
  ["can_i", { resource: "cost", verb: "read" }]
]
