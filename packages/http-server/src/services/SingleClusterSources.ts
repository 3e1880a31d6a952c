/**
 * Limits a Prometheus server without a cluster label to one cluster.
 *
 * If two clusters used the same server, both would be charged for all of its series.
 */
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { UsageSource } from "@quarterdeck/cost"
import * as UsageSetting from "@quarterdeck/cost/usage/UsageSetting"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"

/** The assignment of Prometheus servers to clusters. */
export interface SingleClusterSources {
  /** Returns the replacement source if the cluster's Prometheus serves another cluster, else `undefined`. */
  readonly refusalOf: (cluster: ClusterName) => UsageSource.RequestsOnly | undefined
}

/** Identifies the Prometheus in a setting by address and user, because a server may have one tenant per user. */
const serverOf = (setting: UsageSetting.UsageSetting): string | undefined =>
  setting._tag === "Prometheus" ? JSON.stringify([setting.url, setting.credentials?.username]) : undefined

/** Marks a server that several registered clusters used at startup. It serves none: the right one is unknown. */
const NONE_OF_THEM = Symbol("none of them")

/**
 * Assigns each server to a cluster.
 *
 * **Shape** a server serves the configured cluster that uses it: a cluster of a kubeconfig, the pod's own, or one
 * `named` in `cost.usageByCluster`. If no configured cluster uses the server, it serves the registered cluster that
 * uses it at startup. If several registered clusters use it then, it serves none. If none does, it serves the first
 * cluster that uses it later. All other clusters that use the server are charged by requests.
 *
 * **Errors** `InvalidUsageSetting` if several configured clusters use one server.
 */
export const make = (
  settingOf: (cluster: ClusterName) => UsageSetting.UsageSetting,
  clusters: ReadonlyArray<Pick<Cluster, "name" | "origin">>,
  named: ReadonlyArray<ClusterName>
): Result.Result<SingleClusterSources, UsageSetting.InvalidUsageSetting> => {
  const served = new Map<string, ClusterName | typeof NONE_OF_THEM>()
  const configured = new Set([
    ...clusters.filter(({ origin }) => origin !== "registered").map(({ name }) => name),
    ...named
  ])
  for (const cluster of configured) {
    const setting = settingOf(cluster)
    const server = serverOf(setting)
    if (server === undefined) continue
    const other = served.get(server)
    if (typeof other === "string") return Result.fail(sharedBy(setting, other, cluster))
    served.set(server, cluster)
  }
  const decided = new Set(served.keys())
  for (const { name } of clusters) {
    const server = serverOf(settingOf(name))
    if (server === undefined || decided.has(server)) continue
    served.set(server, served.has(server) ? NONE_OF_THEM : name)
  }
  const refusals = new Map<ClusterName, UsageSource.RequestsOnly>()
  return Result.succeed({
    refusalOf: (cluster) => {
      const setting = settingOf(cluster)
      const server = serverOf(setting)
      if (server === undefined) return undefined
      const other = served.get(server) ?? cluster
      served.set(server, other)
      if (other === cluster) return undefined
      const refusal = refusals.get(cluster) ?? { _tag: "RequestsOnly", problem: problemOf(setting, other) }
      refusals.set(cluster, refusal)
      return refusal
    }
  })
}

const sharedBy = (setting: UsageSetting.UsageSetting, one: ClusterName, other: ClusterName) =>
  new UsageSetting.InvalidUsageSetting({
    field: "cost.usageClusterLabel",
    problem:
      `must name the label that tells the clusters' series apart: ${UsageSetting.print(setting)} is the source of both `
      + `${one} and ${other}, and without the label each would be charged for both`
  })

const problemOf = (setting: UsageSetting.UsageSetting, other: ClusterName | typeof NONE_OF_THEM): string =>
  `only requests are charged: ${UsageSetting.print(setting)} is also the source of `
  + `${other === NONE_OF_THEM ? "other clusters" : `cluster ${other}`}; set cost.usageClusterLabel to tell their series apart`
