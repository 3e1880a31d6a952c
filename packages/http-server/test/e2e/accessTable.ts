/**
 * The access table: for every route, which keys it lets through, in their scope and out of it.
 */
import type { Call, KeyName } from "./Deployment.ts"

/** Where a route is pointed at. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
}

/** One call of a route, by REST, and by its tool where it has one. */
export interface Asked {
  readonly path: string
  readonly call: Call
  readonly given: Readonly<Record<string, unknown>>
}

/** What a route can be out of reach of, beside its role. */
type Axes = "cluster and namespace" | "cluster" | "none"

interface Row {
  readonly ask: (place: Place) => Asked
  /** The lowest role, or an Admin whose key has no scope. */
  readonly from: "Viewer" | "Operator" | "Admin" | "unscoped Admin"
  readonly axes: Axes
}

const query = (path: string, parameters: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(parameters).toString()}`

const header = (cluster: string): Call => ({ headers: [["X-Service-Cluster", cluster]] })

const list = (name: string): Row => ({
  ask: ({ cluster, namespace }) => ({
    path: query(`/api/v1/${name}`, { namespace }),
    call: header(cluster),
    given: { clusters: [cluster], namespace: [namespace] }
  }),
  from: "Viewer",
  axes: "cluster and namespace"
})

const cost = (route: string, more: object = {}): Row => ({
  ask: ({ cluster, namespace }) => ({
    path: `/detailedCostReport/${route}`,
    call: { method: "POST", ...header(cluster), body: { namespaces: [namespace], ...more } },
    given: { clusters: [cluster], namespaces: [namespace], ...more }
  }),
  from: "Viewer",
  axes: "cluster and namespace"
})

const WORKLOAD = { kind: "Deployment", name: "web" }

const workload = ({ cluster, namespace }: Place, action = "") =>
  `/api/v1/workloads/${cluster}/${namespace}/${WORKLOAD.kind}/${WORKLOAD.name}${action}`

const action = (name: string, more: object = {}): Row => ({
  ask: (place) => ({
    path: workload(place, `/${name}`),
    call: { method: "POST", body: { dryRun: true, ...more } },
    given: { ...place, ...WORKLOAD, ...more }
  }),
  from: "Operator",
  axes: "cluster and namespace"
})

const plain = (path: string, from: Row["from"], call: Call = {}, given: Asked["given"] = {}): Row => ({
  ask: () => ({ path, call, given }),
  from,
  axes: "none"
})

const NO_KEY = "/api/v1/apiKeys/key_0000000000000000000000"
const KEY_BODY = { name: "made", rule: { role: "Admin", targetClusters: ["prod"] } }

/** **Shape** by the endpoint's name; a route that is not here, or in {@link APART}, fails the table's test. */
export const TABLE: Readonly<Record<string, Row>> = {
  "clusters.list": {
    ask: ({ cluster }) => ({ path: "/api/v1/clusters", call: header(cluster), given: { clusters: [cluster] } }),
    from: "Viewer",
    axes: "cluster"
  },
  "clusters.register": plain("/api/v1/clusters", "unscoped Admin", { method: "POST", body: {} }),
  "clusters.drop": plain("/api/v1/clusters/nowhere", "unscoped Admin", { method: "DELETE" }),
  "namespaces.list": {
    ask: ({ cluster }) => ({ path: "/api/v1/namespaces", call: header(cluster), given: {} }),
    from: "Viewer",
    axes: "cluster"
  },
  "workloads.list": list("workloads"),
  "overview.read": {
    ask: ({ cluster }) => ({ path: "/api/v1/overview", call: header(cluster), given: { clusters: [cluster] } }),
    from: "Viewer",
    axes: "cluster"
  },
  "pods.list": list("pods"),
  "events.list": list("events"),
  "workload.get": {
    ask: (place) => ({ path: workload(place), call: {}, given: { ...place, ...WORKLOAD } }),
    from: "Viewer",
    axes: "cluster and namespace"
  },
  "workload.scale": action("scale", { replicas: 2 }),
  "workload.restart": action("restart"),
  "workload.pause": action("pause"),
  "workload.resume": action("resume"),
  "workloads.act": {
    ask: (place) => ({
      path: "/api/v1/workloads/actions",
      call: { method: "POST", body: { action: "restart", dryRun: true, targets: [{ ...place, ...WORKLOAD }] } },
      given: {}
    }),
    from: "Operator",
    axes: "cluster and namespace"
  },
  "pod.logs": {
    ask: (place) => ({
      path: `/api/v1/pods/${place.cluster}/${place.namespace}/written/logs`,
      call: {},
      given: { ...place, name: "written" }
    }),
    from: "Operator",
    axes: "cluster and namespace"
  },
  "cost.getWorkloads": cost("getWorkloads"),
  "cost.getAggregated": cost("getAggregated", { groupBy: ["cluster"] }),
  "cost.explain": {
    ask: ({ cluster, namespace }) => {
      const id = `${cluster}/${namespace}/Deployment/web`
      return { path: query("/api/v1/costExplanation", { cluster, id }), call: {}, given: { cluster, id } }
    },
    from: "Viewer",
    axes: "cluster and namespace"
  },
  "prices.get": plain("/api/v1/prices", "Viewer"),
  "prices.replace": plain("/api/v1/prices", "unscoped Admin", { method: "PUT", body: {} }),
  "apiKeys.create": plain("/api/v1/apiKeys", "Admin", { method: "POST", body: KEY_BODY }),
  "apiKeys.list": plain("/api/v1/apiKeys", "Admin"),
  "apiKeys.get": plain(NO_KEY, "Admin"),
  "apiKeys.update": plain(NO_KEY, "Admin", { method: "PATCH", body: { name: "renamed" } }),
  "apiKeys.rotate": plain(`${NO_KEY}/rotate`, "Admin", { method: "POST", body: {} }),
  "apiKeys.revoke": plain(NO_KEY, "Admin", { method: "DELETE" }),
  "audit.list": plain("/api/v1/audit", "Admin"),
  "whoami.whoami": plain("/api/v1/whoami", "Viewer"),
  "accessReviews.create": plain(
    "/api/v1/accessReviews",
    "Viewer",
    { method: "POST", body: { resource: "prices", verb: "read" } },
    { resource: "prices", verb: "read" }
  )
}

/** Routes without a cell, and those of which another file shows who may open them, since they do not end. */
export const APART: Readonly<Record<string, string>> = {
  "clusters.watch": "streamAccess.test.ts",
  "workloads.watch": "streamAccess.test.ts",
  "health.healthz": "public",
  "health.readyz": "public",
  "session.create": "public: the key is in its body",
  "session.get": "of a signed-in browser alone",
  "session.end": "of a signed-in browser alone"
}

/** The keys of the table: each role without a scope, with one of clusters (`prod`), and one of namespaces (`shop`). */
export const KEYS: ReadonlyArray<
  readonly [KeyName, role: "Viewer" | "Operator" | "Admin", scope: "none" | "cluster" | "namespace"]
> = [
  ["viewer", "Viewer", "none"],
  ["prodViewer", "Viewer", "cluster"],
  ["shopViewer", "Viewer", "namespace"],
  ["operator", "Operator", "none"],
  ["prodOperator", "Operator", "cluster"],
  ["shopOperator", "Operator", "namespace"],
  ["admin", "Admin", "none"],
  ["prodAdmin", "Admin", "cluster"],
  ["shopAdmin", "Admin", "namespace"]
]

const RANK = { Viewer: 0, Operator: 1, Admin: 2 } as const

export const INSIDE: Place = { cluster: "prod", namespace: "shop" }
export const OUTSIDE: Place = { cluster: "hub", namespace: "payments" }

/** The code that a key is refused with; `undefined` where it is let through. */
export const refusalOf = (
  { axes, from }: Row,
  [, role, scope]: (typeof KEYS)[number],
  place: Place
): string | undefined => {
  const lowest = from === "unscoped Admin" ? "Admin" : from
  if (RANK[role] < RANK[lowest] || (from === "unscoped Admin" && scope !== "none")) return "role_forbidden"
  if (place === INSIDE || axes === "none") return undefined
  if (scope === "cluster") return "cluster_forbidden"
  if (scope === "namespace" && axes === "cluster and namespace") return "namespace_forbidden"
  return undefined
}
