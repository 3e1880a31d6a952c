/**
 * Computes the idle quantities of an hour's nodes: capacity minus allocation.
 */
import { IDLE } from "../hour/Series.ts"
import { KIB_BYTES } from "../hour/Units.ts"
import { over } from "./Accrual.ts"
import * as GpuShare from "./GpuShare.ts"
import { secondsIn } from "./Intervals.ts"
import type { Hosts } from "./PodHosts.ts"
import * as SeriesAccounts from "./SeriesAccounts.ts"

/**
 * Adds the unallocated capacity of each node to its `__idle__` series. Call it after all pods are charged.
 *
 * **Shape** the idle quantities are negative if more was allocated than the node has. Nodes that are charged by request
 * have none.
 */
export const charge = (hosts: Hosts, accounts: SeriesAccounts.SeriesAccounts): void => {
  for (const { allocated, isByRequest, node, priceClass, seen } of hosts.nodes) {
    if (node === undefined || isByRequest) continue
    const { labels, name, uid } = node
    const account = SeriesAccounts.accountOf(accounts, { namespace: "", kind: IDLE, name, uid, labels })
    SeriesAccounts.allocate(account, priceClass, {
      cpuAllocatedMilliSeconds: over(node.cpuMillis, seen) - allocated.cpuAllocatedMilliSeconds,
      memoryAllocatedKibSeconds: over(node.memoryBytes / KIB_BYTES, seen) - allocated.memoryAllocatedKibSeconds,
      gpuMilliSeconds: over(1_000 * GpuShare.ofNode(node), seen) - allocated.gpuMilliSeconds
    })
    account.amounts.existedSeconds += secondsIn(seen)
  }
}
