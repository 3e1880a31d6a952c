/** Where the pages stand, behind the `#` of the address: no server and no prefix need know them. */
export const PLACES = {
  clusters: "/clusters",
  // No cluster is called `-`.
  registerCluster: "/clusters/-/register",
  workloads: "/workloads",
  cost: "/cost",
  savings: "/cost/savings",
  apiKeys: "/users/api-keys",
  createKey: "/users/api-keys/new",
  audit: "/audit",
  prices: "/settings/prices",
  ownKey: "/own-key"
} as const

/** The page of one cluster. */
export const clusterPlace = (name: string): string => `${PLACES.clusters}/${encodeURIComponent(name)}`

/** The page that changes one key. */
export const keyPlace = (id: string): string => `${PLACES.apiKeys}/${encodeURIComponent(id)}`

/** What the page of the audit is narrowed to for all that one key did. */
export const auditOfKey = (id: string): Readonly<Record<string, string>> => ({ keyId: id, range: "all" })

/** The page of one workload. */
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
