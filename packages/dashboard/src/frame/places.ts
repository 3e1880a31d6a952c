/** Paths of the pages, after the `#` of the address. The server does not see them. */
export const PLACES = {
  overview: "/",
  clusters: "/clusters",
  // `-` is not a valid cluster name.
  registerCluster: "/clusters/-/register",
  workloads: "/workloads",
  pods: "/pods",
  events: "/events",
  namespaces: "/namespaces",
  cost: "/cost",
  savings: "/cost/savings",
  apiKeys: "/users/api-keys",
  createKey: "/users/api-keys/new",
  audit: "/audit",
  prices: "/settings/prices",
  ownKey: "/own-key"
} as const

export const clusterPlace = (name: string): string => `${PLACES.clusters}/${encodeURIComponent(name)}`

export const keyPlace = (id: string): string => `${PLACES.apiKeys}/${encodeURIComponent(id)}`

export const changeKeyPlace = (id: string): string => `${keyPlace(id)}/change`

/** Parameters of the audit page for every event of a key. */
export const auditOfKey = (id: string): Readonly<Record<string, string>> => ({ keyId: id, range: "all" })

export const workloadPlace = (workload: {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}): string =>
  [
    PLACES.workloads,
    ...[workload.cluster, workload.namespace, workload.kind, workload.name].map(encodeURIComponent)
  ].join("/")
