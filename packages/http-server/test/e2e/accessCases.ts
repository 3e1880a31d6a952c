/**
 * Which roles a route lets through, which holds for every way of asking: REST and the tools of MCP.
 */
import type { Call, KeyName } from "./Deployment.ts"

/** What it shows, the route, the call, the keys that are answered and those that are refused. */
export const ROLES: ReadonlyArray<[string, string, Call, ReadonlyArray<KeyName>, ReadonlyArray<KeyName>]> = [
  ["clusters: read", "/api/v1/clusters", {}, ["viewer", "operator", "admin", "prodViewer", "shopViewer"], []],
  ["workloads: read", "/api/v1/workloads", {}, ["viewer", "operator", "admin", "shopViewer"], []],
  ["pods: read", "/api/v1/pods", {}, ["viewer", "operator", "admin", "shopViewer"], []],
  ["events: read", "/api/v1/events", {}, ["viewer", "operator", "admin", "shopViewer"], []],
  ["namespaces: read", "/api/v1/namespaces", {}, ["viewer", "operator", "admin", "shopViewer"], []],
  [
    "keys of others: read",
    "/api/v1/apiKeys",
    {},
    ["admin", "prodAdmin", "shopAdmin"],
    ["viewer", "operator", "prodViewer"]
  ],
  ["own key: read", "/api/v1/whoami", {}, ["viewer", "operator", "admin", "prodViewer"], []],
  [
    "cost: read",
    "/detailedCostReport/getWorkloads",
    { method: "POST" },
    ["viewer", "operator", "admin", "shopViewer"],
    []
  ],
  ["prices: read", "/api/v1/prices", {}, ["viewer", "operator", "admin", "prodViewer", "shopViewer"], []],
  ["metrics", "/metrics", {}, ["admin"], ["viewer", "operator", "prodAdmin", "shopAdmin"]]
]
