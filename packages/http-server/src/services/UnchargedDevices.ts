/**
 * Accelerators that are not included in costs, by cluster.
 */
import { type ClusterStore, PodProjection } from "@quarterdeck/cluster-fanout"
import type { ReadinessDetails } from "@quarterdeck/contract/HealthGroup"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"

/** Maximum resource names to report per cluster. */
const MAX_NAMES = 8

/**
 * Finds the accelerators of a cluster that are not charged: extended resources of nodes, and devices of ResourceClaims.
 *
 * **Shape** empty if there are none. Ignores finished pods, which hold no devices.
 *
 * **Limits** linear in the cluster's nodes and pods.
 */
export const find = (
  cluster: ClusterName,
  store: ClusterStore.ClusterStore
): NonNullable<ReadinessDetails["unchargedDevices"]> => {
  const resources = new Set<string>()
  let nodes = 0
  for (const { unchargedAccelerators = [] } of store.table("Node").records.values()) {
    if (unchargedAccelerators.length > 0) nodes++
    for (const name of unchargedAccelerators) if (resources.size < MAX_NAMES) resources.add(name)
  }
  let podsWithClaims = 0
  for (const pod of store.table("Pod").records.values()) {
    if (pod.hasResourceClaims && pod.node !== "" && !PodProjection.isFinished(pod)) podsWithClaims++
  }
  return nodes === 0 && podsWithClaims === 0
    ? []
    : [{ cluster, resources: [...resources].toSorted(), nodes, podsWithClaims }]
}
