/**
 * Prometheus servers without a label that tells clusters apart: each may serve one cluster.
 *
 * All that such a server has would be taken for each of two clusters, and would be charged twice.
 */
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import type { UsageSource } from "@quarterdeck/cost"
import * as UsageSetting from "@quarterdeck/cost/usage/UsageSetting"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"

/** Decides which cluster a Prometheus serves. */
export interface SingleClusterSources {
  /** Gives what a cluster has in place of a Prometheus that serves another one; `undefined` if its own source may be used. */
  readonly refusalOf: (cluster: ClusterName) => UsageSource.RequestsOnly | undefined
}

/** The server that a setting names: one address serves the tenants of several users apart. */
const serverOf = (setting: UsageSetting.UsageSetting): string | undefined =>
  setting._tag === "Prometheus" ? JSON.stringify([setting.url, setting.credentials?.username]) : undefined

/** No registered cluster has it: several were there at the start, and none of them is known to be the one that is served. */
const NONE_OF_THEM = Symbol("none of them")

/**
 * Makes the decision.
 *
 * **Shape** a server serves the one cluster of the settings (`kubeconfig`, the pod's own, `named` in `cost.usageByCluster`)
 * that it is meant for. Without such a cluster, it serves the one that is registered as the service starts, or else the first
 * one that joins. Any other is charged by requests.
 *
 * **Errors** `InvalidUsageSetting` if a server is meant for several clusters of the settings.
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
      `must name the label that tells the series of clusters apart: ${UsageSetting.print(setting)} is the source of `
      + `${one} and of ${other}, and without the label each would be charged for both`
  })

const problemOf = (setting: UsageSetting.UsageSetting, other: ClusterName | typeof NONE_OF_THEM): string =>
  `requests alone are charged: ${UsageSetting.print(setting)} is the source of `
  + `${other === NONE_OF_THEM ? "several clusters" : `cluster ${other} too`}, and cost.usageClusterLabel, which tells their series apart, is not set`
