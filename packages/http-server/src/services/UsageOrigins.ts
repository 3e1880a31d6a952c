/**
 * The usage source of each cluster: the host's, else the one from the settings.
 */
import { UsageSource, UsageSources } from "@quarterdeck/cost"
import * as MetricsApi from "@quarterdeck/cost/usage/MetricsApi"
import * as Prometheus from "@quarterdeck/cost/usage/Prometheus"
import type * as UsageSetting from "@quarterdeck/cost/usage/UsageSetting"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import * as Name from "@quarterdeck/targeting/ClusterName"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import { Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import * as HostPort from "./HostPort.ts"
import type { Ports } from "../settings/Ports.ts"
import * as SingleClusterSources from "./SingleClusterSources.ts"
import type { Settings } from "../settings/Settings.ts"

/**
 * Provides the sources from the settings: `cost.usageByCluster`, else `cost.usage`.
 *
 * **Errors** `InvalidUsageSetting` if several configured clusters use one Prometheus without `cost.usageClusterLabel`.
 */
const layerOfSettings = ({ accelerators, usage, usageByCluster, usageClusterLabel }: Settings["cost"]) =>
  Layer.effect(
    UsageSources.UsageSources,
    Effect.gen(function* () {
      const metrics = yield* MetricsApi.make
      const make = Effect.fnUntraced(function* (setting: UsageSetting.UsageSetting) {
        switch (setting._tag) {
          case "Metrics":
            return metrics
          case "Requests":
            return UsageSource.requestsOnly
          case "Prometheus": {
            const { credentials, url } = setting
            return yield* Prometheus.make({
              url,
              accelerators,
              ...(credentials === undefined ? {} : { credentials }),
              ...(usageClusterLabel === undefined ? {} : { clusterLabel: { name: usageClusterLabel } })
            })
          }
        }
      })
      const usual: UsageSource.UsageSource = yield* make(usage)
      const own = new Map<string, UsageSource.UsageSource>()
      for (const [cluster, setting] of Object.entries(usageByCluster)) own.set(cluster, yield* make(setting))
      const sourceOf = (cluster: ClusterName) => own.get(cluster) ?? usual
      if (usageClusterLabel !== undefined) return UsageSources.UsageSources.of({ of: sourceOf })

      const { clusters } = yield* (yield* ClusterRegistry).snapshot
      const single = yield* Effect.fromResult(
        SingleClusterSources.make(
          (cluster) => usageByCluster[cluster] ?? usage,
          clusters,
          Object.keys(usageByCluster).filter(Name.is)
        )
      )
      return UsageSources.UsageSources.of({ of: (cluster) => single.refusalOf(cluster) ?? sourceOf(cluster) })
    })
  )

/** Provides the sources. **Errors** `InvalidUsageSetting`, `PortUnusable`. */
export const layer = (
  { cost }: Pick<Settings, "cost">,
  { usageSources }: Ports
): Layer.Layer<
  UsageSources.UsageSources,
  UsageSetting.InvalidUsageSetting | HostPort.PortUnusable,
  KubeApi | ClusterRegistry | HttpClient.HttpClient
> =>
  usageSources === undefined
    ? layerOfSettings(cost)
    : HostPort.layer("usageSources", UsageSources.UsageSources, usageSources)
