/**
 * Types of the contract's replies and bodies.
 */
import type { ApiKeyList, CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import type { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import type { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import type { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"

export type ApiKey = ApiKeyList["apiKeys"][number]
export type Rule = CreateApiKey["rule"]
export type Role = Rule["role"]
export type Status = ApiKey["status"]
export type Cluster = ClusterList["clusters"][number]
export type WorkloadStatus = WorkloadList["workloads"][number]["status"]
export type StatusCounts = Readonly<Record<WorkloadStatus, number>>
export type Namespace = NamespaceList["namespaces"][number]
/** Coverage of a cluster. **Shape** `retired` only in cost reports: the cluster is no longer registered, its costs are kept. */
export interface Coverage extends Omit<NamespaceList["clusters"][number], "name" | "status"> {
  readonly name: string
  readonly status: NamespaceList["clusters"][number]["status"] | "retired"
}
export type Selector = NonNullable<Rule["targetNamespaces"]>[number]
